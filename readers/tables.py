"""Tables and lines for people: what rows there are, how good readers are, how far a fit is."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich import box
from rich.table import Table

from readers.judging import ALL, ANSWERED, Difference, Figures
from readers.material import CHECK, FIT
from readers.rows import Row
from readers.training import Progress


def tabulate_rows(rows: Sequence[Row]) -> Table:
    """Return how many rows each set has in each half, of how many documents.

    Columns: rows with an answer, those of them whose answer's place is known, rows without an answer.
    """
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("\nset", overflow="fold")
    for title in ("fit:\nanswers", "\nspan", "\nnone", "held out:\nanswers", "\nspan", "\nnone", "docu-\nments"):
        table.add_column(title, justify="right", no_wrap=True)
    counts: Counter[tuple[str, str, str]] = Counter()
    documents: dict[str, set[int]] = {}
    for row in rows:
        for name in (row.set, "all"):
            counts[name, row.half, "answerable" if row.answers else "not"] += 1
            counts[name, row.half, "place"] += row.span is not None
            documents.setdefault(name, set()).add(row.document)
    for name in (*sorted(set(documents) - {"all"}), "all"):
        figures = [counts[name, half, kind] for half in (FIT, CHECK) for kind in ("answerable", "place", "not")]
        table.add_row(name, *(f"{figure:,}" for figure in (*figures, len(documents[name]))))
    return table


def tabulate_figures(readers: Mapping[str, Mapping[str, Figures]]) -> Table:
    """Return the figures of one reader, or of several beside each other."""
    table = Table(
        box=box.SIMPLE_HEAD,
        caption=f"answered: share of the unanswerable, where {ANSWERED:.2f} of the answerable are",
        caption_justify="left",
    )
    table.add_column("set", overflow="fold")
    table.add_column("rows", justify="right", no_wrap=True)
    table.add_column("answers", justify="right", no_wrap=True)
    if len(readers) > 1:
        table.add_column("reader", overflow="fold")
    for title in ("AUROC", "answered", "F1 of spans"):
        table.add_column(title, justify="right", no_wrap=True)
    [first, *_] = readers.values()
    for name, figures in first.items():
        counts = [name, f"{figures.rows:,}", f"{figures.answerable:,}"]
        for number, (reader, of_reader) in enumerate(readers.items()):
            found = of_reader[name]
            cells = (found.auroc, found.unanswerable_answered, found.span_f1)
            table.add_row(
                *(counts if number == 0 else [""] * len(counts)),
                *([Path(reader).name] if len(readers) > 1 else []),
                *("" if cell is None else f"{cell:.3f}" for cell in cells),
                style="bold" if name in ALL.values() else None,
            )
    return table


def tell_difference(difference: Difference, one: str, other: str) -> str:
    """Say how two readers differ on all questions."""
    return (
        f"AUROC of {other} less that of {one}: {difference.auroc:+.4f} (95 % of samples of the documents: "
        f"{difference.low:+.4f} to {difference.high:+.4f})"
    )


def tell_losses(progress: Progress) -> str:
    """Say how far a fit is: the losses of its heads, and its speed."""
    losses = progress.losses
    parts = {"answers": losses.answers, "supports": losses.supports, "span": losses.span}
    said = [f"{name} {loss:.3f}" for name, loss in parts.items() if not math.isnan(loss)]
    return f"{', '.join(said)}; {progress.examples / max(progress.seconds, 1e-9):,.1f} rows a second"
