"""Which way to search is chosen, and why."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.retrieval.planner import Strategy, choose

sizes = st.integers(0, 2_000_000)
WANTED = 100


@pytest.mark.parametrize(
    ("permitted", "total", "has_copy", "strategy"),
    [
        (0, 0, False, Strategy.NONE),
        (0, 200_000, True, Strategy.NONE),
        (1, 1, True, Strategy.EXACT),
        (200, 200_000, True, Strategy.EXACT),  # 0.1 percent
        (1_000, 200_000, True, Strategy.EXACT),
        (2_000, 200_000, True, Strategy.QUANTISED),
        (20_000, 200_000, True, Strategy.QUANTISED),
        (20_000, 200_000, False, Strategy.EXACT),
        (100_000, 200_000, True, Strategy.QUANTISED),
        (100_000, 200_000, False, Strategy.EXACT),
        (200_000, 200_000, False, Strategy.INDEX),
        (5_000, 5_000, False, Strategy.EXACT),  # all of a small library
    ],
)
def test_each_size_has_its_way(permitted: int, total: int, has_copy: bool, strategy: Strategy) -> None:
    """Exact for few, the copy for many where there is one, the index only for almost all."""
    assert choose(permitted=permitted, total=total, wanted=WANTED, has_copy=has_copy).strategy is strategy


@given(permitted=sizes, total=sizes, has_copy=st.booleans())
def test_the_index_is_walked_only_where_it_leaves_out_little(permitted: int, total: int, has_copy: bool) -> None:
    """Never under 95 percent of the library, where it misses neighbours."""
    if choose(permitted=permitted, total=total, wanted=WANTED, has_copy=has_copy).strategy is Strategy.INDEX:
        assert permitted >= 0.95 * total


@given(permitted=sizes, total=sizes)
def test_a_copy_that_is_not_there_is_not_used(permitted: int, total: int) -> None:
    """Whatever it would cost."""
    assert choose(permitted=permitted, total=total, wanted=WANTED, has_copy=False).strategy is not Strategy.QUANTISED


@pytest.mark.parametrize(
    ("permitted", "has_copy", "strategy"),
    [
        (0, False, Strategy.NONE),
        (2_000, False, Strategy.EXACT),
        (100_000, False, Strategy.ENGINE),
        (5_000_000, False, Strategy.ENGINE),
        (100_000, True, Strategy.QUANTISED),
        (5_000_000, True, Strategy.QUANTISED),
    ],
)
def test_an_engine_is_asked_where_there_is_no_copy(permitted: int, has_copy: bool, strategy: Strategy) -> None:
    """And where more is permitted than PostgreSQL compares in that time."""
    plan = choose(permitted=permitted, total=10_000_000, wanted=WANTED, has_copy=has_copy, has_engine=True)
    assert plan.strategy is strategy


@given(permitted=sizes, total=sizes, has_copy=st.booleans())
def test_nothing_is_searched_only_where_nothing_is_permitted(permitted: int, total: int, has_copy: bool) -> None:
    """One permitted chunk is enough to look for it."""
    plan = choose(permitted=permitted, total=total, wanted=WANTED, has_copy=has_copy)
    assert (plan.strategy is Strategy.NONE) == (permitted == 0)


def test_an_upper_bound_above_the_library_will_do() -> None:
    """More permitted than there are counts as all of them."""
    assert choose(permitted=300_000, total=200_000, wanted=WANTED, has_copy=False).strategy is Strategy.INDEX
    assert choose(permitted=30, total=20, wanted=WANTED, has_copy=True).strategy is Strategy.EXACT


@given(permitted=sizes, total=sizes, has_copy=st.booleans())
def test_a_reason_tells_nothing_of_what_is_not_permitted(permitted: int, total: int, has_copy: bool) -> None:
    """Its only number is that of the permitted chunks."""
    reason = choose(permitted=permitted, total=total, wanted=WANTED, has_copy=has_copy).reason
    assert {int(number) for number in re.findall(r"\d+", reason)} <= {permitted}
    assert reason
