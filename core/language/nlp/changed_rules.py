"""Find sentences that say that a rule has changed: "In place of two, a member may now bring four." Pure."""

import datetime as dt
import re

from core.language.nlp.structure import units
from core.language.nlp.text import content_stems
from core.language.nlp.written_numbers import CARDINALS

SHARED = 0.6  # of a rule's words in the sentence that changes it
_FEWEST = 3  # words of a rule that may be known again

_CHANGES = re.compile(
    r"\bno longer\b|\bnot any ?more\b|\b(?:may|must|can|will|need|is|are|costs?|pays?|closes?|opens?) now\b"
    r"|\b(?:from|as of) (?:today|now on|now)\b|\bwith immediate effect\b|\bhenceforth\b"
    r"|\b(?:goes|go|rises?|falls?|is raised|is lowered|is reduced|is increased|changes?|is changed)"
    rf" (?:(?:up|down) )?from (?:[$€£]?\d[\w.,]*|{'|'.join(CARDINALS)})(?: \w+){{0,2}} to\b"
    r"|\b(?:supersedes?|replaces?|is replaced|are replaced|is repealed|is abolished|are abolished|is withdrawn"
    r"|are suspended|is suspended|in place of|instead) (?:by |of )?(?:the |this |that |section |paragraph |clause )"
    r"(?:old|former|previous|earlier|rule|rules|\d)",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"\d")


def says_change(sentence: str) -> bool:
    """Return True if a sentence says that something is otherwise from now on than it was."""
    return bool(_CHANGES.search(sentence))


def is_older(date: dt.date | None, than: dt.date | None) -> bool:
    """Return True if a document of a date cannot change the rule of one of another: it is older, or has no date."""
    return than is not None and (date is None or date < than)


def find_change(rule: str, text: str) -> str:
    """Return the sentence of a text that says that a rule has changed, in the rule's own words; "" where none does."""
    words = {stem for stem in content_stems(rule) if not _FIGURE.match(stem)}
    if len(words) < _FEWEST or says_change(rule):
        return ""
    sentences = (text[one.start : one.end] for one in units(text))
    return next(
        (one for one in sentences if says_change(one) and len(words & set(content_stems(one))) >= SHARED * len(words)),
        "",
    )
