"""Test which chunks begin the parts of a document."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from core.library.retrieval.outline import Place, openings_of

TITLE = "Pilot manual"
HEADINGS = st.sampled_from(["", TITLE, "Tides", "Fog", "Fog > Horns", "Fog > Lights", "Charts"])


def places(*headings: tuple[str, str]) -> list[Place]:
    """Chunks in the order of a document, by chapter and section."""
    return [
        Place(pk=UUID(int=number), chapter=chapter, section=section)
        for number, (chapter, section) in enumerate(headings)
    ]


def parts(found: list[Place], limit: int = 12) -> list[tuple[int, str]]:
    return [(one.pk.int, one.heading) for one in openings_of(found, title=TITLE, limit=limit)]


def test_the_first_chunk_of_each_chapter() -> None:
    """The chunk before the first chapter is there as well."""
    found = places((TITLE, ""), ("Tides", ""), ("Tides", "Spring"), ("Fog", "Horns"), ("Fog", "Lights"), ("Charts", ""))
    assert parts(found) == [(0, ""), (1, "Tides"), (3, "Fog"), (5, "Charts")]


def test_a_heading_above_everything_is_no_part() -> None:
    """The sections below it are, those within sections are not; one that comes again has begun already."""
    found = places(
        ("Pilots", ""), ("Pilots", "Tides"), ("Pilots", "Fog > Horns"), ("Pilots", "Fog > Lights"),
        ("Pilots", "Charts"), ("Pilots", "Tides"),
    )  # fmt: skip
    assert parts(found) == [(0, ""), (1, "Tides"), (2, "Fog"), (4, "Charts")]


def test_of_too_few_chapters_the_sections() -> None:
    """Two would show little."""
    found = places(("Tides", "Spring"), ("Tides", "Neap"), ("Fog", "Horns"), ("Fog", "Lights"))
    assert parts(found) == [(0, "Spring"), (1, "Neap"), (2, "Horns"), (3, "Lights")]


def test_without_headings_each_chunk() -> None:
    """At even distances where they are many."""
    found = places(*[("", "")] * 100)
    assert [number for number, _ in parts(found, limit=4)] == [0, 33, 66, 99]


@given(st.lists(st.tuples(HEADINGS, HEADINGS), max_size=30), st.integers(2, 12))
def test_always_in_order_within_the_limit_and_each_once(headings: list[tuple[str, str]], limit: int) -> None:
    """The first chunk is always among them: a document introduces itself there."""
    numbers = [number for number, _ in parts(places(*headings), limit)]
    assert numbers == sorted(set(numbers))
    assert len(numbers) <= limit
    assert numbers[:1] == ([0] if headings else [])
