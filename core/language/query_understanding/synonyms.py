"""Words and phrases that mean about the same in the papers of an organisation. Pure.

Each line is a group. A word of it stands for every other word; a phrase does too, and nothing stands for a phrase; a
word behind "+" is one that others stand for, and which itself has too many meanings. Words behind "~" are kinds of what
the others mean: a passage about one is found for another, and no question about one is read as about another. Only
words that people use for one another at work: a false friend costs an answer, a missing one costs a rank.

With them `reword` says a question in the words of a passage.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

from core.language.nlp.dates import reword_dates
from core.language.nlp.seasons import reword_season
from core.language.nlp.text import content_stems, span_words, stem, words_of
from core.language.query_understanding.dates import drop_period

_GROUPS = """
vacation | holiday | +leave | annual leave | paid leave | time off | days off | pto
sick | ill | illness | sickness | unwell | ~fever | ~sick day | ~sick note
doctor | physician | gp
child | kid | ~son | ~daughter
parental | ~maternity | ~paternity | baby leave
relative | ~parent | ~mother | ~father | family member
probation | trial period | probationary period
employee | staff | worker | personnel
boss | supervisor | manager | line manager
personnel | hr | human resources
hire | recruit | new joiner
resign | quit | +notice
salary | wage | remuneration | +pay
payslip | pay slip
overtime | extra hours
home office | remote work | work from home | telework | +remote | +home
part-time | part-timer | part-timers
full-time | full-timer | full-timers
appraisal | +performance | performance talk | performance review | pay review
training | course
weekend | ~saturday | ~sunday
request | apply | application | ask for
approve | permit | permission | authorise | authorisation | allow | approval
forbidden | prohibited | banned | +allowed
roll over | carry over | next year | +carried
expense | reimbursement | refund | money back | +claims
reimburse | refund | pay back
receipt | invoice | proof of purchase
allowance | per diem | daily rate
meal | food | ~lunch | ~dinner | ~breakfast
hotel | accommodation | lodging | overnight stay
plane | aeroplane | airplane | flight
railway | rail | +train
car | vehicle | automobile
mileage | kilometre | kilometer
trip | journey | travel
litre | liter
metre | meter
centre | center
phone | telephone | phone number | hotline | +extension
mail | email | e-mail
password | passcode
badge | +card | key card | id card
lift | elevator
building | premises
parking | car park
canteen | cafeteria
opening hours | opening times | +open
goggles | eye protection | safety glasses
gloves | hand protection
ear protection | ear plugs | +hearing
helmet | hard hat
protective equipment | ppe | protective clothing | +protection
toxic | poisonous | poison
flammable | inflammable | combustible
corrosive | ~acid | ~caustic
chemical | substance
eye-wash | eyewash | eye wash
rinse | flush
spill | spilled | spilt | leak
injury | injured | hurt
accident | incident | mishap
near miss | close call
evacuate | evacuation | leave the building
assembly point | meeting point | muster point | where to meet | where do we meet | +assembly
siren | fire alarm | +alarm
machine | device
lock-out | lockout | lock out | locking out | +lock
label | tag | sticker
container | ~bottle | ~vessel
cupboard | cabinet
noise | loud | noisy | +decibels
check | inspect | inspection | +test
repair | mend
storage | store | stored
retention | retain | how long are | +kept
deadline | due date | latest date
begin | start | commence
buy | purchase
supplier | vendor
customer | client
contract | agreement
maximum | limit | cap | at most
minimum | at least
percentage | percent | proportion | per cent | +share
increase | rise | raise | go up
decrease | fall | drop | reduce | go down
unemployment | jobless | unemployed | out of work
interest rate | lending rate | policy rate | key rate | base rate | +lending
forecast | projection | outlook | +expects
dissent | voted against | voted no | vote no | +against
decision | decide | decided
author | wrote | written by
article | paper | study
drawback | downside | disadvantage | weakness
advantage | benefit | upside
definition | stand for | abbreviation
chair | chairman | chairwoman | chairperson
anniversary | jubilee
luggage | baggage | ~bag
wifi | wi-fi | wireless internet
cancel | call off | cancellation
complaint | grievance
burglary | break-in | burglar | thief
power cut | power failure | power fails | outage | electricity goes out
voted for | in favour | voted in favour
income | earnings | takings | proceeds
christmas | xmas
""".strip()

_MARKS = "+~"
MOST_WORDS = 4  # of a phrase

_COUNTED = ("how", stem("many"))  # what is counted may be measured: "28 days of annual leave"


@dataclass(frozen=True, kw_only=True, slots=True)
class Alternative:
    """Holds a word or phrase that may be said in place of another."""

    text: str
    stems: tuple[str, ...]
    is_kind: bool  # of what the others of its group mean


def list_alternatives(phrase: Sequence[str]) -> tuple[Alternative, ...]:
    """Return what may be said in place of a word or phrase, given as stems, the longest first.

    Not a phrase with a word fewer, which says less: an alarm is no fire alarm.
    """
    return _read_alternatives().get(tuple(phrase), ())


def list_synonyms(text: str) -> set[str]:
    """List the stems that mean about the same as any word of a text."""
    return set(chain.from_iterable(find_synonyms(text).values()))


def find_synonyms(text: str) -> dict[str, tuple[str, ...]]:
    """For each stem of the text that others stand for, those stems, in the order of the text.

    The words of a phrase that is named ("time off") all stand for what means the same as the phrase.
    """
    stems = [stem(word) for word in words_of(text)]
    content = set(content_stems(text))
    found: dict[str, set[str]] = {}
    for length in range(MOST_WORDS, 0, -1):
        for start in range(len(stems) - length + 1):
            phrase = tuple(stems[start : start + length])
            for others in _read_groups().get(phrase, ()):
                for word in content.intersection(phrase):
                    found.setdefault(word, set()).update(others - content)
    return {word: tuple(sorted(found[word])) for word in content_stems(text) if found.get(word)}


@cache
def _read_groups() -> dict[tuple[str, ...], tuple[frozenset[str], ...]]:
    """For each word or phrase, as stems, the stems of its groups' words but its own."""
    found: dict[tuple[str, ...], list[frozenset[str]]] = {}
    for one, group in _list_askable():
        words = frozenset(other.stems[0] for other in group if len(other.stems) == 1)
        found.setdefault(one.stems, []).append(words - set(one.stems))
    return {key: tuple(groups) for key, groups in found.items()}


