"""Whatever a data source says in whatever order: no role reads a word that the source did not give it."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import count

import pytest
from django.db import connection
from hypothesis import example, given
from hypothesis import strategies as st

from core.library.ingestion.jobs import sandbox_from_settings
from core.library.sync import ingesting, kinds
from tests.flush import delete_rows, read_beginning
from tests.integration.leaks.telling import Step, play, steps
from tests.integration.leaks.worlds import tried
from tests.integration.sync import scripted

pytestmark = pytest.mark.usefixtures("transactional_db", "fast")

FEWEST_WRITES = 20  # of a run that replaces a document for other readers
CREW, BOARD, BOTH, ALL = frozenset({"crew"}), frozenset({"board"}), frozenset({"crew", "board"}), frozenset({0, 1})
SHRINKS = [
    Step({"a.md": (0, CREW), "c.jsonl": (1, CREW)}, frozenset({0})),
    Step({"a.md": (0, BOARD), "c.jsonl": (0, CREW)}, frozenset({0})),
    Step({"c.jsonl": (0, None)}, frozenset({0, 1}), by_hand=(1, "c.jsonl"), unreadable=frozenset({"c.jsonl"})),
    Step({"a.md": (1, CREW)}, frozenset(), answers=False),
    Step({"a.md": (1, CREW)}, frozenset({1})),
]
# Rewritten and opened: once the run ends before the text is there, once it cannot be loaded, and then it is.
OPENS = [
    Step({"a.md": (0, BOARD)}, ALL),
    Step({"a.md": (1, BOTH)}, ALL, ends="listing"),
    Step({"a.md": (1, BOTH)}, ALL, unreadable=frozenset({"a.md"})),
    Step({"a.md": (1, BOTH)}, ALL),
]
# Restricted and rewritten after it was listed; opened and rewritten after it was loaded.
# Rewritten and opened, looked at by comparisons of readers alone, one of which is overtaken; then read.
COMPARED = [
    Step({"a.md": (0, CREW), "b.md": (0, BOARD)}, ALL),
    Step({"a.md": (1, BOARD), "b.md": (0, BOTH)}, ALL, compares=True, meanwhile=("look", "b.md", (1, CREW))),
    Step({"a.md": (1, BOTH), "b.md": (1, BOARD)}, ALL, compares=True),
    Step({"a.md": (0, BOARD)}, ALL, compares=True),
    Step({"a.md": (0, BOARD), "b.md": (0, BOTH)}, ALL),
]
OVERTAKES = [
    Step({"a.md": (0, BOTH)}, ALL),
    Step({"a.md": (1, BOTH)}, ALL, meanwhile=("load", "a.md", (2, BOARD))),
    Step({"a.md": (0, BOARD)}, ALL, meanwhile=("look", "a.md", (1, BOTH))),
]
# Told at two moments; restricted in a run that asks; renamed and opened; read in part; gone and back, with a mapping
# that goes and comes.
TWO_MOMENTS = [
    Step({"a.md": (0, BOARD), "c.jsonl": (1, BOARD)}, ALL),
    Step({"a.md": (0, BOARD), "c.jsonl": (1, BOARD)}, ALL, meanwhile=("readers", "a.md", (1, BOTH)), ends="listing"),
    Step({"a.md": (0, CREW)}, ALL, asks=True),
    Step({"a.md": (1, BOTH), "c.jsonl": (2, BOTH)}, ALL, named=frozenset({"a.md"})),
    Step({"c.jsonl": (1, CREW)}, frozenset({1}), asks=True, goes_on=0),
    Step({"a.md": (2, BOTH), "c.jsonl": (0, BOARD)}, ALL, remapped=frozenset({1})),
]
# The same text, opened under another name.
RENAMED = [Step({"a.md": (0, BOARD)}, ALL), Step({"a.md": (0, BOTH)}, ALL, named=frozenset({"a.md"}))]
# Not heard of for days.
SILENT = [Step({"a.md": (0, CREW)}, ALL), Step({}, ALL, answers=False, passes="days")]


def confide(killed_at: int) -> list[Step]:
    """Made confidential beside something new, killed at a statement; then opened as it was, and the new restricted."""
    return [
        Step({"a.md": (0, CREW)}, ALL),
        Step({"a.md": (1, BOARD), "b.md": (0, CREW)}, ALL, killed_at=killed_at),
        Step({"a.md": (0, BOTH), "b.md": (0, BOARD)}, ALL),
    ]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[None]:
    """One for all runs: a new one for each would take most of the time."""
    with pytest.MonkeyPatch.context() as patch, sandbox_from_settings() as shared:
        patch.setattr(ingesting, "sandbox_from_settings", lambda: nullcontext(shared))
        patch.setitem(kinds.MODULES, "scripted", scripted.__name__)
        yield


@contextmanager
def deleted_afterwards() -> Iterator[None]:
    """Delete a world's committed rows after the block. The product commits where it can be killed."""
    begun = read_beginning()
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM procrastinate_jobs")
        assert delete_rows({begun})


@pytest.mark.timeout(3600)  # of a world that fails, a smaller one is looked for
@given(taken=st.lists(steps(), min_size=2, max_size=5))
@example(taken=TWO_MOMENTS)
@example(taken=RENAMED)
@example(taken=SILENT)
@example(taken=SHRINKS)
@example(taken=OPENS)
@example(taken=OVERTAKES)
@example(taken=COMPARED)
@tried(24, thorough=8000)
def test_nobody_reads_what_the_source_does_not_give_them(sandbox: None, taken: list[Step]) -> None:
    """After each step and each end of a run, by the words that each role is shown."""
    with deleted_afterwards():
        play(taken)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("apart", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_a_run_may_be_killed_at_each_of_its_statements(sandbox: None, apart: int) -> None:
    """Nobody is given words, or keeps a right, that are there and not noted, whichever statement writes last.

    apart: 1 tries each of them, which takes its time.
    """
    for number in count(1, apart):
        with deleted_afterwards():
            if not play(confide(killed_at=number), asks=False):
                break
    assert number > FEWEST_WRITES
