"""Find the labels of the things that a text is about: Class A, Bay 3, March, part-time, the chair. Pure."""

import re
from collections.abc import Mapping

from core.language.nlp.dates import MONTHS, WEEKDAYS
from core.language.nlp.written_numbers import ORDINALS, SMALL

_KINDS_OF_NOUNS = """annex appendix area article band bay block bucket building category chapter class clause cell
    column dock door exit floor form gate grade group hall hepatitis house item lane level line lot module option order
    package part phase plan platform pool priority question room row rule schedule section series shift site stage
    step table team terminal tier track type unit version vitamin ward zone"""
_MARK = r"(?:[A-Z]\d{0,3}|[IVX]{1,5}|\d{1,3}[A-Za-z]?)"
_LABEL = re.compile(
    rf"\b(?P<noun>{'|'.join(_KINDS_OF_NOUNS.split())})s?\s+(?P<value>{_MARK})\b(?:\s+(?:and|or|to)\s+(?P<other>{_MARK})\b)?",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"[.,/:-]?\w")
# No tens: "twenty-five" is a number.
_PAIRED = re.compile(
    r"\b(?P<value>part|full|short|long|on|off|high|low|medium|single|multi|pre|post|in|out|day|night|upper|lower|early"
    rf"|late|half|non|{'|'.join([*SMALL, *ORDINALS])})-(?P<noun>[a-z]{{3,}})\b",
    re.IGNORECASE,
)
_TIME = {
    "month": re.compile(
        r"\b(?:" + "|".join(name for name in MONTHS if name not in ("May", "March")) + r"|(?<=\w )May|(?<=\w )March)\b"
    ),
    "weekday": re.compile(r"\b(" + "|".join(WEEKDAYS) + r")s?\b"),
}
_ROLES = frozenset(
    """accountant administrator adviser applicant apprentice assistant auditor borrower buyer captain chair chairman
    chairperson clerk client commander contractor coordinator customer deputy director driver employee employer engineer
    guard guest inspector instructor intern investigator judge landlord lender manager mechanic nurse officer operator
    owner parent patient pilot president principal professor secretary seller sergeant steward student supervisor
    teacher technician tenant trainee treasurer trustee visitor volunteer warden""".split()  # noqa: SIM905
)
_WORD = re.compile(r"[A-Za-z]+")

Labels = Mapping[str, frozenset[str]]  # what identifies, by kind: {"class": {"a"}, "month": {"March"}}


def find_marks(text: str, *, whole: bool = False) -> list[tuple[str, str]]:
    """Find the things that a text distinguishes from others of their kind by a mark: ("class", "a").

    whole: leave out what is the beginning of a longer mark: the 3 of Section 3.2, the 5 of "level 5,000".
    """
    return [
        (match["noun"].casefold(), mark.casefold())
        for match in _LABEL.finditer(text)
        if not (_is_word(match["value"]) or (whole and _GOES_ON.match(text, match.end())))
        for mark in (match["value"], match["other"])
        if mark and not _is_word(mark)
    ]


def _is_word(mark: str) -> bool:
    """Return True if a mark in small letters is an article or another word: "line a", "Bay 3 and a guard"."""
    return mark.isalpha() and not mark.isupper()


def find_labels(text: str) -> dict[str, frozenset[str]]:
    """Find the labels of the things that a text is about, by kind."""
    found: dict[str, set[str]] = {}
    for kind, mark in find_marks(text):
        found.setdefault(kind, set()).add(mark)
    for match in _PAIRED.finditer(text):
        found.setdefault(f"-{match['noun'].casefold()}", set()).add(match["value"].casefold())
    for kind, pattern in _TIME.items():
        found.setdefault(kind, set()).update(match.group().removesuffix("s") for match in pattern.finditer(text))
    roles = {singular for word in _WORD.findall(text) if (singular := word.casefold().removesuffix("s")) in _ROLES}
    found.setdefault("role", set()).update(roles)
    return {kind: frozenset(values) for kind, values in found.items() if values}