@cache
def _read_alternatives() -> dict[tuple[str, ...], tuple[Alternative, ...]]:
    """Return for each word or phrase, as stems, what may be said in its place, the longest first."""
    found: dict[tuple[str, ...], list[Alternative]] = {}
    for one, group in _list_askable():
        found.setdefault(one.stems, []).extend(
            other for other in group if not set(other.stems) <= set(one.stems) and not (one.is_kind and other.is_kind)
        )
    return {key: tuple(sorted(others, key=lambda one: -len(one.stems))) for key, others in found.items()}


def _list_askable() -> Iterator[tuple[Alternative, list[Alternative]]]:
    """Yield each word or phrase that others may take the place of, with its group."""
    for line in _GROUPS.splitlines():
        entries = line.split(" | ")
        texts = [entry.lstrip(_MARKS) for entry in entries]
        group = [
            Alternative(text=text, stems=tuple(map(stem, words_of(text))), is_kind=entry.startswith("~"))
            for text, entry in zip(texts, entries, strict=True)
        ]
        yield from ((one, group) for one, entry in zip(group, entries, strict=True) if not entry.startswith("+"))


def reword_times(question: str, text: str, *, heading: str = "") -> str:
    """Return a question with its times as a text has them.

    A time of the year is said by the text's months (`core.language.nlp.seasons`), a day in the text's figures, and a
    part of a year is left out where the text's heading has a date in it.
    """
    return drop_period(reword_dates(reword_season(question, text), text), heading)


def reword(question: str, text: str, *, heading: str = "") -> str:
    """Return a question with what the text says otherwise in the text's words: "holidays", where it has "annual leave".

    A word or phrase that the text has stays, and so does one for which the text has none of the same meaning. Times are
    said as the text says them.
    """
    question = reword_times(question, text, heading=heading)
    words, held = span_words(question), span_words(text)
    stems = [stem(question[start:end]) for start, end in words]
    held_stems = [stem(text[start:end]) for start, end in held]
    said, behind = "", 0
    for first, last, other, places in _list_replaced(stems, held_stems):
        said += question[behind : words[first][0]]
        if tuple(stems[first - 2 : first]) == _COUNTED:
            measures = [held[at - 2] for at in places if at >= 2 and held_stems[at - 1] == "of"]
            measure = text[slice(*measures[0])] if measures else ""
            said += f"{measure} of " if measure and stem(measure) not in stems else ""
        said += other
        behind = words[last][1]
    return said + question[behind:]


def _list_replaced(stems: Sequence[str], held: Sequence[str]) -> Iterator[tuple[int, int, str, list[int]]]:
    """Yield the first and last word of each phrase that is replaced, by what, and where the text has that, in order."""
    first = 0
    while first < len(stems):
        for length in range(min(MOST_WORDS, len(stems) - first), 0, -1):
            phrase = tuple(stems[first : first + length])
            if alternatives := list_alternatives(phrase):
                break
        else:
            first += 1
            continue
        if not _find_phrase(phrase, held):
            found = ((one.text, _find_phrase(one.stems, held)) for one in alternatives)
            other, places = next(((text, places) for text, places in found if places), ("", []))
            if other:
                yield first, first + length - 1, other, places
        first += length


def _find_phrase(phrase: Sequence[str], held: Sequence[str]) -> list[int]:
    """Return at which words of a text those of a phrase begin, side by side."""
    places = range(len(held) - len(phrase) + 1)
    return [at for at in places if tuple(held[at : at + len(phrase)]) == tuple(phrase)]
