"""What identifies the things that a text speaks of: Class A, Bay 3, March, part-time, the chair. Pure."""

import re
from collections.abc import Mapping

from core.dates import MONTHS

_KINDS_OF_NOUNS = """annex appendix area article band bay block bucket building category chapter class clause cell
    column dock door exit floor form gate grade group hall hepatitis house item lane level line lot module option order
    package part phase plan platform pool priority question room row rule schedule section series shift site stage
    step table team terminal tier track type unit version vitamin ward zone"""
_LABEL = re.compile(
    r"\b(?P<noun>(?:"
    + "|".join(_KINDS_OF_NOUNS.split())
    + r"))s?\s+(?P<value>[A-Z]\d{0,3}|[IVX]{1,4}|\d{1,3}[A-Za-z]?)\b"
    r"(?:\s+(?:and|or|to)\s+(?P<other>[A-Z]\d{0,3}|[IVX]{1,4}|\d{1,3}[A-Za-z]?)\b)?",
    re.IGNORECASE,
)
_PAIRED = re.compile(
    r"\b(?P<value>part|full|short|long|first|second|third|on|off|high|low|medium|single|multi|pre|post|in|out|day|night"
    r"|upper|lower|early|late|half|two|three|four|non)-(?P<noun>[a-z]{3,})\b",
    re.IGNORECASE,
)
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()  # noqa: SIM905 - a list of names
_TIME = {
    "month": re.compile(
        r"\b(?:" + "|".join(name for name in MONTHS if name not in ("May", "March")) + r"|(?<=\w )May|(?<=\w )March)\b"
    ),
    "weekday": re.compile(r"\b(" + "|".join(_DAYS) + r")s?\b"),
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


def labels(text: str) -> dict[str, frozenset[str]]:
    """What identifies the things that a text speaks of."""
    found: dict[str, set[str]] = {}
    for match in _LABEL.finditer(text):
        if match["value"].isalpha() and not match["value"].isupper():
            continue  # "line a": an article
        values = {value.casefold() for value in (match["value"], match["other"]) if value}
        found.setdefault(match["noun"].casefold(), set()).update(values)
    for match in _PAIRED.finditer(text):
        found.setdefault(f"-{match['noun'].casefold()}", set()).add(match["value"].casefold())
    for kind, pattern in _TIME.items():
        found.setdefault(kind, set()).update(match.group().removesuffix("s") for match in pattern.finditer(text))
    roles = {singular for word in _WORD.findall(text) if (singular := word.casefold().removesuffix("s")) in _ROLES}
    found.setdefault("role", set()).update(roles)
    return {kind: frozenset(values) for kind, values in found.items() if values}
