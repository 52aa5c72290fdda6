"""Measure how many of a statement's content words its quotes have, in whichever form. Pure."""

from collections.abc import Sequence, Set
from functools import cache
from itertools import pairwise

from core.asking.verification import dates, numbers
from core.language.nlp.text import content_stems, stem

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
# Words that join, place and weigh what is said, beside those of core.language.nlp.text; and short forms, which are two
# of those.
_FUNCTION = frozenset(
    stem(word)
    for word in """across ago almost along already alongside among amongst amid around aside away behind beside besides
    beyond conclusion contrast currently despite due easily else entire entirely ever eventually fact hand he's here's
    i'd i'll i'm i've initially it'd it'll it's largely let's mainly mostly namely nearly next onto original
    originally per perhaps presence previously primarily quite rather regardless respectively she's slightly somehow
    somewhat still subsequently summary that's there's they'd they'll they're they've throughout together toward towards
    ultimately unlike upon versus via we'd we'll we're we've well what's whereas whether whilst who's whole within
    without word yet you'd you'll you're you've aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't
    mustn't needn't shouldn't wasn't weren't won't wouldn't""".split()  # noqa: SIM905
)
# Words that may replace each other wherever they are used: no pair that distinguishes things at work.
_ALIKE = """obtain get receive acquire|purchase buy bought|start begin began begun commence|help aid assist assistance
|verify check confirm|repair fix|employ use utilize|display show shown|customer client|company firm business
|choose select pick|error mistake|website site|picture image photo photograph|remove delete|change alter modify|build
construct built|crucial essential vital|quick fast rapid|car vehicle automobile|locate find found|demonstrate show shown
|keep retain|send submit sent|happen occur|method way technique procedure|illness disease sickness|annual year yearly
|monthly month|daily day|weekly week|roughly about approximately|connect link attach|safe secure|called named known
|physician doctor|film movie|worldwide global globally world|founded established|allow permit enable|various several
different many|frequently often|begin start|respond answer reply|incorrect wrong|correct right"""
_LEAST_LETTERS = 5  # that stems of one family share
_SHORT, _LONGEST_ENDING = 4, 3  # letters of a shorter stem that another only lengthens, and of what that adds


def list_told(text: str) -> list[str]:
    """List the stems of content words, hyphens undone, without numbers and dates, which are compared otherwise."""
    rest = dates.split_dates(text)[1]
    for number in reversed(numbers.find_numbers(rest)):
        rest = f"{rest[: number.start]} {rest[number.end :]}"
    return [part for word in content_stems(rest) for part in _split_parts(word)]


def list_known(text: str) -> set[str]:
    """List the stems of a text, with neighbours as one word.

    Among them is what a number leaves over: "aider" of "first-aider".
    """
    whole = content_stems(text)
    stems = [part for word in whole for part in _split_parts(word)]
    return {*whole, *stems, *list_told(text), *map("".join, pairwise(stems))}


def list_telling(said: Sequence[str]) -> list[str]:
    """Return the telling stems, each once: without words of grammar and of explaining."""
    return [word for word in dict.fromkeys(said) if _is_telling(word)]


def list_lacking(said: Sequence[str], have: Set[str]) -> list[str]:
    """Return the telling stems that are not among others, neither themselves nor their family nor one alike."""
    return _list_missing(list_telling(said), have)


@cache
def _read_alike() -> dict[str, frozenset[str]]:
    """Return the stems that may replace each stem."""
    found: dict[str, set[str]] = {}
    for line in _ALIKE.split("|"):
        stems = {stem(word) for word in line.split()}
        for one in stems:
            found.setdefault(one, set()).update(stems - {one})
    return {one: frozenset(others) for one, others in found.items()}


def measure_share(said: Sequence[str], have: Set[str]) -> float:
    """Return the share of stems that are among others, of a family with one or alike.

    General words count where all are.
    """
    counted = [word for word in said if _is_telling(word)] or list(said)
    if not counted:
        return 1.0
    missing = _list_missing(counted, have)
    return 1 - len(missing) / len(counted)


def _is_telling(word: str) -> bool:
    return word not in _GENERAL and word not in _FUNCTION


def _list_missing(counted: Sequence[str], have: Set[str]) -> list[str]:
    """Return the stems that are not among others, neither themselves nor their family nor one alike."""
    missing = [word for word in counted if word not in have]
    families = _Families(have) if missing else None
    return [
        word
        for word in missing
        if not (families and families.has(word)) and not any(other in have for other in _read_alike().get(word, ()))
    ]


class _Families:
    """Stems by their first letters: "divis" and "divid" are no family, "educ" and "educat" are."""

    def __init__(self, stems: Set[str]) -> None:
        self._by_start: dict[str, list[str]] = {}
        for one in stems:
            self._by_start.setdefault(one[:_SHORT], []).append(one)

    def has(self, word: str) -> bool:
        """Return True if a stem is of a family with one of these."""
        return any(_are_related(word, other) for other in self._by_start.get(word[:_SHORT], ()))


def _are_related(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < _SHORT or not shorter.isalpha():
        return False
    if longer.startswith(shorter) and len(longer) - len(shorter) <= _LONGEST_ENDING:
        return True
    common = max(_LEAST_LETTERS, len(shorter) - 1)
    return len(shorter) >= common and shorter[:common] == longer[:common]


def _split_parts(word: str) -> list[str]:
    return [stem(part) for part in word.split("-") if part] if "-" in word else [word]
