"""Whether a statement speaks of the same one as its source: of Class A, not of Class C; of March; of the chair. Pure.

What identifies a thing has to stand in the sentence, list item or table row that says the rest, or in what stands above
that and names it. Elsewhere in the passage it is another thing's.
"""

import re
from collections.abc import Mapping, Sequence

from core.citations.clauses import clauses
from core.citations.names import named
from core.citations.units import Unit
from core.text import MONTHS, content_stems, stem, words_of

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
LEAST_BESIDE = 2  # words beside a name that tell which sentence is meant
_FIGURE_COUNTS = 3  # as many words: a number tells best which sentence is meant

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


def is_of_another(statement: str, units: Sequence[Unit]) -> bool:
    """True when what a statement says stands where the source speaks of another one than the statement does."""
    if not labels(statement):
        return False
    read = [(set(content_stems(f"{unit.text} {unit.lead}")), _labels_of(unit)) for unit in units]
    for clause in clauses(statement):
        mine = labels(clause.text)
        words = clause.stems - {stem(value) for values in mine.values() for value in values}
        scored = [(sum(_weight(word) for word in words & theirs), found) for theirs, found in read]
        best = max((score for score, _ in scored), default=0)
        if best and not any(_agree(mine, found) for score, found in scored if score == best):
            return True
    return False


def _agree(mine: Labels, theirs: Labels) -> bool:
    """Whether nothing identifies another one; what does not say which it is may be this one."""
    return all(not theirs.get(kind) or theirs[kind] & values for kind, values in mine.items())


def names_another(statement: str, units: Sequence[Unit]) -> bool:
    """True when a name stands in the place of another: what says the rest has a name of its own and lacks this one."""
    for clause in clauses(statement):
        mine = list(named(clause.text))
        stems = {stem(word) for run in mine for word in run}
        words = set(content_stems(clause.text)) - stems
        scored = [(len(words & set(content_stems(unit.text))), unit) for unit in units]
        best = max((score for score, _ in scored), default=0)
        leading = [unit for score, unit in scored if score == best]
        for run in mine if 2 * best >= len(words) and best >= LEAST_BESIDE else ():
            if all(_names_others(unit, run, statement) for unit in leading):
                return True
    return False


def _names_others(unit: Unit, run: Sequence[str], statement: str) -> bool:
    have = {stem(word) for text in (unit.text, *unit.above) for word in words_of(text)}
    if any(stem(word) in have for word in run):
        return False
    said = {stem(word) for word in words_of(statement)}
    return any(not any(stem(word) in said for word in other) for other in named(unit.text))


def _labels_of(unit: Unit) -> Labels:
    """What identifies a unit's subject: its own words, else the nearest above it that have any of the kind."""
    found: dict[str, frozenset[str]] = {}
    for text in (unit.text, *unit.above):
        for kind, values in labels(text).items():
            found.setdefault(kind, values)
    return found


def _weight(word: str) -> int:
    return _FIGURE_COUNTS if word[0].isdigit() else 1
