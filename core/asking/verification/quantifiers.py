"""Compare the quantifiers of a clause with its source: all, some, only; at least or at most a number. Pure."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from core.asking.verification import numbers
from core.asking.verification.clauses import Clause
from core.language.nlp.text import content_stems
from core.language.nlp.written_numbers import CARDINALS

# "All three members" are as many as they are; "all tenants" are all.
_STRONG = {
    "all": rf"\ball\b(?! of a sudden|\W+(?:the )?(?:\d|(?:{'|'.join(CARDINALS)})\b))"
    r"|\bevery(?:one|body|thing)?\b|\balways\b|\bunanimous(?:ly)?\b|\bwithout exception\b|\bentire(?:ly)?\b",
    "only": r"\b(?:only|solely|exclusively)\b",
}
# What says as much in the source.
_AS_MUCH = {
    "all": _STRONG["all"]
    + r"|\b(?:each|both|any(?:one|body|thing)?|whole|throughout|fully|regardless|whenever|constantly"
    r"|continuous(?:ly)?|all)\b",
    "only": _STRONG["only"] + r"|\b(?:sole|just|but not|nothing but|mere(?:ly)?|except|unless|limited to|restricted to"
    r"|alone|single|unique)\b",
}
_STRONG_PATTERNS = {kind: re.compile(form, re.IGNORECASE) for kind, form in _STRONG.items()}
_AS_MUCH_PATTERNS = {kind: re.compile(form, re.IGNORECASE) for kind, form in _AS_MUCH.items()}
_NOT_ALL = re.compile(r"\bnot (?:only|all|every|always|entirely|just)\b", re.IGNORECASE)
# "Some participants", "several of the members": who drops it from a sentence says it of all.
_PART = re.compile(
    r"\b(?:some|several|few|a minority of|most)\s+(?:of\s+)?(?:the\s+|its\s+|their\s+)?(?P<noun>[a-z]{3,})",
    re.IGNORECASE,
)
# "The participants" are those just spoken of, "other participants" are some.
_DEFINITE = frozenset({"the", "these", "those", "this", "its", "other"})
_HEDGED = re.compile(
    r"\b(?:some(?:times)?|several|few|certain|many|most(?:ly)?|often|usually|typically|generally|various|a number"
    r"|may|might|can|could|tend(?:s)? to|likely|such as|examples?|in part|partly|among)\b",
    re.IGNORECASE,
)
_BOUNDS_BEFORE = {
    "at least": r"at least|no (?:less|fewer) than|not (?:less|fewer) than|minimum(?: of)?|starting at",
    "at most": r"at most|no more than|not more than|up to|as (?:many|much) as|maximum(?: of)?"
    r"|not (?:to )?exceed(?:ing)?|limited? (?:of|to)|within",
    "more than": r"(?:more|greater|larger|higher|longer) than|in excess of|exceed(?:s|ed|ing)?|over|above",
    "less than": r"(?:less|fewer|smaller|lower|shorter) than|under|below",
}
_BOUNDS_AFTER = {
    "at least": r",? or (?:more|greater|above|higher|longer|later|older|over)|\+| and (?:above|over|up)| minimum",
    "at most": r",? or (?:less|fewer|below|lower|shorter|under)| maximum| and (?:under|below)",
}
_BEFORE = {
    kind: re.compile(rf"\b(?:{form})(?: \w+){{0,1}}\s*[$€£(]?\Z", re.IGNORECASE)
    for kind, form in _BOUNDS_BEFORE.items()
}
_AFTER = {kind: re.compile(rf"(?:\s?[a-z]{{1,20}}+)?(?:{form})", re.IGNORECASE) for kind, form in _BOUNDS_AFTER.items()}
_LOOKED_AT = 30  # characters before a number in which its bound is looked for
_LIKE = {"more than": "at least", "less than": "at most"}  # what nearly says the same in other words
_RANGE = "end of a range"  # says as much as a bound of one side, or none
_RANGE_AFTER = re.compile(r"\s*(?:to|-|–|and)\s*[$€£]?\d", re.IGNORECASE)
_RANGE_BEFORE = re.compile(r"\d\S{0,8}\s*(?:to|-|–|and)\s*[$€£]?\Z", re.IGNORECASE)

Bounded = tuple[Fraction | str, str]  # a number and the kind of its bound, empty where it has none


def says_more(said: Clause, nearest: Sequence[Clause], around: Sequence[Clause]) -> bool:
    """Return True if a clause says all, only, at least or the like where its source does not, or drops what bounds it.

    nearest: the clauses of the source that it is about. around: the sentences of the source that are quoted from.
    """
    return (
        _is_stronger(said, nearest, around)
        or _drops_part(said, nearest)
        or _is_bounded_otherwise(said.text, [sentence.text for sentence in around])
    )


def _is_stronger(said: Clause, nearest: Sequence[Clause], around: Sequence[Clause]) -> bool:
    text = _NOT_ALL.sub(" ", said.text)
    for kind, pattern in _STRONG_PATTERNS.items():
        found = pattern.search(text)
        if not found or any(_AS_MUCH_PATTERNS[kind].search(part.text) for part in nearest):
            continue
        spoken_of = set(content_stems(text[found.end() :])[:2])
        if not any(spoken_of & part.stems and _AS_MUCH_PATTERNS[kind].search(part.text) for part in around):
            return True
    return False


def _drops_part(said: Clause, nearest: Sequence[Clause]) -> bool:
    """Return True if a clause claims of all what its source says of some. "The" or a number means other ones."""
    if _HEDGED.search(said.text):
        return False
    parts = {found["noun"].casefold() for clause in nearest for found in _PART.finditer(clause.text)}
    before = ("", *said.words)
    return any(
        word in parts and previous not in _DEFINITE and not previous.isdigit()
        for previous, word in zip(before, said.words, strict=False)
    )


def _is_bounded_otherwise(said: str, around: Sequence[str]) -> bool:
    theirs = [one for text in around for one in find_bounded(text)]
    for value, bound in find_bounded(said):
        same = {kind for other, kind in theirs if other == value}
        if same and _RANGE not in same and not {bound if bound != _RANGE else "", _LIKE.get(bound)} & same:
            return True
    return False


def find_bounded(text: str) -> Iterator[Bounded]:
    """Yield the numbers of a text, each with its bound."""
    plain = numbers.write_plain_fractions(text)
    for number in numbers.find_numbers(plain):
        if isinstance(number.value, str):
            continue
        before, after = plain[max(0, number.start - _LOOKED_AT) : number.start], plain[number.end :]
        kind = next((kind for kind, form in _BEFORE.items() if form.search(before)), "") or next(
            (kind for kind, form in _AFTER.items() if form.match(after)), ""
        )
        if not kind and (_RANGE_AFTER.match(after) or _RANGE_BEFORE.search(before)):
            kind = _RANGE
        yield number.value, kind
