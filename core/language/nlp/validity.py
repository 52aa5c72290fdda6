"""Find out since when, and until when, a sentence says that something holds. Pure."""

import datetime as dt
import re
from dataclasses import dataclass

from core.language.nlp.dates import find_dates
from core.language.nlp.number_words import CARDINALS

_BEFORE = 40  # characters before a date that are looked at
_THE_DAY = r"\s(?:the\s)?(?:(?:end|beginning|start|middle)\sof\s)?\Z"
_ENDS = re.compile(rf"\b(?:until|till|up\sto|through|ended\son|expired\son|lapsed\son){_THE_DAY}", re.IGNORECASE)
_BEGINS = re.compile(
    rf"\b(?:since|from|as\s(?:of|from)|starting|beginning|effective|with\seffect\sfrom|after){_THE_DAY}", re.IGNORECASE
)
# A sentence that says that a rule is another one from now on.
_CHANGES = re.compile(
    r"\bno longer\b|\bnot any ?more\b|\b(?:from|as of) (?:today|now on|now)\b|\bwith immediate effect\b|\bhenceforth\b"
    r"|\b(?:goes|go|rises?|falls?|is raised|is lowered|is reduced|is increased|changes?|is changed)"
    rf" (?:(?:up|down) )?from (?:[$€£]?\d[\w.,]*|{'|'.join(CARDINALS)})(?: \w+){{0,2}} to\b"
    r"|\b(?:supersedes?|replaces?|is replaced|are replaced|is repealed|is abolished|are abolished|is withdrawn"
    r"|are suspended|is suspended|in place of|instead) (?:by |of )?(?:the |this |that |section |paragraph |clause )"
    r"(?:old|former|previous|earlier|rule|rules|\d)",
    re.IGNORECASE,
)
_OF_THE_PAST = re.compile(
    r"\b(?:was|were|did|had|until|till|before|earlier|previously|formerly|former|used to|since|history|chang\w+)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Validity:
    """Holds the first and the last day on which something holds, as far as a sentence names them."""

    since: dt.date | None = None  # the latest where it names several
    until: dt.date | None = None

    def has_ended(self, today: dt.date) -> bool:
        """Return True if it held until a day that is over, and nothing is said to hold since then."""
        return self.until is not None and self.until < today and (self.since is None or self.since <= self.until)

    def holds(self, today: dt.date) -> bool:
        """Return True if it is said to hold since a day that has come, and has not ended."""
        return self.since is not None and self.since <= today and not self.has_ended(today)

    def is_to_come(self, today: dt.date) -> bool:
        """Return True if it is said to hold from a day that has not come."""
        return self.since is not None and self.since > today and self.until is None


def find_validity(sentence: str) -> Validity:
    """Return since when and until when a sentence says that something holds."""
    since: list[dt.date] = []
    until: list[dt.date] = []
    for date in find_dates(sentence):
        before = sentence[max(date.start - _BEFORE, 0) : date.start]
        if _ENDS.search(before) and date.last:
            until.append(date.last)
        elif _BEGINS.search(before) and date.first:
            since.append(date.first)
    return Validity(since=max(since, default=None), until=max(until, default=None))


def says_change(sentence: str) -> bool:
    """Return True if a sentence says that something is otherwise from now on than it was."""
    return bool(_CHANGES.search(sentence))


def asks_about_past(question: str) -> bool:
    """Return True if a question is about a time, or a change, and not only about what holds today."""
    return bool(_OF_THE_PAST.search(question)) or bool(find_dates(question))
