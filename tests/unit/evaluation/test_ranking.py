"""The metrics of rankings, against values computed by hand."""

import math

import pytest

from core.quality.benchmarks.retrieval import ndcg, recall

GRADED = {"a": 3, "b": 2, "c": 1, "d": 0}


@pytest.mark.parametrize(
    ("ranked", "k", "expected"),
    [
        (["a", "b", "c"], 3, 1.0),
        (["b", "a", "x", "c"], 3, (2 + 3 / math.log2(3)) / (3 + 2 / math.log2(3) + 1 / 2)),  # 0.8175
        (["b", "a", "x", "c"], 4, 0.9079),  # c, at rank 4, adds 1 / log2(5) to the gain and nothing to the ideal
        (["b"], 1, 2 / 3),  # only the best fits into the first one
        (["x", "y", "d"], 3, 0.0),
        ([], 10, 0.0),
    ],
)
def test_ndcg_of_graded_judgements(ranked: list[str], k: int, expected: float) -> None:
    """Gains count as they are, the logarithm is to base 2, and the ideal is that of all judged documents."""
    assert ndcg(ranked, GRADED, k) == pytest.approx(expected, abs=5e-5)


def test_ndcg_of_plain_judgements() -> None:
    """Two relevant ones at ranks 2 and 3: (0.6309 + 0.5) / (1 + 0.6309)."""
    assert ndcg(["x", "a", "b"], {"a": 1, "b": 1}, 10) == pytest.approx(0.6934, abs=5e-5)


def test_what_is_judged_harmful_gains_nothing() -> None:
    """It takes nothing away either."""
    judged = {"a": 1, "b": -1}
    assert ndcg(["b", "a"], judged, 10) == ndcg(["x", "a"], judged, 10) == pytest.approx(0.6309, abs=5e-5)
    assert recall(["b"], judged, 10) == 0


@pytest.mark.parametrize(
    ("ranked", "k", "expected"),
    [(["a", "x", "b", "c"], 4, 1.0), (["a", "x", "b", "c"], 3, 2 / 3), (["d", "a"], 1, 0.0), ([], 5, 0.0)],
)
def test_recall_is_the_share_of_the_relevant(ranked: list[str], k: int, expected: float) -> None:
    """A judgement of 0 makes a document known, not relevant; ranks below k are not counted."""
    assert recall(ranked, GRADED, k) == pytest.approx(expected)


def test_nothing_relevant_is_no_success() -> None:
    """Neither metric divides by nothing."""
    assert ndcg(["a"], {"a": 0}, 10) == 0
    assert recall(["a"], {}, 10) == 0
