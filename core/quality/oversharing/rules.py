"""Find passages whose words look confidential, by topic: about particular people or plans, not about rules. Pure.

A passage counts where words of a topic come together with what makes them particular: a person with an amount, a
diagnosis, a warning; a plan that is not announced; a bank number that passes its check. Words that speak of everybody
count against it: policies, handbooks, advertisements, published papers. The points are added up as the logit of a
probability; they were chosen on the build half of evaluation/oversharing.jsonl (docs/evaluation.md has the figures).
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.language.nlp.text import prose_sentences
from core.quality.oversharing.vocabulary import (
    ABOUT_ONE,
    AMOUNT,
    DAY,
    FOR_EVERYBODY,
    FOR_EVERYBODY_TITLE,
    IBAN,
    ID_NUMBER,
    NAMES_TOPIC,
    NOBODY,
    NOT_FOR_ALL,
    PERSON,
    STRONG_MARK,
)
from core.values.oversharing import Topic

VERSION = "1"  # other rules look through every document again

_MOST_COUNTED = 4  # of words of one kind in a passage
_LONGEST_PLACE = 300  # characters


@dataclass(frozen=True, slots=True)
class PassageText:
    """Holds a passage as it is looked through."""

    heading: str  # of the document and its sections
    text: str  # secrets masked


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Holds a place whose words look confidential: passages[passage].text[start:end]."""

    topic: Topic
    passage: int
    start: int
    end: int
    strength: float  # 0..1


@dataclass(frozen=True, kw_only=True, slots=True)
class Signs:
    """Counts what a passage holds besides the words of a topic."""

    people: int  # different names
    speaks_of_one: bool  # by a pronoun
    amounts: int
    days: int
    numbers: int  # of identity papers and bank accounts
    not_for_all: int
    not_for_all_elsewhere: int  # in the rest of the document
    for_everybody: int
    is_titled_for_everybody: bool


def find_places(passages: Sequence[PassageText]) -> list[Place]:
    """Find the places of a document whose words look confidential, each with how sure that is by the rules."""
    hidden = [len(set(_list_words(NOT_FOR_ALL, passage.text))) for passage in passages]
    found = []
    for number, passage in enumerate(passages):
        signs = read_signs(passage, elsewhere=sum(hidden) - hidden[number])
        found += [*_find_in(number, passage.text, signs)]
    return found


def read_signs(passage: PassageText, *, elsewhere: int) -> Signs:
    """Count the signs of a passage. elsewhere: words of the rest of the document that say that not all may know."""
    text = passage.text
    return Signs(
        people=min(_MOST_COUNTED, len({match for match in _list_words(PERSON, text) if _is_person(match)})),
        speaks_of_one=bool(ABOUT_ONE.search(text)),
        amounts=min(_MOST_COUNTED, len(_list_words(AMOUNT, text))),
        days=min(_MOST_COUNTED, len(_list_words(DAY, text))),
        numbers=len(_list_words(ID_NUMBER, text)) + sum(map(is_iban, _list_words(IBAN, text))),
        not_for_all=min(_MOST_COUNTED, len(set(_list_words(NOT_FOR_ALL, text)))),
        not_for_all_elsewhere=min(_MOST_COUNTED, elsewhere),
        for_everybody=min(_MOST_COUNTED + 2, len(_list_words(FOR_EVERYBODY, text))),
        is_titled_for_everybody=bool(FOR_EVERYBODY_TITLE.search(passage.heading)),
    )


def _list_words(pattern: re.Pattern[str], text: str) -> list[str]:
    return [match[0] for match in pattern.finditer(text)]


def _is_person(words: str) -> bool:
    """Return True unless two capitals are those of a place, a firm or the beginning of a sentence."""
    return not any(word.strip(".").casefold() in NOBODY for word in words.split())


def is_iban(written: str) -> bool:
    """Return True if a bank number passes its check (ISO 13616: the remainder of 97 is 1)."""
    compact = written.replace(" ", "")
    digits = "".join(str(int(letter, 36)) for letter in compact[4:] + compact[:4])
    return int(digits) % 97 == 1


def _find_in(number: int, text: str, signs: Signs) -> Iterator[Place]:
    for topic, pattern in NAMES_TOPIC.items():
        words = list(pattern.finditer(text))
        if not words:
            continue
        different = len({match[0].casefold()[:6] for match in words})
        logit = weigh(topic, min(_MOST_COUNTED, different), signs)
        if logit is None:
            continue
        start, end = _find_sentence(text, _choose_word(text, words))
        yield Place(topic=topic, passage=number, start=start, end=end, strength=1 / (1 + math.exp(-logit)))
    if mark := STRONG_MARK.search(text):
        logit = 0.6 - 0.5 * signs.for_everybody - 1.5 * signs.is_titled_for_everybody
        start, end = _find_sentence(text, mark.start())
        yield Place(topic=Topic.MARKED, passage=number, start=start, end=end, strength=1 / (1 + math.exp(-logit)))


def weigh(topic: Topic, words: int, signs: Signs) -> float | None:
    """Return the logit that a passage is confidential by a topic, by points; None where what it needs is lacking.

    words: different ones of the topic, up to four.
    """
    is_of_people = bool(signs.people) or signs.speaks_of_one
    needs = {
        Topic.PAY: bool(signs.amounts) and is_of_people,
        Topic.HEALTH: is_of_people,
        Topic.CONDUCT: is_of_people,
        Topic.BOARD: bool(signs.not_for_all),
        Topic.LEGAL: bool(signs.people or signs.not_for_all or signs.not_for_all_elsewhere),
        Topic.PERSONAL: is_of_people and bool(signs.numbers or signs.days),
    }
    if not needs[topic]:
        return None
    points = -2.2 + 0.7 * words + 0.45 * signs.people + 0.5 * signs.speaks_of_one
    points += 0.8 * min(2, signs.not_for_all) + 0.4 * min(2, signs.not_for_all_elsewhere)
    points -= 0.6 * signs.for_everybody + 1.2 * signs.is_titled_for_everybody
    if topic == Topic.PAY:
        points += 0.3 * signs.amounts
    elif topic == Topic.PERSONAL:
        points += 0.8 * min(2, signs.numbers) + 0.3 * signs.days
    elif topic in (Topic.HEALTH, Topic.CONDUCT):
        points += 0.3 * min(2, signs.days)
    return points


def _choose_word(text: str, words: Sequence[re.Match[str]]) -> int:
    """Return where the word is that has the most of the others in its sentence."""
    spans = [_find_sentence(text, match.start()) for match in words]
    counts = {span: spans.count(span) for span in spans}
    return max(counts, key=lambda span: (counts[span], -span[0]))[0]


def _find_sentence(text: str, place: int) -> tuple[int, int]:
    """Return where the sentence or row around a place begins and ends."""
    line = text.rfind("\n", 0, place) + 1
    stop = text.find("\n", place)
    stop = len(text) if stop < 0 else stop
    for start, end in prose_sentences(text, line, stop):
        if start <= place < end:
            return start, min(end, start + _LONGEST_PLACE)
    return line, min(stop, line + _LONGEST_PLACE)
