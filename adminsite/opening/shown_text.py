"""The text of a document as its page shows it: headings where they change, tables as tables, the quote marked."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from core.language.nlp.layout import BlockKind, Stretch, stretches
from core.values.document_views import OpenedPart

_OF_TABLES = {BlockKind.HEADER, BlockKind.ROW}

Mark = tuple[int, int]  # what is marked in a text: its start and end in characters


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """Holds text that is marked, or that is not; text alone, of which the template makes HTML."""

    text: str
    is_marked: bool = False
    is_first: bool = False  # where the mark begins


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """Holds the runs of a stretch of text, or the cells of a table row by row."""

    runs: tuple[Run, ...] = ()
    header: tuple[tuple[Run, ...], ...] = ()  # empty where the table has none
    rows: tuple[tuple[tuple[Run, ...], ...], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownPart:
    """Holds a stretch of a document with its heading."""

    chapter: str  # empty where it is that of the part before
    section: str
    page_number: int | None
    blocks: tuple[Block, ...]


def show_text(parts: Iterable[OpenedPart]) -> list[ShownPart]:
    """Return the parts in their order, each heading and page number only where it changes."""
    shown: list[ShownPart] = []
    chapter, section, page = "", "", None
    for part in parts:
        is_same = (part.chapter, part.section) == (chapter, section)
        shown.append(
            ShownPart(
                chapter="" if part.chapter == chapter else part.chapter,
                section="" if is_same or part.section == part.chapter else part.section,
                page_number=None if part.page_number == page else part.page_number,
                blocks=tuple(_divide(part.text, part.mark or (len(part.text), len(part.text)))),
            )
        )
        chapter, section, page = part.chapter, part.section, part.page_number
    return shown


def show_quote(quote: str) -> tuple[Block, ...]:
    """Return the blocks of a quote, with nothing marked."""
    return tuple(_divide(quote, (len(quote), len(quote))))


def _divide(text: str, mark: Mark) -> Iterator[Block]:
    """Yield a text's tables, and what is between them, in order and whole."""
    start, stop = mark
    while start < stop and (text[start].isspace() or text[start] == "|"):
        start += 1  # no block has it
    mark, end = (start, stop), 0
    for group, found in groupby(stretches(text), key=lambda one: (one.kind in _OF_TABLES, one.group)):
        if not group[0]:
            continue
        lines = list(found)
        if text[end : lines[0].start].strip():
            yield Block(runs=_mark_runs(text, end, lines[0].start, mark))
        yield _draw_table(text, lines, mark)
        end = lines[-1].end
    if text[end:].strip():
        yield Block(runs=_mark_runs(text, end, len(text), mark))


def _draw_table(text: str, lines: list[Stretch], mark: Mark) -> Block:
    rows = [tuple(_divide_row(text, line, mark)) for line in lines]
    has_header = lines[0].kind is BlockKind.HEADER
    return Block(header=rows[0] if has_header else (), rows=tuple(rows[1:] if has_header else rows))


def _divide_row(text: str, row: Stretch, mark: Mark) -> Iterator[tuple[Run, ...]]:
    """Yield the cells of a row, without the bars around and between them."""
    start, end = row.start, row.end
    start += text.startswith("|", start)
    end -= end > start and text[end - 1] == "|"
    while True:
        bar = text.find("|", start, end)
        yield _mark_runs(text, start, end if bar < 0 else bar, mark)
        if bar < 0:
            return
        start = bar + 1


def _mark_runs(text: str, start: int, end: int, mark: Mark) -> tuple[Run, ...]:
    """Return text[start:end] without white space at its edges: before the mark, in it, and behind it."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    begins, ends = max(start, min(mark[0], end)), min(end, max(mark[1], start))
    runs = (
        Run(text=text[start:begins]),
        Run(text=text[begins:ends], is_marked=True, is_first=begins == mark[0]),
        Run(text=text[max(begins, ends) : end]),
    )
    return tuple(run for run in runs if run.text)
