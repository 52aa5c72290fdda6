"""Audiences."""

from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.types import Audience

A, B, C = (UUID(int=n) for n in (1, 2, 3))


def test_only_minimal_role_sets_matter() -> None:
    """A reader who holds more roles than another never narrows the audience further."""
    assert set(Audience.of([[A, B], [A], [C, B]]).role_sets) == {frozenset({A}), frozenset({B, C})}


def test_a_reader_without_roles_makes_the_audience_read_nothing() -> None:
    """One stranger in the room, and nothing may be said in it."""
    assert Audience.of([[A], []]).reads_nothing
    assert not Audience.of([[A], [B]]).reads_nothing


def test_an_audience_without_readers_cannot_be_made() -> None:
    """Nobody is an audience of one reader who holds nothing; no readers at all is an error, not everyone."""
    with pytest.raises(ValueError, match="at least one reader"):
        Audience.of([])
    assert Audience.nobody().reads_nothing


@given(st.lists(st.frozensets(st.sampled_from([A, B, C])), min_size=1), st.frozensets(st.sampled_from([A, B, C])))
def test_minimal_sets_decide_as_all_sets_do(readers: list[frozenset[UUID]], granted: frozenset[UUID]) -> None:
    """A document is readable by every reader exactly when it is by every minimal role set."""
    kept = Audience.of(readers).role_sets
    assert all(granted & reader for reader in readers) == all(granted & roles for roles in kept)


def test_order_does_not_matter() -> None:
    """The same readers make the same audience in whatever order they are listed."""
    roles = [[uuid4()], [uuid4(), uuid4()]]
    assert Audience.of(roles) == Audience.of(reversed(roles))
