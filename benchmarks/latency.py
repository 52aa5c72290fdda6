"""Tabulate and draw the cost of searches by meaning, by the permitted share of the library and by its size.

    manage.py benchmark_index --synthetic 200000 --json > 200000.jsonl
    python -m benchmarks.latency 200000.jsonl 1000000.jsonl [--picture FILE.svg] [--readers one] [--grants topic]

Reads lines of `benchmark_index --json`, of one or more runs. Prints Markdown: for each size and way the lowest mean
recall of any share, and p50/p95 in milliseconds by share. Where no question came to an end, that is said instead.
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

Line = dict[str, Any]

_COLUMNS = 3  # of panels in the picture
_BUDGET_MS = 25  # within which 95 of 100 searches of 200,000 chunks are to stay
_FINDS = 0.99  # recall under which a way counts as one that misses neighbours


def main() -> None:
    """Print the table, and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--grants", choices=("random", "topic"), default="topic", help="Which documents are granted.")
    parser.add_argument("--readers", choices=("one", "channel"), default="one", help="Who reads.")
    parser.add_argument("--picture", type=Path, help="Where the picture goes (SVG).")
    arguments = parser.parse_args()
    lines = [
        line
        for file in arguments.files
        for line in map(json.loads, file.read_text().splitlines())
        if (line["grants"], line["audience"]) == (arguments.grants, arguments.readers)
    ]
    if not lines:
        parser.error("The files have no measurement of these grants and readers.")
    print(tabulate(lines))
    if arguments.picture:
        draw(lines, arguments.picture)


def tabulate(lines: Iterable[Line]) -> str:
    """A Markdown table: a row for each size and way, p50 and p95 by share, and the lowest mean recall that is known."""
    groups = _group(lines)
    shares = sorted({line["share"] for some in groups.values() for line in some}, reverse=True)
    head = ["Chunks", "Way", "Recall", *(f"{share:g} %" for share in shares)]
    rows = [[f"{size:,}", way, _lowest_recall(some), *_cells(some, shares)] for (size, way), some in groups.items()]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))


def _lowest_recall(lines: Sequence[Line]) -> str:
    known = [line["recall_at_k"] for line in lines if _ended(line)]
    return f"{min(known):.3f}" if known else ""


def _cells(lines: Sequence[Line], shares: Sequence[float]) -> list[str]:
    found = {
        line["share"]: f"{line['latency_p50_ms']:.1f} / {line['latency_p95_ms']:.1f}" if _ended(line) else "given up"
        for line in lines
    }
    return [found.get(share, "") for share in shares]


def _ended(line: Line) -> bool:
    """Return True if any question ended: the benchmark asks no more once one takes longer than a search may."""
    return bool(line["given_up"] < line["questions"])


def _group(lines: Iterable[Line]) -> dict[tuple[int, str], list[Line]]:
    """The measurements by size and way, sizes rising, ways in their order, each by falling share."""
    groups: dict[tuple[int, str], list[Line]] = {}
    for line in sorted(lines, key=lambda line: (line["corpus_size"], -line["share"])):
        groups.setdefault((line["corpus_size"], line["strategy"]), []).append(line)
    return groups


def draw(lines: Sequence[Line], path: Path) -> None:
    """A panel for each size: p50 by share as a line for each way, up to p95 as a band; dotted what misses some."""
    from benchmarks.reporting import prepare_drawing

    prepare_drawing()
    from matplotlib.figure import Figure

    groups = _group(lines)
    sizes = sorted({size for size, _ in groups})
    ways = list(dict.fromkeys(way for _, way in groups))
    rows = -(-len(sizes) // _COLUMNS)
    figure = Figure(figsize=(3.8 * min(len(sizes), _COLUMNS) + 1.6, 3.8 * rows), layout="constrained")
    panels = list(figure.subplots(rows, min(len(sizes), _COLUMNS), sharey=True, squeeze=False).flat)
    for axes, size in zip(panels, sizes, strict=False):
        for number, way in enumerate(ways):
            if some := groups.get((size, way)):
                _draw_way(axes, way, some, colour=f"C{number}")
        axes.axhline(_BUDGET_MS, color="0.6", linewidth=0.8, linestyle="--")
        axes.set(xscale="log", yscale="log", xlabel="share permitted, %", title=f"{size:,} chunks")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.grid(color="0.92")
    for axes in panels[len(sizes) :]:
        axes.axis("off")
    figure.supylabel("milliseconds: p50, and up to p95")
    known = {label: handle for axes in panels for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(
        known.values(),
        known,
        loc="outside right upper",
        frameon=False,
        title=f"dotted: misses neighbours\ndashed: {_BUDGET_MS} ms",
    )
    figure.savefig(path, metadata={"Date": None})


def _draw_way(axes: Any, way: str, lines: Sequence[Line], *, colour: str) -> None:
    shares = [line["share"] for line in lines]
    middle, high = ([line[name] for line in lines] for name in ("latency_p50_ms", "latency_p95_ms"))
    misses = any(line["recall_at_k"] < _FINDS and not line["given_up"] for line in lines)
    axes.plot(shares, middle, ":" if misses else "-", marker="o", markersize=3, color=colour, label=way)
    axes.fill_between(shares, middle, high, color=colour, alpha=0.15, linewidth=0)


if __name__ == "__main__":
    main()
