"""From which similarity questions mean the same: `python -m benchmarks.gap_grouping` prints the table of decision 0049.

Questions of evaluation/*.jsonl that expect a word in common from a source in common are taken to mean the same. For
each threshold: of the pairs that are put together, the share that means the same, and the share that at least is
answered by the same document; of the pairs that mean the same, the share that is put together; the number of groups.
"""

import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from core.embedding.local import PACKAGED, SentenceTransformerProvider
from core.gaps.grouping import group

FOLDER = Path(__file__).resolve().parents[1] / "evaluation"
THRESHOLDS = (0.45, 0.5, 0.55, 0.6, 0.62, 0.65, 0.7, 0.75, 0.8)


Meant = tuple[frozenset[str], frozenset[str]]  # words that are expected, and sources


def read_questions() -> dict[str, Meant]:
    """Each question with what it asks for."""
    found: dict[str, Meant] = {}
    for file in sorted(FOLDER.glob("*.jsonl")):
        for line in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            if line.get("question") and line.get("expected"):
                meant = (
                    frozenset(flatten(line["expected"])),
                    frozenset(flatten(line.get("sources") or line.get("source"))),
                )
                found.setdefault(line["question"], meant)
    return found


def flatten(value: Any) -> Iterator[str]:
    """The words in whatever form a dataset gives them."""
    if isinstance(value, str):
        yield value.casefold()
    elif value:
        for part in value.values() if isinstance(value, dict) else value:
            yield from flatten(part)


def main() -> None:
    """Print the table."""
    asked = read_questions()
    meant = list(asked.values())
    vectors = SentenceTransformerProvider(PACKAGED, batch_size=64, bfloat16=False).embed(list(asked))
    pairs = list(combinations(range(len(meant)), 2))
    near = np.array([bool(meant[one][1] & meant[other][1]) for one, other in pairs])
    same = near & np.array([bool(meant[one][0] & meant[other][0]) for one, other in pairs])
    print(f"{len(asked)} questions, {same.sum()} pairs that mean the same, {near.sum()} of one document")
    print("| at least | mean the same | of one document | found | groups |\n|---|---|---|---|---|")
    for threshold in THRESHOLDS:
        groups = group(vectors, at_least=threshold)
        put = np.array([groups[one] == groups[other] for one, other in pairs])
        count = max(put.sum(), 1)
        shares = [(put & same).sum() / count, (put & near).sum() / count, (put & same).sum() / same.sum()]
        print(f"| {threshold} | {' | '.join(f'{share:.2f}' for share in shares)} | {len(set(groups))} |")


if __name__ == "__main__":
    main()
