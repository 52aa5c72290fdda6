"""Rows: what a reader is fitted on and judged by, a JSON object a line.

A row is a question with one passage: "id", "set", "half", "document", "question", "heading", "text", "answerable" and,
where they apply, "start" and "end" (of the answer, in characters of the text), "negative" and "statement". Rows are
text rather than tokens, so that one file serves readers of several tokenizers.
"""

import json
import lzma
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from readers.material import CHECK, FIT, RowsError, read_lines, take, take_span, take_text

_Each = TypeVar("_Each")

_PRESET = 1  # of xz: the higher ones take minutes for 200,000 rows


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A question with a passage, and what is known of the two."""

    id: str
    set: str
    half: str  # FIT or CHECK; rows of one document are in one of them
    document: int  # the same for all passages of a document
    question: str  # or a statement
    heading: str  # what stands before the passage; may be empty
    text: str
    answers: bool  # the passage answers the question, or supports the statement
    span: tuple[int, int] | None = None  # characters of the text that answer
    negative: str = ""
    is_statement: bool = False


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write rows, compressed where the file's name ends in .xz. RowsError where that is not possible.

    What was there before stays until all of them are written.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        with lzma.open(part, "wb", preset=_PRESET) if path.suffix == ".xz" else part.open("wb") as file:
            for row in rows:
                file.write(json.dumps(_make_line(row), ensure_ascii=False).encode(errors="replace") + b"\n")
        part.replace(path)
    except OSError as error:
        raise RowsError(f"{path} cannot be written ({error.strerror}).") from None


def read(path: Path, *, half: str = "", sets: frozenset[str] = frozenset()) -> list[Row]:
    """Read rows. RowsError, with file and line, for what is none, and where none is left.

    half, sets: only these; empty for all.
    """
    rows = [row for row in _iterate(path) if half in ("", row.half) and (not sets or row.set in sets)]
    if not rows:
        wanted = [f"half {half}"] * bool(half) + [f"sets {', '.join(sorted(sets))}"] * bool(sets)
        raise RowsError(f"{path} has no rows{' of ' * bool(wanted)}{' and '.join(wanted)}.")
    return rows


def spread(rows: Sequence[_Each], most: int) -> Sequence[_Each]:
    """Return so many of the rows, evenly spread; all of them where they are fewer, and for 0."""
    return [rows[number * len(rows) // most] for number in range(most)] if 0 < most < len(rows) else rows


def _make_line(row: Row) -> dict[str, Any]:
    line: dict[str, Any] = {
        "id": row.id,
        "set": row.set,
        "half": row.half,
        "document": row.document,
        "question": row.question,
        "heading": row.heading,
        "text": row.text,
        "answerable": row.answers,
    }
    if row.span:
        line["start"], line["end"] = row.span
    if row.negative:
        line["negative"] = row.negative
    if row.is_statement:
        line["statement"] = True
    return line


def _iterate(path: Path) -> Iterator[Row]:
    for where, line in read_lines(path):
        half = take(line, "half", str, where)
        if half not in (FIT, CHECK):
            raise RowsError(f'{where}: "half" must be {FIT} or {CHECK}.')
        text, answers = take_text(line, "text", where), take(line, "answerable", bool, where)
        yield Row(
            id=take(line, "id", str, where),
            set=take_text(line, "set", where),
            half=half,
            document=take(line, "document", int, where),
            question=take_text(line, "question", where),
            heading=take(line, "heading", str, where),
            text=text,
            answers=answers,
            span=take_span(line, where, text, answers=answers),
            negative=take(line, "negative", str, where, ""),
            is_statement=take(line, "statement", bool, where, False),
        )
