"""Make pairs of real documents' passages, as the finder makes them, and keep them."""

import datetime as dt
from collections.abc import Sequence
from uuid import UUID

from core.access.audiences import audience_of, audience_of_roles
from core.library.retrieval.chunk_lookup import passages_of_document
from core.models import Document, Role, SourceContradiction, User
from core.quality.contradictions.finding import Pair, Side
from core.quality.contradictions.store import keep_pair
from core.testing import make_document
from core.values.contradictions import KeptContradiction

OLD, NEW = dt.date(2023, 4, 3), dt.date(2026, 2, 9)
QUESTION = "What does a berth cost per night?"
COSTS_24 = "A berth costs 24 euros per night."
COSTS_31 = "One night at a berth costs 31 euros."


def make_side(document: Document, words: str, value: str, *, readers: Sequence[Role]) -> Side:
    """Return what a document says, with its passage as it is stored. readers: roles that may read it."""
    passages = passages_of_document(document.pk, audience=audience_of_roles([role.pk for role in readers]))
    passage = next(one for one in passages if words in one.content)
    start = passage.content.index(words)
    says = passage.content.index(value, start)
    return Side(passage=passage, start=start, end=start + len(words), says=(says, says + len(value)))


def make_pair(older: Document, newer: Document, *, readers: Sequence[Role]) -> Pair:
    """Return the pair of two price lists."""
    return Pair(
        question=QUESTION,
        newer=make_side(newer, COSTS_31, "31 euros", readers=readers),
        older=make_side(older, COSTS_24, "24 euros", readers=readers),
    )


def make_price_lists(older_roles: Sequence[Role], newer_roles: Sequence[Role]) -> tuple[Document, Document]:
    """Make two documents that contradict each other, for these readers."""
    older = make_document(
        "Price list", f"Berths have water. {COSTS_24} Pay at the desk.", roles=older_roles, document_date=OLD
    )
    newer = make_document(
        "Harbour notice", COSTS_31, roles=newer_roles, document_date=NEW, collection="Notices", section="Prices"
    )
    return older, newer


def keep_price_lists(older_roles: Sequence[Role], newer_roles: Sequence[Role]) -> SourceContradiction:
    """Make two documents that contradict each other, and keep the pair."""
    older, newer = make_price_lists(older_roles, newer_roles)
    kept = keep_pair(make_pair(older, newer, readers=[*older_roles, *newer_roles]))
    assert kept is not None
    return kept


def list_for(person: User, **narrowed: object) -> tuple[KeptContradiction, ...]:
    """Return the pairs that a person sees."""
    from core import api

    found = api.list_contradictions(person, audience=audience_of([person.pk]), **narrowed)  # type: ignore[arg-type]
    return found.rows


def count_for(person: User) -> dict[str, int]:
    """Return what a person is told of how many there are, without zeros."""
    from core import api

    found = api.list_contradictions(person, audience=audience_of([person.pk]))
    assert found.total == sum(found.by_state.values())
    return {state: count for state, count in found.by_state.items() if count}


def id_of(kept: SourceContradiction) -> UUID:
    """Return the id of a pair."""
    return kept.pk
