"""Measure how well questions of the same meaning are joined: `python -m benchmarks.gap_grouping`.

Prints the table of decision 0090: of the pairs that are joined the share that means the same, and of those that mean
the same the share that is joined, by the rule of content gaps and by the cosine of embeddings alone. The pairs are
those of same_questions.jsonl, in two halves, and of gap_pairs.jsonl, in which people type.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.same_questions import measure_similarities, read_pairs
from benchmarks.scratch import set_up

PAIRS = Path(__file__).with_name("gap_pairs.jsonl")


def main() -> None:
    """Print the table."""
    set_up()
    own = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    sets = {half: [pair for pair in read_pairs() if pair["half"] == half] for half in ("fit", "check")}
    print("| pairs | mean the same | by embedding: precision, recall | by the rule: precision, recall |")
    print("|---|---|---|---|")
    for name, pairs in {**sets, PAIRS.name: own}.items():
        print(f"| {name} ({len(pairs)}) | {_describe(pairs)} |")


def _describe(pairs: Sequence[dict[str, Any]]) -> str:
    from core.quality.gaps.grouping import SAME_MEANING, means_the_same

    near = measure_similarities(list(pairs))
    same = np.array([pair["same"] for pair in pairs])
    joined = np.array(
        [
            means_the_same(pair["one"], pair["other"], float(similarity))
            for pair, similarity in zip(pairs, near, strict=True)
        ]
    )
    by_both = [_divide(put, same) for put in (near >= SAME_MEANING, joined)]
    return f"{same.sum()} | {' | '.join(by_both)}"


def _divide(joined: np.ndarray, same: np.ndarray) -> str:
    right = (joined & same).sum()
    return f"{right / max(joined.sum(), 1):.2f}, {right / same.sum():.2f}"


if __name__ == "__main__":
    main()
