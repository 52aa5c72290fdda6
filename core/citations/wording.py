"""How many of a statement's words its quotes hold, in whichever form: what tells something counts. Pure."""

from collections.abc import Sequence, Set
from itertools import pairwise

from core.citations import dates, figures
from core.text import content_stems, stem

# Words of explaining, which a writer adds to what a source says without saying more than it.
_GENERAL = frozenset(
    stem(word)
    for word in """able accord achieve action actual addition additional additionally allow also alternative
    alternatively another answer approach appropriate aspect associate available avoid base based basic become begin
    cause certain choose clear come common commonly concern consider consist contain context contribute create decide
    depend describe detail determine develop different difference difficult directly effect effective either ensure
    especially etc even event example exist expect experience factor feature final finally find follow following
    frequent further furthermore general generally get give good have help hence however identify impact important
    importance include including increase indicate individual information instance instead involve issue item keep kind
    know known lead least likely list main make manner many mean mention method moreover need note number occur often
    one option order overall particular particularly passage people perform person place point possible potential
    potentially prevent process produce provide purpose range recommend reduce refer related relevant require result
    role see series serve several show significant significantly similar simply situation source specific specifically
    state step suggest sure take term text thing therefore thus try type typical typically understand use used useful
    usually variety various vary want way work yes afterward meanwhile""".split()  # noqa: SIM905 - a list of so many strings would be harder to read
)
_LEAST_LETTERS = 5  # that stems of one family share
_SHORT, _LONGEST_ENDING = 4, 3  # letters of a shorter stem that another only lengthens, and of what that adds


def told(text: str) -> list[str]:
    """The stems of the content words, hyphens undone, without figures and dates, which are compared otherwise."""
    rest = dates.dates(text)[1]
    for figure in reversed(figures.figures(rest)):
        rest = f"{rest[: figure.start]} {rest[figure.end :]}"
    return [part for word in content_stems(rest) for part in _parts(word)]


def known(text: str) -> set[str]:
    """All stems of a text, those that a figure leaves over ("aider" of "first-aider"), and neighbours as one word."""
    whole = content_stems(text)
    stems = [part for word in whole for part in _parts(word)]
    return {*whole, *stems, *told(text), *map("".join, pairwise(stems))}


def share(said: Sequence[str], have: Set[str]) -> float:
    """The share of stems that are among others or of a family with one; general words count only where all are."""
    counted = [word for word in said if word not in _GENERAL] or list(said)
    if not counted:
        return 1.0
    missing = [word for word in counted if word not in have]
    related = _Families(have) if missing else None
    return 1 - sum(not (related and related.has(word)) for word in missing) / len(counted)


class _Families:
    """Stems by their first letters: "divis" and "divid" are no family, "educ" and "educat" are."""

    def __init__(self, stems: Set[str]) -> None:
        self._by_start: dict[str, list[str]] = {}
        for one in stems:
            self._by_start.setdefault(one[:_SHORT], []).append(one)

    def has(self, word: str) -> bool:
        """Whether a stem is of a family with one of these."""
        return any(_are_related(word, other) for other in self._by_start.get(word[:_SHORT], ()))


def _are_related(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < _SHORT or not shorter.isalpha():
        return False
    if longer.startswith(shorter) and len(longer) - len(shorter) <= _LONGEST_ENDING:
        return True
    common = max(_LEAST_LETTERS, len(shorter) - 1)
    return len(shorter) >= common and shorter[:common] == longer[:common]


def _parts(word: str) -> list[str]:
    return [stem(part) for part in word.split("-") if part] if "-" in word else [word]
