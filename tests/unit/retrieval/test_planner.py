"""Test the choice of a strategy for searching, and its reason."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.library.retrieval.planner import Plan, Strategy, choose

sizes = st.integers(0, 2_000_000)
WANTED = 400  # as the product asks for


def plan(
    permitted: int, total: int, *, has_copy: bool = True, has_index: bool = True, has_engine: bool = False
) -> Plan:
    there = {Strategy.QUANTISED: has_copy, Strategy.INDEX: has_index, Strategy.ENGINE: has_engine}
    possible = {strategy for strategy, is_there in there.items() if is_there}
    return choose(permitted=permitted, total=total, wanted=WANTED, possible=possible)


@pytest.mark.parametrize(
    ("permitted", "total", "has_copy", "strategy"),
    [
        (0, 0, False, Strategy.NONE),
        (0, 200_000, True, Strategy.NONE),
        (200, 200_000, True, Strategy.EXACT),  # 0.1 percent
        (1_000, 200_000, True, Strategy.EXACT),
        (2_000, 200_000, True, Strategy.QUANTISED),
        (20_000, 200_000, True, Strategy.QUANTISED),
        (20_000, 200_000, False, Strategy.EXACT),
        (100_000, 200_000, True, Strategy.QUANTISED),
        (100_000, 200_000, False, Strategy.EXACT),
        (200_000, 200_000, True, Strategy.QUANTISED),
        (200_000, 200_000, False, Strategy.INDEX),
        (5_000_000, 5_000_000, True, Strategy.QUANTISED),
        (5_000_000, 5_000_000, False, Strategy.INDEX),
        (5_000, 5_000, False, Strategy.EXACT),  # all of a small library
    ],
)
def test_each_size_has_its_way(permitted: int, total: int, has_copy: bool, strategy: Strategy) -> None:
    """Exact for few, the copy for many where there is one, the index only for almost all."""
    assert plan(permitted, total, has_copy=has_copy).strategy is strategy


@given(permitted=sizes, total=sizes, has_copy=st.booleans())
def test_the_index_is_walked_only_where_it_leaves_out_little(permitted: int, total: int, has_copy: bool) -> None:
    """Never under 95 percent of the library, where it misses neighbours, nor beside a copy, which misses none."""
    if plan(permitted, total, has_copy=has_copy).strategy is Strategy.INDEX:
        assert permitted >= 0.95 * total
        assert not has_copy


@given(permitted=sizes, total=sizes)
def test_what_is_not_there_is_not_used(permitted: int, total: int) -> None:
    """Neither a copy nor an index, whatever the other way would cost."""
    assert plan(permitted, total, has_copy=False).strategy is not Strategy.QUANTISED
    assert plan(permitted, total, has_index=False).strategy is not Strategy.INDEX


@pytest.mark.parametrize(
    ("permitted", "strategy"),
    [
        (0, Strategy.NONE),
        (2_000, Strategy.EXACT),
        (100_000, Strategy.ENGINE),
        (5_000_000, Strategy.ENGINE),
    ],
)
def test_an_engine_is_asked_where_there_is_no_copy(permitted: int, strategy: Strategy) -> None:
    """And where more is permitted than PostgreSQL compares in that time."""
    assert plan(permitted, 10_000_000, has_copy=False, has_engine=True).strategy is strategy


@given(permitted=sizes, total=sizes, has_copy=st.booleans())
def test_nothing_is_searched_only_where_nothing_is_permitted(permitted: int, total: int, has_copy: bool) -> None:
    """One permitted chunk is enough to look for it."""
    assert (plan(permitted, total, has_copy=has_copy).strategy is Strategy.NONE) == (permitted == 0)


def test_an_upper_bound_above_the_library_will_do() -> None:
    """More permitted than there are counts as all of them."""
    assert plan(300_000, 200_000, has_copy=False).strategy is Strategy.INDEX
    assert plan(30, 20, has_copy=False).strategy is Strategy.EXACT


@given(permitted=sizes, total=sizes, has_copy=st.booleans())
def test_a_reason_tells_nothing_of_what_is_not_permitted(permitted: int, total: int, has_copy: bool) -> None:
    """Its only number is that of the permitted chunks."""
    reason = plan(permitted, total, has_copy=has_copy).reason
    assert {int(number) for number in re.findall(r"\d+", reason)} <= {permitted}
    assert reason
