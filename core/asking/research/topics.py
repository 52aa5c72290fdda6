"""Read what somebody wants a page about: its subject, a period, and whether it is how something changed."""

import datetime as dt
import re
from dataclasses import dataclass

from core.language.nlp.text import content_stems, one_line
from core.language.query_understanding.dates import find_periods

# "Write me a one-page report on ...": what is wanted, in front of what it is about.
_WISH = re.compile(
    r"(?:please )?(?:(?:can|could|would) you )?(?:please )?"
    r"(?:(?:research|look into)(?::| into| about)?"
    r"|(?:write|make|give|prepare|compile|draft|put together)(?: me| us)?(?: up)?"
    r"(?: (?:a|an|the))?(?: (?:one-page|short|brief|full|detailed|complete))?"
    r" (?:page|report|dossier|brief|briefing|summary|overview|paper|note|memo)(?: (?:on|about|of|for|into)|:)) ",
    re.IGNORECASE,
)
# At the end alone: "how the board changed its mind" is about a mind.
_CHANGE = re.compile(
    r"(?:,? and how (?:it|that|this|they)(?: (?:has|have))?)? ?\b(?:chang|develop|evolv)(?:e|es|ed|ing)?"
    r"(?: (?:over time|since|in|until))?[?.! ]*\Z",
    re.IGNORECASE,
)
# "What is", "how often do": a question that a sentence may answer, unlike "what the board thinks".
_ASKED = re.compile(
    r"(?:how|what|which|why|when|where|who)(?: (?:much|many|often|long|far))?"
    r" (?:is|are|was|were|do|does|did|has|have|had|must|should|can|could|may|will)\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"(?:how|what|which|why|when|where|who)(?: (?:has|have|did|do|does|is|are|was|were|must|should))?"
    r"(?: (?:we|you|i|they) (?:know|have) (?:on|about))? ",
    re.IGNORECASE,
)
_OURS = re.compile(r"\A(?:the|our|my|your) ", re.IGNORECASE)
_LEFT_OPEN = frozenset({"been", "had", "has", "have", "in", "of", "on", "over", "since", "to"})  # at the end


@dataclass(frozen=True, kw_only=True, slots=True)
class Topic:
    """Holds what a page is wanted about."""

    typed: str  # without the wish in front
    subject: str  # words to search with
    is_question: bool
    is_change: bool  # how something changed: what is older comes first
    date_from: dt.date | None = None
    date_to: dt.date | None = None


def read_topic(text: str, *, today: dt.date) -> Topic:
    """Read a topic as somebody typed it. today: from which "last year" is counted."""
    line = one_line(text)
    wish = _WISH.match(line)
    typed = line[wish.end() :].strip() if wish and len(line) - wish.end() >= 3 else line
    periods = find_periods(typed, today=today)
    period = periods[0] if len(periods) == 1 and not periods[0].is_yearless else None
    subject = f"{typed[: period.start]} {typed[period.end :]}" if period else typed
    is_change = bool(_CHANGE.search(subject))
    subject = one_line(_CHANGE.sub(" ", subject)).rstrip("?.! ")
    asking = _ASKING.match(f"{subject} ")
    if asking and content_stems(subject[asking.end() :]):
        subject = subject[asking.end() :]
    words = _OURS.sub("", subject).removesuffix(" over time").split()
    while words and words[-1].casefold() in _LEFT_OPEN:
        words.pop()
    subject = " ".join(words).strip(" ,;:")
    return Topic(
        typed=typed,
        subject=subject if content_stems(subject) else typed,
        is_question=typed.endswith("?") or bool(_ASKED.match(typed)),
        is_change=is_change,
        date_from=period.first if period else None,
        date_to=period.last if period else None,
    )
