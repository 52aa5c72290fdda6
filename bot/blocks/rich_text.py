"""Text that may hold Markdown, as Slack's blocks. Lists and tables are elements that Slack reads no markup in."""

from itertools import groupby

from slack_sdk.models.blocks import (
    Block,
    RawTextObject,
    RichTextBlock,
    RichTextElementParts,
    RichTextListElement,
    RichTextPreformattedElement,
    RichTextSectionElement,
    SectionBlock,
    TableBlock,
)
from slack_sdk.models.blocks.basic_components import TableBlockColumnSettings

from bot.blocks.markdown import Items, Paragraph, Table, TextRun, Words, read_parts, render_lines
from bot.blocks.text import escape, escape_within, fit, section, split

MOST_ROWS = 100  # of a table, as Slack limits it
MOST_COLUMNS = 20
_MOST_BLOCKS = 30  # a text that would need more is shown without its structure


def render_blocks(text: str, limit: int) -> list[Block]:
    """Render a text as blocks that hold at most `limit` characters together, an ellipsis in place of what is left out.

    The first table becomes one of Slack's, which takes one in a message; further ones are set as code.
    """
    blocks = fit(text, limit, _render_parts, lambda block: count_characters(block.to_dict()))
    if not blocks or len(blocks) > _MOST_BLOCKS:
        return [section(piece) for piece in split(escape_within(text.strip(), limit))]
    return blocks


def count_characters(part: object) -> int:
    """Count the length of all texts in a block together."""
    if isinstance(part, dict):
        own = part.get("text")
        return (len(own) if isinstance(own, str) else 0) + sum(map(count_characters, part.values()))
    return sum(map(count_characters, part)) if isinstance(part, list) else 0


def _render_parts(text: str) -> list[Block]:
    blocks: list[Block] = []
    paragraphs: list[str] = []  # as mrkdwn, unescaped; those that follow each other share sections
    for part in read_parts(text):
        if isinstance(part, Paragraph):
            paragraphs.append("".join(map(_mark_words, part.words)))
            continue
        has_table = any(isinstance(block, TableBlock) for block in blocks)
        block = _build_list(part) if isinstance(part, Items) else _build_table(part, is_first=not has_table)
        blocks += [*_build_sections(paragraphs), block]
        paragraphs = []
    return [*blocks, *_build_sections(paragraphs)]


def _build_sections(paragraphs: list[str]) -> list[SectionBlock]:
    return [section(piece) for piece in split(escape("\n\n".join(paragraphs)))]


def _mark_words(run: TextRun) -> str:
    words = run.text.strip()
    if not words or "\n" in words:
        return run.text
    marks = "".join(mark for mark, is_set in zip("*_~", (run.bold, run.italic, run.strike), strict=True) if is_set)
    if run.code:  # an address, since an answer holds no backtick
        marks += "`"
    return run.text.replace(words, f"{marks}{words}{marks[::-1]}", 1)


def _build_table(table: Table, *, is_first: bool) -> Block:
    """Build a table of Slack's where it takes one, and else the rows as lines of code."""
    if not is_first or len(table.rows) > MOST_ROWS or len(table.rows[0]) > MOST_COLUMNS:
        lines = RichTextElementParts.Text(text=render_lines(table))
        return RichTextBlock(elements=[RichTextPreformattedElement(elements=[lines])])
    return TableBlock(
        rows=[[RawTextObject(text=cell).to_dict() for cell in row] for row in table.rows],
        column_settings=[TableBlockColumnSettings(align="left", is_wrapped=True).to_dict()] * len(table.rows[0]),
    )


def _build_list(items: Items) -> RichTextBlock:
    """Build a list of Slack's of items of one depth and kind that follow each other; numbers go on after one within."""
    lists: list[RichTextListElement] = []
    for (depth, is_ordered), group in groupby(items.items, key=lambda item: (item.depth, item.number is not None)):
        rows = list(group)
        lists.append(
            RichTextListElement(
                elements=[_build_item(row.words) for row in rows],
                style="ordered" if is_ordered else "bullet",
                indent=depth or None,
                offset=(rows[0].number or 1) - 1 or None,
            )
        )
    return RichTextBlock(elements=lists)


def _build_item(words: Words) -> RichTextSectionElement:
    texts = []
    for run in (run for run in words if run.text):
        style = {name: True for name in ("bold", "italic", "strike", "code") if getattr(run, name)}
        texts.append(RichTextElementParts.Text(text=run.text, style=style or None))
    return RichTextSectionElement(elements=texts or [RichTextElementParts.Text(text=" ")])
