"""Find the places of a document whose words look confidential, and let the reader say of what they are."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.asking.reading import reader
from core.asking.reading.readings import Reading
from core.quality.oversharing.rules import PassageText, Signs, find_sentence, find_telling_sentence, read_signs
from core.quality.oversharing.statements import find_statements
from core.quality.oversharing.weighing import weigh
from core.values.oversharing import Topic

LEAST_SURE = 0.5
_PLAIN = 0.75  # how sure a plain statement is: of ten on the build half that only seem so, most are left out
QUESTIONS = {
    Topic.PAY: "Who gets how much more pay?",
    Topic.HEALTH: "What illness does he have?",
    Topic.CONDUCT: "Who complained about whom?",
    Topic.BOARD: "What is kept secret until it is announced?",
    Topic.LEGAL: "What does our lawyer advise us?",
    Topic.PERSONAL: "When was this person born?",
}
# Of a topic's word against the reader's logit that its question is answered: of 31 passages of the build half the topic
# was right of 22 by words, of 19 by the reader, and of 24 by both so.
_OF_A_WORD, _MOST_WORDS = 2.0, 4
_UNREAD = -3.0  # logit
_MOST_READ = 6  # passages of one document
_BUDGET_S = 60.0  # for the readings of one question


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Holds a place whose words look confidential: passages[passage].text[start:end]."""

    topic: Topic
    passage: int
    start: int
    end: int
    strength: float  # 0..1


def find_places(passages: Sequence[PassageText], vectors: np.ndarray) -> list[Place]:
    """Find the places of a document whose words look confidential, the surest first.

    A passage that says something plainly has a place for each topic of it, another one at most one.

    vectors: the passages' embeddings by the packaged model. Without a reader the words alone say of which topic a
    passage is.
    """
    signs = read_signs(passages)
    plain = [find_statements(passage, signs[number], is_first=not number) for number, passage in enumerate(passages)]
    sure = weigh(signs, vectors)
    weighed = (n for n in range(len(passages)) if sure[n] >= LEAST_SURE and not plain[n])
    chosen = sorted(weighed, key=lambda n: -sure[n])
    readings = _read([passages[number] for number in chosen[:_MOST_READ]])
    places = [
        Place(topic=topic, passage=number, start=start, end=end, strength=max(_PLAIN, sure[number]))
        for number, found in enumerate(plain)
        for topic, (start, end) in found
    ]
    for order, number in enumerate(chosen):
        read = {topic: found[order] for topic, found in readings.items()} if order < _MOST_READ else {}
        topic = _choose_topic(signs[number], read)
        start, end = _find_sentence(passages[number], topic, read.get(topic))
        places.append(Place(topic=topic, passage=number, start=start, end=end, strength=sure[number]))
    return sorted(places, key=lambda place: -place.strength)


def _read(passages: Sequence[PassageText]) -> dict[Topic, list[Reading | None]]:
    """Return what the reader makes of passages for each topic's question; nothing without a reader."""
    if not passages or not reader.is_on():
        return {}
    texts = [(passage.heading, passage.text) for passage in passages]
    return {topic: reader.read(question, texts, budget_s=_BUDGET_S) for topic, question in QUESTIONS.items()}


def _choose_topic(signs: Signs, read: dict[Topic, Reading | None]) -> Topic:
    """Return the topic whose words, and whose question, fit a passage best; without either it is only marked so."""
    if not read and not signs.topics:
        return Topic.MARKED

    def measure(topic: Topic) -> float:
        reading = read.get(topic)
        words = min(_MOST_WORDS, signs.topics.get(topic, 0))
        return _OF_A_WORD * words + (reading.answers if reading else _UNREAD)

    return max(QUESTIONS, key=measure)


def _find_sentence(passage: PassageText, topic: Topic, reading: Reading | None) -> tuple[int, int]:
    """Return where the sentence is that tells: the one that answers the topic's question, else that with its words."""
    if reading is not None and (best := reading.spans.find_best(1)) and reading.answers > 0:
        start = min(best[0].start, len(passage.text) - 1)
        return find_sentence(passage.text, max(start, 0))
    return find_telling_sentence(passage.text, topic)
