"""Words of which one says the opposite of the other, as stems. Pure."""

from collections.abc import Iterator

from core.language.nlp.text import stem

# Each line has two sides; a word of one side where the source has only words of the other turns its meaning round.
_SIDES = """
increase raise rise rose risen grow grew growth gain climb higher upward expand accelerate | decrease lower reduce reduction decline fall fell fallen drop cut shrink shrank downward contract decelerate
above over exceed | below under beneath
more greater | less fewer smaller
high | low
maximum highest | minimum lowest
before prior earlier preceding | after subsequent later following
allow permit permissible authorize entitle | prohibit forbid forbidden ban disallow bar
must shall mandatory obligatory compulsory | may might could optional voluntary
will certain definitely | might could possibly perhaps
accept approve agree support favor favour confirm endorse | reject refuse oppose against disagree deny dissent disapprove
open | close shut
start begin begun began commence | end stop cease finish
include | exclude omit
win won | lose lost
pass | fail
buy bought purchase | sell sold
strong stronger strengthen robust solid | weak weaker weaken
tighten | ease loosen
improve better best | worsen worse worst deteriorate
positive | negative
success successful succeed | failure unsuccessful fail
profit surplus | loss deficit
fast faster quick quicker | slow slower
long longer | short shorter
large larger big bigger | small smaller
early earlier | late later
hot warm | cold cool
left | right
north northern | south southern
east eastern | west western
inside internal indoor | outside external outdoor
public | private
true correct | false wrong incorrect
safe | dangerous unsafe hazardous
add | remove delete
grant | revoke withdraw
enable | disable
lock | unlock
present | absent
always | never
employer | employee
supervisor | subordinate
lender | borrower
easy easier simple | difficult hard harder
full | empty
weekday | weekend
day | night
morning | evening
male men | female women
import | export
asset | liability
first | last
hire | dismiss
arrive | depart leave
cause | prevent
"""  # noqa: E501 - a table


def _read_pairs() -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    for line in _SIDES.strip().splitlines():
        left, right = (frozenset(stem(word) for word in side.split()) for side in line.split("|"))
        yield left, right
        yield right, left


OPPOSITES = tuple(_read_pairs())
_PREFIXES = ("un", "dis", "non", "non-", "im", "il", "ir", "in")
_NO_OPPOSITES = frozenset(stem(w) for w in "income inform invest discover intend include insight intake import".split())  # noqa: SIM905
_LEAST_LETTERS = 4  # of a word that a prefix turns round


def are_turned_round(said: frozenset[str], quoted: frozenset[str]) -> bool:
    """True when a word said has its opposite, and not itself, among those quoted. Both as stems, function words too."""
    for side, other in OPPOSITES:
        if said & side and not quoted & side and quoted & other and not said & other:
            return True
    return any(_negates(word, said, quoted) for word in quoted) or any(_negates(word, quoted, said) for word in said)


def _negates(word: str, plain: frozenset[str], mine: frozenset[str]) -> bool:
    """True when a word of mine is the plain one's opposite by its prefix, and each side has only its own."""
    if word in _NO_OPPOSITES or word in plain:
        return False
    for prefix in _PREFIXES:
        base = word.removeprefix(prefix)
        if base != word and len(base) >= _LEAST_LETTERS and base in plain and base not in mine:
            return True
    return False
