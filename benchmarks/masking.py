"""Measure how long it takes to look for secrets in what documents say: `python -m benchmarks.masking [FOLDER …]`.

FOLDER: texts in Markdown, plain text or JSON, cut into passages of 900 characters; without one, the documents of this
project. What is measured is `find_secrets`, by which every passage is masked that is read from the database; then how
much of a question's time that is, with as many passages as a search reads. Nothing is stored, and no model is asked.

--list: each secret that was found, by its kind and place. Its words are not printed.
"""

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.values.secrets import find_secrets

_ROOT = Path(__file__).parents[1]
_ENDINGS = (".md", ".txt", ".json", ".jsonl")
_CHARACTERS, _MOST = 900, 3000  # of a passage; passages of a folder
_READ = 100  # passages of a search
_TIMES = 5


def main() -> None:
    """Measure each folder and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="*", default=[_ROOT / "docs"], metavar="FOLDER")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    print(f"{'folder':24}{'passages':>10}{'secrets':>9}{'µs per 1,000 characters':>25}{f'ms for {_READ} passages':>22}")
    for folder in arguments.folders:
        passages = list(cut(folder))
        if not passages:
            raise SystemExit(f"{folder} has no text.")
        characters, found = sum(map(len, passages)), [find_secrets(passage) for passage in passages]
        seconds = measure(passages)
        print(
            f"{folder.name:24}{len(passages):>10,}{sum(map(len, found)):>9,}{seconds / characters * 1e9:>25.1f}"
            f"{seconds / len(passages) * _READ * 1e3:>22.1f}"
        )
        for number, of_one in enumerate(found if arguments.list else ()):
            for secret in of_one:
                print(f"  passage {number}: {secret.kind}, {secret.start} to {secret.end}")


def cut(folder: Path) -> Iterator[str]:
    """Yield passages of a folder's texts, at most 3,000, drawn by chance and the same each time."""
    passages = []
    for path in sorted(folder.rglob("*")):
        if path.suffix in _ENDINGS and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            passages += [text[start : start + _CHARACTERS] for start in range(0, len(text), _CHARACTERS)]
    random.Random(7).shuffle(passages)
    yield from passages[:_MOST]


def measure(passages: Sequence[str]) -> float:
    """Return the processor's seconds that it takes to look through all passages: the least of five times."""
    best = float("inf")
    for _ in range(_TIMES):
        began = time.process_time()
        for passage in passages:
            find_secrets(passage)
        best = min(best, time.process_time() - began)
    return best


if __name__ == "__main__":
    main()
