"""True statements made untrue, one way each: the changes that a check of statements has to see."""

import random
import re
from collections.abc import Callable, Mapping

from core.asking.verification.names import find_names
from core.language.nlp.text import MONTHS

_NUMBER = re.compile(
    r"(?<![\w.,:/$-])\$?\d{1,3}(?:,\d{3})+(?![\w,-])|(?<![\w.,:/-])\d{1,4}(?:\.\d+)?(?![\w:/-]|[.,]\d)"
)
_YEAR = re.compile(r"(?<![\w.,$-])(?:1[6-9]|20)\d\d(?![\w,.-]?\d)")
_MONTH = re.compile(r"\b(?:" + "|".join(name for name in MONTHS if name not in ("May", "March")) + r")\b")
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|can|will|may|should|must|could|has been|have been)\b(?! (?:not|also|merely|only)\b)"
)
_NOT = re.compile(r"\b(is|are|was|were|can|will|may|should|must|could|do|does|did) not\b|\bcannot\b")
_STRONGER = {
    "some": "all", "many": "all", "most": "all", "several": "all", "often": "always", "usually": "always",
    "sometimes": "always", "typically": "always", "generally": "always", "at least": "at most", "at most": "at least",
    "more than": "less than", "less than": "more than", "up to": "at least",
}  # fmt: skip
_QUANTIFIER = re.compile(r"\b(?:" + "|".join(_STRONGER) + r")\b(?! of the time)", re.IGNORECASE)
_WEAK_MODAL = re.compile(r"\b(?:may|might|can|could|should)\b(?! not| be the)")
_CONDITION = re.compile(r"\b(?:if|unless|provided that|as long as|except|only if|only when)\b", re.IGNORECASE)
_LEADING_CONDITION = re.compile(r"\A(?:If|Unless|As long as)\b[^,]{5,200},\s*")
_TRAILING_CONDITION = re.compile(
    r",?\s(?:if|unless|provided that|as long as|except|only if|only when)\s[^,;]{5,200}(?=\.?\Z)"
)
_FOREIGN = ("Fischbacher", "Okonjo", "Varga Holm", "Ladoga Institute", "Teskey", "Brenthurst")

Change = Callable[[str, str, random.Random], str | None]


def corruptions(statement: str, source: str, chance: random.Random) -> dict[str, str]:
    """A statement changed in each way that it lends itself to, by kind. source: the passages that it rests on."""
    changed = {kind: change(statement, source, chance) for kind, change in KINDS.items()}
    return {kind: text for kind, text in changed.items() if text and text != statement}


def _number(statement: str, source: str, chance: random.Random) -> str | None:
    found = _chosen(_NUMBER, statement, chance)
    if not found:
        return None
    digits = re.sub(r"[^\d.]", "", found.group())
    others = [f"{float(digits) * factor + more:.0f}" for factor, more in ((1, 3), (2, 1), (3, 4), (1, 17))]
    return _put(statement, found, next((other for other in others if not _stands(other, source)), None))


def _number_of_the_passage(statement: str, source: str, chance: random.Random) -> str | None:
    found = _chosen(_NUMBER, statement, chance)
    others = sorted({other for other in _NUMBER.findall(source) if not _stands(other, statement)})
    return _put(statement, found, chance.choice(others)) if found and others else None


def _year(statement: str, source: str, chance: random.Random) -> str | None:
    found = _chosen(_YEAR, statement, chance)
    if not found:
        return None
    others = [str(int(found.group()) + more) for more in (-7, -3, 2, 5)]
    return _put(statement, found, next((other for other in others if not _stands(other, source)), None))


def _month(statement: str, source: str, chance: random.Random) -> str | None:
    found = _chosen(_MONTH, statement, chance)
    others = [name for name in MONTHS if name not in source and name not in ("May", "March")]
    return _put(statement, found, chance.choice(others)) if found and others else None


