"""Check that a statement keeps the conditions of its source, and makes no duty of what that only allows. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.asking.verification.clauses import Clause
from core.language.nlp.text import content_stems

_CONDITION = re.compile(
    r"\b(?:unless|except|excluding|only (?:if|when|where)|if and only if|provided(?: that)? (?=\w+ )"
    r"|as long as|so long as|other than|in case of"
    # "Dry but not burnt" denies; "daily but not on Sundays" excepts.
    r"|but not (?=(?:on|in|at|for|from|to|if|when|during|by|with|an?|the|those|these|any|all)\b)"
    # Behind these "if" asks: it is "whether".
    r"|(?<!\bas )(?<!\beven )(?<!\bwhat )(?<!\bsee )(?<!\band )(?<!\bidentify )(?<!\bdetermine )(?<!\bcheck )"
    r"(?<!\bknow )(?<!\bdecide )(?<!\bask )(?<!\bwonder )if)\b",
    re.IGNORECASE,
)
# Conditions that only say what somebody is after: whoever asks has them.
_EMPTY = re.compile(
    r"\A\W*(?:any|necessary|needed|possible|applicable|appropriate|so|not|desired|required|available|ever|anything"
    r"|you(?:['’](?:d|re)| are| would)? (?:(?:do|really) )?(?:want|need|wish|like|prefer|choose|decide|plan|planning"
    r"|looking|trying|interested|have (?:any )?(?:questions?|time)))\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(?:if|unless|except|excluding|provided|as long as|so long as|in case|other than|but not|depending|depends?"
    r"|subject to|only|when|whenever|until)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[,;:]\s|[.!?](?=\s)|\s[-–—]{1,2}\s|\s(?=then\b)")
_FULL_STOP = re.compile(r"[.!?](?=\s+[A-Z])")  # an item of a list may hold several sentences
LEAST_KEPT = 0.34  # of a condition's words, in the statement, when it is kept in other words
LEAST_ABOUT = 0.5  # of a statement's words, in what holds on a condition

_OBLIGES = re.compile(
    r"\b(?:must|shall|mandatory|obligatory|compulsory|obliged|obligations?|requir(?:e|es|ed|ing|ements?)|needs?|needed"
    r"|necessary|essential|ha(?:ve|s|d) to|never|always|cannot|may not|should|responsib\w+|only|make sure|be sure"
    r"|ensure|important)\b",
    re.IGNORECASE,
)
_MUST = re.compile(
    r"\b(?:must|shall|mandatory|obligatory|compulsory|obliged|required to|ha(?:ve|s) to)\b", re.IGNORECASE
)
_MODAL = re.compile(r"\b(?:must|shall|may|might|can|could|should|ought|required|mandatory|optional)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _OnCondition:
    """A sentence apart from its condition."""

    main: frozenset[str]  # stems
    condition: frozenset[str]


def names_condition(text: str) -> bool:
    """Return True if a text names a condition, an exception or an occasion."""
    return bool(_NAMED.search(text))


def leaves_out_condition(statement: str, said: Sequence[Clause], around: Sequence[Clause]) -> bool:
    """Return True if a clause of a statement says without its condition what a sentence of the source says on one."""
    whole = frozenset(content_stems(statement))
    parts = [part for sentence in around for part in _split_conditions(sentence.text)]
    free = [part for sentence in around if not list(_split_conditions(sentence.text)) for part in [sentence.stems]]
    for clause in said:
        for part in parts:
            shared = len(clause.stems & part.main)
            if not clause.stems or shared < LEAST_ABOUT * len(clause.stems):
                continue
            if any(len(clause.stems & other) >= shared for other in free):
                continue
            if len(whole & part.condition) < LEAST_KEPT * len(part.condition) and not names_condition(statement):
                return True
    return False


def _split_conditions(sentence: str) -> Iterator[_OnCondition]:
    for match in _CONDITION.finditer(sentence):
        begun = max((found.end() for found in _FULL_STOP.finditer(sentence, 0, match.start() + 1)), default=0)
        if _EMPTY.match(sentence, match.end()) or _EMPTY.match(sentence[match.end() :]):
            continue
        end = _ENDS.search(sentence, match.end())
        stop = end.start() if end else len(sentence)
        ended = _FULL_STOP.search(sentence, stop)
        condition = frozenset(content_stems(sentence[match.end() : stop]))
        main = frozenset(
            content_stems(f"{sentence[begun : match.start()]} {sentence[stop : ended.end() if ended else None]}")
        )
        if condition and main:
            yield _OnCondition(main - condition, condition)


def has_modality(text: str) -> bool:
    """Return True if a text has a word such as must, may or can."""
    return bool(_MODAL.search(text))


def obliges_more(said: Clause, quoted: Sequence[Clause]) -> bool:
    """Return True if a clause says that something must be, and what it is about says nothing of the kind.

    quoted: the clauses and sentences of the source that it is about.
    """
    if not _MUST.search(said.text):
        return False
    return not any(_OBLIGES.search(part.text) for part in quoted)
