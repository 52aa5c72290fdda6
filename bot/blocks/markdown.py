"""Text that may hold Markdown, taken apart: paragraphs, lists, tables, and the styles of words. Pure.

Read are the forms that an answer's lines have, and the marks that a quoted passage may hold within a line. All else, as
links, images, HTML and fences, is not recognised: what looks like one stays the characters that were written, and an
address is set as code, of which Slack makes no link.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

_DEEPEST_LIST = 5
_WIDEST_CELL = 40  # characters up to which the cells of a table in code are filled up to one width
_EMPTY_CELL = "–"  # Slack refuses a cell without text
_ADDRESS = re.compile(
    r"((?:[\w+.-]{0,30}://|\bwww\.|\bmailto:|\b[\w.+-]{1,64}@[\w-]{1,64}\."
    r"|(?:\b[a-z0-9-]{1,64}\.){1,8}[a-z]{2,}/)[^\s`<>]*(?<![.,;:!?'\")\]]))",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class TextRun:
    """Holds words of one style."""

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False


Words = tuple[TextRun, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Holds words, with line breaks where they were."""

    words: Words


@dataclass(frozen=True, slots=True)
class ListItem:
    """Holds one item of a list: its depth from 0, its number (None: a bullet), its words."""

    depth: int
    number: int | None
    words: Words


@dataclass(frozen=True, slots=True)
class Items:
    """Holds a list and those within it, flat."""

    items: tuple[ListItem, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Holds rows of equally many cells without marks, the first row the head."""

    rows: tuple[tuple[str, ...], ...]


Part = Paragraph | Items | Table


def read_parts(text: str) -> list[Part]:
    """Parse a text into its parts, in order."""
    root = SyntaxTreeNode(_build_parser().parse(text.replace("\x00", "")))
    return [_read_part(node) for node in root.children]


def render_lines(table: Table) -> str:
    """Render a table as lines of text, its columns under each other where that takes little room."""
    widths = [max(map(len, column)) for column in zip(*table.rows, strict=True)]
    if max(widths) > _WIDEST_CELL:
        return "\n".join(" | ".join(row) for row in table.rows)
    rows = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in table.rows]
    rows.insert(1, ["-" * width for width in widths])
    return "\n".join(" | ".join(row).rstrip() for row in rows)


@cache
def _build_parser() -> MarkdownIt:
    known = ["list", "heading", "table", "backticks", "emphasis", "strikethrough", "newline"]
    return MarkdownIt("zero").enable(known)


def _read_part(node: SyntaxTreeNode) -> Part:
    match node.type:
        case "bullet_list" | "ordered_list":
            return Items(tuple(_read_items(node, 0)))
        case "table":
            rows = [row for group in node.children for row in group.children]
            return Table(tuple(tuple(_read_cell(cell) for cell in row.children) for row in rows))
        case "heading":
            return Paragraph(tuple(replace(run, bold=not run.code) for run in _read_words(node)))
        case _:
            return Paragraph(_read_words(node))


def _read_items(node: SyntaxTreeNode, depth: int) -> Iterator[ListItem]:
    first = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
    for place, item in enumerate(node.children):
        lists = [child for child in item.children if child.type.endswith("_list")]
        words = tuple(run for child in item.children if child not in lists for run in _read_words(child))
        yield ListItem(depth, None if first is None else first + place, words)
        for child in lists:
            yield from _read_items(child, min(depth + 1, _DEEPEST_LIST))


def _read_cell(node: SyntaxTreeNode) -> str:
    return " ".join("".join(run.text for run in _read_words(node)).split()) or _EMPTY_CELL


def _read_words(node: SyntaxTreeNode) -> Words:
    """Read the words of a block and of all within it."""
    if node.type == "inline":
        return tuple(_read_runs(node.children))
    return tuple(run for child in node.children for run in _read_words(child))


def _read_runs(nodes: list[SyntaxTreeNode]) -> Iterator[TextRun]:
    for place, node in enumerate(nodes):
        if node.type == "softbreak":
            yield TextRun(text="\n")
        elif node.type == "code_inline":
            yield TextRun(text=node.content, code=True)
        elif node.type in ("strong", "em", "s"):
            marked = tuple(_read_runs(node.children))
            if _is_within_a_word(nodes, place):  # 2*3*4 is no emphasis, and Slack would take none there
                yield from (TextRun(text=node.markup), *marked, TextRun(text=node.markup))
            else:
                yield from (_add_style(run, node.type) for run in marked)
        else:
            pieces = enumerate(_ADDRESS.split(node.content))
            yield from (TextRun(text=piece, code=at % 2 == 1) for at, piece in pieces if piece)


def _add_style(run: TextRun, kind: str) -> TextRun:
    if run.code:
        return run
    return replace(
        run, bold=run.bold or kind == "strong", italic=run.italic or kind == "em", strike=run.strike or kind == "s"
    )


def _is_within_a_word(nodes: list[SyntaxTreeNode], place: int) -> bool:
    before = nodes[place - 1].content if place and nodes[place - 1].type == "text" else ""
    after = nodes[place + 1].content if place + 1 < len(nodes) and nodes[place + 1].type == "text" else ""
    return before[-1:].isalnum() or after[:1].isalnum()
