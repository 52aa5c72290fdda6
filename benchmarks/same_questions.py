"""From which similarity a question may get a verified answer: `python -m benchmarks.same_questions`.

same_questions.jsonl holds pairs of questions that mean the same, and pairs that differ in one detail: the rules were
fit on one half, and the other was held against them afterwards. For each threshold the tables of decision 0050 say
how many of either pass by the embeddings alone, and by the rules besides; then come the pairs that pass wrongly, and
with --missed those that are missed.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.scratch import set_up

PAIRS = Path(__file__).with_suffix(".jsonl")
THRESHOLDS = (0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)


def read_pairs() -> list[dict[str, Any]]:
    """The pairs, each with its two questions, whether they mean the same, and otherwise in what they differ."""
    return [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]


def measure_similarities(pairs: list[dict[str, Any]]) -> np.ndarray:
    """The cosine similarity of each pair by the packaged model."""
    from core.library.embedding.local import PACKAGED, SentenceTransformerProvider

    model = SentenceTransformerProvider(PACKAGED, batch_size=64, bfloat16=False)
    vectors = [model.embed([pair[side] for pair in pairs]) for side in ("one", "other")]
    return np.asarray((vectors[0] * vectors[1]).sum(axis=1))


def print_table(pairs: list[dict[str, Any]], near: np.ndarray, agree: np.ndarray) -> None:
    """Print how many pairs of either kind pass, by threshold."""
    same = np.array([pair["same"] for pair in pairs])
    print(f"{same.sum()} pairs that mean the same, {(~same).sum()} that differ in a detail")
    print("| at least | same, by embedding | different | same, by both | different |\n|---|---|---|---|---|")
    for threshold in (0.0, *THRESHOLDS):
        by_embedding, by_both = near >= threshold, (near >= threshold) & agree
        counts = [(passed & kind).sum() for passed in (by_embedding, by_both) for kind in (same, ~same)]
        print(f"| {threshold} | {' | '.join(map(str, counts))} |")


def main() -> None:
    """Print the tables and the pairs that they are wrong about."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--missed", action="store_true", help="Print the pairs that are missed, too.")
    set_up()
    from core.asking.verification.same_question import find_difference
    from core.asking.verified_answers.matching import SAME_MEANING

    shows_missed = parser.parse_args().missed
    for half in ("fit", "check"):
        pairs = [pair for pair in read_pairs() if pair["half"] == half]
        near = measure_similarities(pairs)
        differences = [find_difference(pair["one"], pair["other"]) for pair in pairs]
        print(f"\n{half}: ", end="")
        print_table(pairs, near, np.array([not difference for difference in differences]))
        for pair, similarity, difference in zip(pairs, near, differences, strict=True):
            passes = similarity >= SAME_MEANING and not difference
            if passes != pair["same"] and (passes or shows_missed):
                print(
                    f"{'wrong' if passes else 'missed'} {similarity:.2f} {difference} | {pair['one']} | {pair['other']}"
                )


if __name__ == "__main__":
    main()
