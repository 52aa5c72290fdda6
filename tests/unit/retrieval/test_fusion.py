"""Merging what was found by meaning with what was found by words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.library.retrieval.fusion import merge_weighted

scored = st.dictionaries(st.integers(0, 9), st.floats(-5, 5, width=32), max_size=8)


def test_the_sum_is_what_the_hand_computes() -> None:
    """Each list from 0 (its worst) to 1 (its best), weighed; what a list lacks has 0 there."""
    merged = merge_weighted({"a": 0.9, "b": 0.5, "c": 0.1}, {"b": 12.0, "d": 2.0, "e": 7.0}, weight=0.6)
    assert merged == pytest.approx({"b": 0.6 * 0.5 + 0.4, "a": 0.6, "e": 0.4 * 0.5, "c": 0.0, "d": 0.0})
    assert list(merged) == ["b", "a", "e", "c", "d"]


def test_a_list_without_differences_counts_whole() -> None:
    """One item, or items of one score, are all the best of their list."""
    assert merge_weighted({"a": 0.3}, {}, weight=0.6) == {"a": 0.6}
    assert merge_weighted({"a": 0.3, "b": 0.3}, {"c": -1.0}, weight=0.6) == pytest.approx(
        {"a": 0.6, "b": 0.6, "c": 0.4}
    )


def test_nothing_merged_with_nothing_is_nothing() -> None:
    """Two empty lists are no error."""
    assert merge_weighted({}, {}, weight=0.6) == {}


def test_a_list_counts_as_much_as_it_is_trusted() -> None:
    """One whose best is poor cannot put its best first."""
    near, worded = {"a": 0.9, "b": 0.1}, {"b": 1.0, "a": 0.1}
    assert merge_weighted(near, worded, weight=0.5) == pytest.approx({"a": 0.5, "b": 0.5})
    assert merge_weighted(near, worded, weight=0.5, trust=0.25) == pytest.approx({"a": 0.5, "b": 0.125})
    assert list(merge_weighted(near, worded, weight=0.5, trust=0.0)) == ["a", "b"]


@given(first=scored, second=scored, weight=st.floats(0, 1))
def test_every_item_comes_once_between_0_and_1_best_first(
    first: dict[int, float], second: dict[int, float], weight: float
) -> None:
    """The items are those of both lists, and no other."""
    merged = merge_weighted(first, second, weight=weight)
    assert merged.keys() == first.keys() | second.keys()
    assert all(0 <= score <= 1 + 1e-9 for score in merged.values())
    assert list(merged.values()) == sorted(merged.values(), reverse=True)


@given(first=scored, factor=st.sampled_from([0.5, 2.0, 4.0]))
def test_the_scale_of_a_list_does_not_matter(first: dict[int, float], factor: float) -> None:
    """BM25's scores have no bound; twice as large they rank as before."""
    other = {1: 1.0, 2: 3.0, 11: 2.0}
    scaled = {item: score * factor for item, score in other.items()}
    assert merge_weighted(first, scaled, weight=0.6) == merge_weighted(first, other, weight=0.6)
