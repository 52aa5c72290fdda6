"""How many a clause speaks of: all, some, most, only; at least or at most a number. Pure."""

import re

_KINDS = {
    "all": r"\ball\b(?! of a sudden)|\bevery(?:one|body|thing)?\b|\balways\b|\bunanimous(?:ly)?\b|\bwithout exception\b"
    r"|\bentire(?:ly)?\b",
    "some": r"\bsome(?:times|one|body)?\b|\bseveral\b|\ba few\b|\bfew\b|\bcertain\b|\boccasionally\b"
    r"|\ba (?:number|couple) of\b|(?<!the )(?<!at )\bmost(?:ly)?\b(?= \w)|\b(?:the|a) majority of\b|\bmany\b|\boften\b"
    r"|\busually\b|\btypically\b|\bgenerally\b",
    "only": r"\b(?:only|solely|exclusively)\b",
}
_BOUNDS = {
    "at least": r"\b(?:at least|no (?:less|fewer) than|not (?:less|fewer) than|a minimum of|minimum of)\b",
    "at most": r"\b(?:at most|no more than|not more than|up to|a maximum of|maximum of|not (?:to )?exceed(?:ing)?)\b",
    "more than": r"\b(?:more than|greater than|in excess of|exceed(?:s|ed|ing)?|over(?= [\d$])|above(?= [\d$]))",
    "less than": r"\b(?:less than|fewer than|smaller than|under(?= [\d$])|below(?= [\d$]))",
    "or more": r"\bor (?:more|greater|above|higher|longer|later)\b",
    "or less": r"\bor (?:less|fewer|below|lower|shorter|under)\b",
}
_SAME = {"or more": "at least", "or less": "at most"}
_KIND_PATTERNS = {kind: re.compile(form, re.IGNORECASE) for kind, form in _KINDS.items()}
_BOUND_PATTERNS = {kind: re.compile(form, re.IGNORECASE) for kind, form in _BOUNDS.items()}
_NOT_ONLY = re.compile(r"\bnot only\b", re.IGNORECASE)
# What "some" and its kin speak of: "some participants", "several of the members", "most large firms".
_COUNTED = re.compile(
    r"\b(?:some|several|few|certain|most|many|majority of|number of|couple of)\s+(?:of\s+)?(?:the\s+|its\s+|their\s+)?"
    r"(?P<noun>[a-z]{3,})",
    re.IGNORECASE,
)
_WORD, _DIGIT = re.compile(r"\w+"), re.compile(r"\d")


def quantifiers(text: str) -> set[str]:
    """The kinds of quantifiers in a text."""
    text = _NOT_ONLY.sub(" ", text)
    return {kind for kind, pattern in _KIND_PATTERNS.items() if pattern.search(text)}


def bounds(text: str) -> set[str]:
    """The kinds of bounds in a text, of numbers."""
    return {_SAME.get(kind, kind) for kind, pattern in _BOUND_PATTERNS.items() if pattern.search(text)}


def changed(said: str, quoted: str) -> bool:
    """True when a clause says all, some, only, at least or the like where its source does not, or drops what counts.

    Dropping "some" counts where the clause keeps what it was said of; dropping a bound where it keeps a number.
    """
    if quantifiers(said) - quantifiers(quoted):
        return True
    if bounds(said) - bounds(quoted):
        return True
    if bounds(quoted) and not bounds(said) and _DIGIT.search(said) and _bounded_number(quoted) in said:
        return True
    if "some" in quantifiers(said):
        return False
    spoken_of = set(_WORD.findall(said.casefold()))
    return any(found["noun"].casefold() in spoken_of for found in _COUNTED.finditer(quoted))


def _bounded_number(quoted: str) -> str:
    """The first figure behind the first bound of a text, or before it for "or more"; a blank when there is none."""
    for kind, pattern in _BOUND_PATTERNS.items():
        bound = pattern.search(quoted)
        if bound:
            part = quoted[: bound.start()] if kind in _SAME else quoted[bound.end() :]
            numbers = re.findall(r"\d[\d,./-]*\d|\d", part)
            if numbers:
                return str(numbers[-1] if kind in _SAME else numbers[0])
    return "\0"
