"""Measure how many figures of financial statements without rulings are read with their names.

    python -m benchmarks.statements [--folder FOLDER] [--layout NAME] [--statement WORDS] [--missed] [--json]

Each statement of `samples` is set as a PDF in each layout of `layouts` and parsed. A figure is right where a row of a
table holds it behind its whole label, that of its group included, in the column that its period names, below the title
and the unit.
--folder keeps the PDFs; --missed names the figures that are not right. Layouts that a browser prints are left out
where none is installed.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.statements.layouts import BEFORE, BEHIND, LAYOUTS
from benchmarks.statements.samples import STATEMENTS
from benchmarks.statements.statement import Figure, Statement
from core.library.ingestion.document import ParsedDocument
from core.library.ingestion.parsers.pdf import parse_pdf

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """Holds how many figures a statement in one layout has, and how many of them were read rightly."""

    statement: str
    layout: str
    figures: int
    right: int
    is_prose_kept: bool  # the paragraphs around it are no part of a table
    missed: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _ReadRow:
    label: str
    cells: tuple[tuple[str, str], ...]  # the name of a column and the amount
    context: str  # what stands above the rows, with the headings


def main() -> None:
    """Run the measurement and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--layout", choices=LAYOUTS)
    parser.add_argument("--statement", default="")
    parser.add_argument("--missed", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    chosen = [one for one in STATEMENTS if options.statement in one.name]
    scores = list(_measure(chosen, [options.layout] if options.layout else list(LAYOUTS), options.folder))
    if options.json:
        print(json.dumps([asdict(score) for score in scores], ensure_ascii=False, indent=2))
        return
    for score in scores:
        prose = "" if score.is_prose_kept else "  prose in a table"
        print(f"{score.layout:<15} {score.statement:<38} {score.right:>3} of {score.figures:>3}{prose}")
        if options.missed:
            print("".join(f"    {line}\n" for line in score.missed), end="")
    right, figures = sum(score.right for score in scores), sum(score.figures for score in scores)
    print(f"{'all':<54} {right} of {figures}: {right / max(1, figures):.3f}")


def _measure(statements: Sequence[Statement], layouts: Sequence[str], folder: Path | None) -> Iterator[Score]:
    for layout in layouts:
        for one in statements:
            kept = folder / f"{layout}, {one.name}.pdf".replace(" ", "-") if folder else None
            try:
                content = kept.read_bytes() if kept and kept.exists() else LAYOUTS[layout](one)
            except FileNotFoundError:
                print(f"{layout}: left out, for no browser is installed")
                break
            if kept:
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_bytes(content)
            yield score(one, layout, parse_pdf(content, "statement.pdf"))


def score(one: Statement, layout: str, parsed: ParsedDocument) -> Score:
    """Count the figures of a statement that a parsed document has with their names."""
    rows = list(_read_rows(parsed))
    above = f"{one.title} {one.unit}"
    expected = [*one.figures, *(one.beside.figures if one.beside is not None else ())]
    missed = [figure for figure in expected if not any(_tells(row, figure, above) for row in rows)]
    prose = " ".join(block.text for block in parsed.blocks if " | " not in block.text)
    return Score(
        statement=one.name,
        layout=layout,
        figures=len(expected),
        right=len(expected) - len(missed),
        is_prose_kept=all(" ".join(lines) in prose for lines in (BEFORE, BEHIND)),
        missed=tuple(f"{figure.label} / {figure.period}: {figure.amount}" for figure in missed),
    )


def _read_rows(parsed: ParsedDocument) -> Iterator[_ReadRow]:
    for block in parsed.blocks:
        lines = block.text.splitlines()
        rule = next((number for number, line in enumerate(lines) if line.startswith("---")), None)
        if not rule:
            continue
        names = lines[rule - 1].split(" | ")
        context = " ".join([block.chapter, block.section, *lines[:rule]])
        for line in lines[rule + 1 :]:
            label, *cells = line.split(" | ")
            yield _ReadRow(label=label, cells=tuple(zip(names[1:], cells, strict=False)), context=context)


def _tells(row: _ReadRow, figure: Figure, above: str) -> bool:
    named = _words(row.label) == _words(figure.label) and _words(above) <= _words(row.context)
    amount = _bare(figure.amount)
    return named and any(_bare(cell) == amount and _words(name) == _words(figure.period) for name, cell in row.cells)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _bare(amount: str) -> str:
    return amount.replace("$", "").replace(" ", "")


if __name__ == "__main__":
    main()
