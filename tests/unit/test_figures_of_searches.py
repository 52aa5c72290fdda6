"""Tables of what searches cost, and what larger libraries would need by them."""

from typing import Any

import pytest

from benchmarks.capacity import COPIES, SHARD, check, reckon
from benchmarks.latency import tabulate
from core.library.retrieval.planner import Strategy, estimate_ms


def _line(**fields: Any) -> dict[str, Any]:
    return {
        "strategy": "exact",
        "corpus_size": 200_000,
        "share": 10.0,
        "permitted": 20_000,
        "candidates": 400,
        "recall_at_k": 1.0,
        "latency_p50_ms": 44.0,
        "latency_p95_ms": 50.0,
        "given_up": 0,
        "questions": 40,
    } | fields


def test_a_table_has_sizes_and_ways_below_each_other_and_shares_beside() -> None:
    """With the lowest recall of any share, a gap where nothing was measured, and a word where no search ended."""
    lines = [
        _line(corpus_size=1_000_000, share=100.0, latency_p50_ms=1234.56),
        _line(recall_at_k=0.987),
        _line(share=100.0),
        _line(corpus_size=5_000_000, share=100.0, recall_at_k=0.0, given_up=1, questions=1),
        _line(corpus_size=5_000_000),
    ]
    assert tabulate(lines).splitlines() == [
        "| Chunks | Way | Recall | 100 % | 10 % |",
        "| --- | --- | --- | --- | --- |",
        "| 200,000 | exact | 0.987 | 44.0 / 50.0 | 44.0 / 50.0 |",
        "| 1,000,000 | exact | 1.000 | 1234.6 / 50.0 |  |",
        "| 5,000,000 | exact | 1.000 | given up | 44.0 / 50.0 |",
    ]


@pytest.mark.parametrize("strategy", [Strategy.EXACT, Strategy.QUANTISED, Strategy.INDEX])
def test_what_was_measured_is_held_against_what_is_reckoned(strategy: Strategy) -> None:
    """Twice as slow and as fast as reckoned; what was given up has no time, and is left out."""
    reckoned = estimate_ms(permitted=20_000, total=200_000, wanted=400)[strategy]
    lines = [
        _line(strategy=strategy.value, latency_p50_ms=reckoned * factor, given_up=given_up)
        for factor, given_up in ((2, 0), (1, 0), (9, 1))
    ]
    assert list(check(lines))[1:] == [f"| {strategy.value} | 200,000 | 1.00 | 1.50 | 2.00 |"]


def test_machines_grow_with_passages_and_questions() -> None:
    """A shard more where one is full, two of everything at the least, and more workers for more questions."""
    small, large = reckon(SHARD, 1), reckon(SHARD + 1, 1)
    assert [need.machines for need in small] == [COPIES] * 3
    assert [need.machines for need in large] == [COPIES, 2 * COPIES, COPIES]
    assert reckon(SHARD, 100)[2].machines == 20
    assert reckon(4 * SHARD, 100)[0].machines > COPIES
