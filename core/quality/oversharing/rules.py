"""Count the signs by which passages look confidential: words of a topic, and what makes them particular. Pure.

Particular are a person with an amount, a diagnosis, a warning; a plan that is not announced; a bank number that passes
its check. Rules, handbooks, advertisements and published papers speak of everybody. `weighing` makes a probability of
the signs.
"""

import re
from collections.abc import Mapping, Sequence
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

_MOST = 4  # that are counted of a kind in a passage
_STEM = 6  # letters by which words are different
_LONGEST_PLACE = 300  # characters


@dataclass(frozen=True, slots=True)
class PassageText:
    """Holds a passage as it is looked through."""

    heading: str  # of the document and its sections
    text: str  # secrets masked


@dataclass(frozen=True, kw_only=True, slots=True)
class Signs:
    """Counts what a passage holds: words of topics, and what makes them particular or general."""

    topics: Mapping[Topic, int]  # different words of each that has any
    people: int  # different names
    speaks_of_one: bool  # by a pronoun
    amounts: int
    days: int
    numbers: int  # of identity papers and bank accounts
    not_for_all: int  # words that say that few are to know, or not yet
    not_for_all_elsewhere: int  # in the rest of the document
    for_everybody: int  # words of rules, offers and published texts
    is_titled_for_everybody: bool
    is_alone: bool  # the document has no other passage

    @property
    def is_particular(self) -> bool:
        """Return True if a topic has what makes it particular: somebody, and what is said of them."""
        return any(self._has_what_it_needs(topic) for topic in self.topics)

    def _has_what_it_needs(self, topic: Topic) -> bool:
        is_of_people = bool(self.people) or self.speaks_of_one
        if topic == Topic.PAY:
            return is_of_people and bool(self.amounts)
        if topic == Topic.PERSONAL:
            return is_of_people and bool(self.numbers or self.days)
        if topic == Topic.BOARD:
            return bool(self.not_for_all)
        if topic == Topic.LEGAL:
            return bool(self.people or self.not_for_all or self.not_for_all_elsewhere)
        return is_of_people


def read_signs(passages: Sequence[PassageText]) -> list[Signs]:
    """Count the signs of each passage of a document."""
    hidden = [len({*_list_words(NOT_FOR_ALL, passage.text)}) for passage in passages]
    return [
        _read_signs(passage, hidden[number], sum(hidden) - hidden[number], is_alone=len(passages) == 1)
        for number, passage in enumerate(passages)
    ]


def _read_signs(passage: PassageText, hidden: int, elsewhere: int, *, is_alone: bool) -> Signs:
    text = passage.text
    named = {
        topic: len({word.casefold()[:_STEM] for word in words})
        for topic, pattern in NAMES_TOPIC.items()
        if (words := _list_words(pattern, text))
    }
    if STRONG_MARK.search(text):
        named[Topic.MARKED] = 1
    return Signs(
        topics=named,
        people=min(_MOST, len({match for match in _list_words(PERSON, text) if is_person(match)})),
        speaks_of_one=bool(ABOUT_ONE.search(text)),
        amounts=min(_MOST, len(_list_words(AMOUNT, text))),
        days=min(_MOST, len(_list_words(DAY, text))),
        numbers=min(2, len(_list_words(ID_NUMBER, text)) + sum(map(is_iban, _list_words(IBAN, text)))),
        not_for_all=min(2, hidden),
        not_for_all_elsewhere=min(2, elsewhere),
        for_everybody=min(_MOST + 2, len(_list_words(FOR_EVERYBODY, text))),
        is_titled_for_everybody=bool(FOR_EVERYBODY_TITLE.search(passage.heading)),
        is_alone=is_alone,
    )


def find_telling_sentence(text: str, topic: Topic) -> tuple[int, int]:
    """Return where the sentence or row with the most words of a topic is; the first one where none has any."""
    pattern = STRONG_MARK if topic == Topic.MARKED else NAMES_TOPIC[topic]
    spans = [find_sentence(text, match.start()) for match in pattern.finditer(text)]
    if not spans:
        return find_sentence(text, 0)
    return max(spans, key=lambda span: (spans.count(span), -span[0]))


def find_sentence(text: str, place: int) -> tuple[int, int]:
    """Return where the sentence or row around a place begins and ends; not all of a very long one."""
    line = text.rfind("\n", 0, place) + 1
    stop = text.find("\n", place)
    stop = len(text) if stop < 0 else stop
    for start, end in prose_sentences(text, line, stop):
        if start <= place < end:
            return start, min(end, start + _LONGEST_PLACE)
    return line, max(line + 1, min(stop, line + _LONGEST_PLACE))


def _list_words(pattern: re.Pattern[str], text: str) -> list[str]:
    return [match[0] for match in pattern.finditer(text)]


def is_person(words: str) -> bool:
    """Return True unless two capitals are those of a place, a firm or the beginning of a sentence."""
    return not any(word.strip(".").casefold() in NOBODY for word in words.split())


def is_iban(written: str) -> bool:
    """Return True if a bank number passes its check (ISO 13616: the remainder of 97 is 1)."""
    compact = written.replace(" ", "")
    digits = "".join(str(int(letter, 36)) for letter in compact[4:] + compact[:4])
    return int(digits) % 97 == 1
