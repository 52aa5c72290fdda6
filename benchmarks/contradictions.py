"""Measure how well contradictions between documents are found: `python -m benchmarks.contradictions`.

Loads the papers of evaluation/contradictions into a database of its own, finds pairs for each half of
evaluation/contradictions.jsonl, and prints the tables of docs/evaluation.md: of what is found the share that is planted
(precision), of what is planted the share that is found (recall), by kind and by half, and seconds per document.
What is found and is in no line of the dataset counts as wrong. With --found the pairs come after the tables, with
--half only one half is measured.
"""

import argparse
import io
import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.scratch import scratch_database, set_up

if TYPE_CHECKING:
    from core.quality.contradictions.finding import Pair, Side

ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "evaluation" / "contradictions" / "library.toml"
LINES = ROOT / "evaluation" / "contradictions.jsonl"
HALVES = ("build", "check")
_MOST = 1000  # pairs


@dataclass(frozen=True, slots=True)
class Measured:
    """Holds the pairs that were found for one half, each with the lines of the dataset that have it."""

    lines: list[dict[str, Any]]
    found: "list[tuple[Pair, list[dict[str, Any]]]]"
    seconds: float  # per document

    @property
    def hit(self) -> set[str]:
        """Return the ids of the lines that were found."""
        return {line["id"] for _, lines in self.found for line in lines}

    def describe(self) -> str:
        """Return precision, recall, what is wrong and the time, as cells of a table."""
        planted = [line for line in self.lines if line["planted"]]
        right = sum(line["id"] in self.hit for line in planted)
        wrong = sum(not any(line["planted"] for line in lines) for _, lines in self.found)
        none = sum(not lines for _, lines in self.found)
        precision = right / max(right + wrong, 1)
        return (
            f"{right} of {len(planted)} | {wrong} ({none} in no line) | {precision:.2f} | {right / len(planted):.2f} | "
            f"{self.seconds:.1f}"
        )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.contradictions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--half", choices=HALVES, help="Measure this one alone.")
    parser.add_argument("--found", action="store_true", help="Print the pairs that are found, and what is missed.")
    arguments = parser.parse_args()
    set_up()
    with scratch_database():
        _load()
        halves = {half: _measure(half) for half in HALVES if arguments.half in {None, half}}
    print("| half | planted that are found | found wrongly | precision | recall | seconds per document |")
    print("|---|---|---|---|---|---|")
    for half, measured in halves.items():
        print(f"| {half} | {measured.describe()} |")
    _print_kinds(halves)
    if arguments.found:
        for measured in halves.values():
            _print_found(measured)


def _load() -> None:
    from core.management.library import ingest_collections, make_people, read_library

    library = read_library(LIBRARY, root=ROOT)
    make_people(library, password=None)
    ingest_collections(library, io.StringIO())


def _measure(half: str) -> Measured:
    from core.models import Document
    from core.quality.contradictions.finding import find_pairs

    lines = [json.loads(line) for line in LINES.read_text(encoding="utf-8").splitlines()]
    of_half = [line for line in lines if line["half"] == half]
    sources = dict(Document.objects.order_by("source").values_list("pk", "source"))
    documents = [pk for pk, source in sources.items() if f"/contradictions/{half}/" in source]
    started = time.perf_counter()
    pairs = list(find_pairs(documents, most=_MOST))
    seconds = (time.perf_counter() - started) / len(documents)
    found = [(pair, [line for line in of_half if _is_pair_of(pair, line, sources)]) for pair in pairs]
    return Measured(of_half, found, seconds)


def _is_pair_of(pair: "Pair", line: dict[str, Any], sources: dict[Any, str]) -> bool:
    orders = ((pair.newer, pair.older), (pair.older, pair.newer))
    return any(_says(one, line["one"], sources) and _says(other, line["other"], sources) for one, other in orders)


def _says(side: "Side", quoted: dict[str, str], sources: dict[Any, str]) -> bool:
    """Return True if a side is the quoted sentence or row, or a part of it, or has it as a part."""
    from core.language.nlp.text import words_of

    said = set(words_of(side.passage.content[side.start : side.end]))
    quote = set(words_of(quoted["quote"]))
    return sources[side.passage.document_id].endswith(quoted["file"]) and (said <= quote or quote <= said)


def _print_kinds(halves: dict[str, Measured]) -> None:
    print(f"\n| kind | {' | '.join(halves)} |\n|---{'|---' * len(halves)}|")
    for planted in (True, False):
        of_kind = {half: [one for one in each.lines if one["planted"] is planted] for half, each in halves.items()}
        for kind in sorted({line["kind"] for lines in of_kind.values() for line in lines}):
            cells = [_count_found(of_kind[half], kind, halves[half].hit) for half in halves]
            print(f"| {kind}{'' if planted else ' (apparent)'} | {' | '.join(cells)} |")


def _count_found(lines: Sequence[dict[str, Any]], kind: str, hit: set[str]) -> str:
    counted = Counter(line["id"] in hit for line in lines if line["kind"] == kind)
    return f"{counted[True]} of {counted.total()}" if counted else "–"


def _print_found(measured: Measured) -> None:
    for pair, lines in measured.found:
        told = ", ".join(f"{line['id']} ({line['kind']})" for line in lines) or "in no line"
        print(f"\n{told}: {pair.question}")
        for side in (pair.newer, pair.older):
            print(f"  {side.passage.document_name}: {side.passage.content[side.start : side.end].strip()}")
    missed = [line["id"] for line in measured.lines if line["planted"] and line["id"] not in measured.hit]
    print(f"\nmissed: {', '.join(missed)}")


if __name__ == "__main__":
    main()