def _negation(statement: str, source: str, chance: random.Random) -> str | None:
    del source, chance
    denied = _NOT.search(statement)
    if denied:
        return _put(statement, denied, denied.group(1) or "can")
    found = _AUXILIARY.search(statement)
    return _put(statement, found, f"{found.group()} not") if found else None


def _only(statement: str, source: str, chance: random.Random) -> str | None:
    found = _AUXILIARY.search(statement)
    if not found or re.search(r"\b(?:only|always)\b", f"{statement} {source}"):
        return None
    return _put(statement, found, f"{found.group()} {chance.choice(('only', 'always'))}")


def _quantifier(statement: str, source: str, chance: random.Random) -> str | None:
    del source
    found = _chosen(_QUANTIFIER, statement, chance)
    return _put(statement, found, _STRONGER[found.group().casefold()]) if found else None


def _foreign_name(statement: str, source: str, chance: random.Random) -> str | None:
    found = _inner_names(statement)
    return statement.replace(chance.choice(found), _other(_FOREIGN, source, chance)) if found else None


def _name_of_the_passage(statement: str, source: str, chance: random.Random) -> str | None:
    found = _inner_names(statement)
    others = [name for name in _inner_names(source) if name.casefold() not in statement.casefold()]
    return statement.replace(chance.choice(found), chance.choice(others)) if found and others else None


def _names_swapped(statement: str, source: str, chance: random.Random) -> str | None:
    del source
    found = _inner_names(statement)
    return _swapped(statement, *chance.sample(found, 2)) if len(found) > 1 else None


def _numbers_swapped(statement: str, source: str, chance: random.Random) -> str | None:
    del source
    found = list(dict.fromkeys(_NUMBER.findall(statement)))
    return _swapped(statement, *chance.sample(found, 2)) if len(found) > 1 else None


def _condition_removed(statement: str, source: str, chance: random.Random) -> str | None:
    del chance
    if not _CONDITION.search(source):
        return None
    for form in (_LEADING_CONDITION, _TRAILING_CONDITION):
        rest = form.sub("", statement)
        if rest != statement and len(rest.split()) >= 4:
            return rest[0].upper() + rest[1:]
    return None


def _must(statement: str, source: str, chance: random.Random) -> str | None:
    del source
    found = _chosen(_WEAK_MODAL, statement, chance)
    return _put(statement, found, "must") if found else None


KINDS: Mapping[str, Change] = {
    "number": _number,
    "number of the same passage": _number_of_the_passage,
    "year": _year,
    "month": _month,
    "negation": _negation,
    "only or always put in": _only,
    "quantifier": _quantifier,
    "foreign name": _foreign_name,
    "name of the same passage": _name_of_the_passage,
    "two names swapped": _names_swapped,
    "two numbers swapped": _numbers_swapped,
    "condition removed": _condition_removed,
    "may to must": _must,
}


def _chosen(form: re.Pattern[str], text: str, chance: random.Random) -> re.Match[str] | None:
    found = list(form.finditer(text))
    return chance.choice(found) if found else None


def _put(text: str, found: re.Match[str] | None, other: str | None) -> str | None:
    return text[: found.start()] + other + text[found.end() :] if found and other else None


def _stands(number: str, text: str) -> bool:
    return bool(re.search(rf"(?<!\d){re.escape(number)}(?!\d)", text))


def _other(names: tuple[str, ...], source: str, chance: random.Random) -> str:
    return chance.choice([name for name in names if name not in source])


def _inner_names(text: str) -> list[str]:
    """The names of a text that do not stand at its beginning, as they are written."""
    runs = (" ".join(run) for run in find_names(text))
    return [run for run in dict.fromkeys(runs) if len(run) > 2 and text.find(run) > 0]


def _swapped(text: str, one: str, other: str) -> str | None:
    if one in other or other in one:
        return None
    return text.replace(one, "\0").replace(other, one).replace("\0", other)
