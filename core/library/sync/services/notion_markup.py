"""Pages of Notion as HTML. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from core.library.sync.services.fields import inner, text

_TAGS = {
    "paragraph": "p",
    "heading_1": "h2",
    "heading_2": "h3",
    "heading_3": "h4",
    "quote": "blockquote",
    "callout": "p",
}
_LISTS = {"bulleted_list_item": "ul", "numbered_list_item": "ol", "to_do": "ul"}
_FILES = {"image", "file", "pdf", "video", "audio", "bookmark", "embed"}
_UNTITLED = "Untitled"


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """A piece of a page."""

    content: Mapping[str, Any]  # as Notion gives it
    inside: tuple["Block", ...] = ()

    @property
    def type(self) -> str:
        """The block's type, such as "heading_1"."""
        return text(self.content, "type")

    @property
    def told(self) -> Mapping[str, Any]:
        """The part of the content that belongs to the block's type."""
        return inner(self.content, self.type)


def title_of(page: Mapping[str, Any]) -> str:
    """The title of a page."""
    for value in inner(page, "properties").values():
        if isinstance(value, dict) and value.get("type") == "title":
            return _plain(value.get("title")) or _UNTITLED
    return _UNTITLED


def write_page(page: Mapping[str, Any], blocks: Sequence[Block]) -> str:
    """A page with its title, its properties where it is a row of a database, and its text."""
    title = escape(title_of(page))
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><title>{title}</title></head><body><main>'
        f"<h1>{title}</h1>{_properties(page)}{_write_all(blocks)}</main></body></html>"
    )


def _write_all(blocks: Sequence[Block]) -> str:
    """Blocks one after the other; items of a list that follow each other are one list."""
    pieces: list[str] = []
    open_list = ""
    for block in blocks:
        wanted = _LISTS.get(block.type, "")
        if wanted != open_list:
            pieces += [f"</{open_list}>" if open_list else "", f"<{wanted}>" if wanted else ""]
            open_list = wanted
        pieces.append(_write(block))
    pieces.append(f"</{open_list}>" if open_list else "")
    return "".join(pieces)


def _write(block: Block) -> str:
    said = escape(_plain(block.told.get("rich_text")))
    below = _write_all(block.inside)
    match block.type:
        case "table":
            return _table(block)
        case "code":
            return f"<pre>{said}</pre>"
        case "equation":
            return f"<p>{escape(text(block.told, 'expression'))}</p>"
        case "child_page" | "child_database":
            return f"<p>{escape(text(block.told, 'title'))}</p>"
        case kind if kind in _LISTS:
            done = "☑ " if block.told.get("checked") is True else ""
            return f"<li>{done}{said}{below}</li>"
        case kind if kind in _FILES:
            caption = escape(_plain(block.told.get("caption")) or text(block.told, "url"))
            return f"<p>{caption}</p>" if caption else ""
        case kind:
            tag = _TAGS.get(kind, "p")
            return (f"<{tag}>{said}</{tag}>" if said else "") + below


def _table(block: Block) -> str:
    has_header = block.told.get("has_column_header") is True
    rows = []
    for number, row in enumerate(block.inside):
        tag = "th" if has_header and number == 0 else "td"
        cells = row.told.get("cells")
        written = (f"<{tag}>{escape(_plain(cell))}</{tag}>" for cell in (cells if isinstance(cells, list) else []))
        rows.append(f"<tr>{''.join(written)}</tr>")
    return f"<table>{''.join(rows)}</table>"


def _properties(page: Mapping[str, Any]) -> str:
    """Render the columns of a database row as HTML paragraphs."""
    if text(page, "parent", "type") not in {"database_id", "data_source_id"}:
        return ""
    columns = inner(page, "properties").items()
    told = [
        (name, _value(value)) for name, value in columns if isinstance(value, dict) and value.get("type") != "title"
    ]
    return "".join(f"<p>{escape(name)}: {escape(value)}</p>" for name, value in told if value)


def _value(value: Mapping[str, Any]) -> str:
    kind = text(value, "type")
    content = value.get(kind)
    match kind:
        case "rich_text":
            return _plain(content)
        case "select" | "status":
            return text(value, kind, "name")
        case "multi_select" | "people":
            return ", ".join(text(each, "name") for each in content or [] if isinstance(each, dict))
        case "date":
            return " to ".join(part for part in (text(value, kind, "start"), text(value, kind, "end")) if part)
        case "checkbox":
            return "yes" if content is True else "no"
        case "number" | "url" | "email" | "phone_number":
            return text(value, kind)
        case _:
            return ""


def _plain(pieces: Any) -> str:
    """The text of what Notion calls rich text."""
    if not isinstance(pieces, list):
        return ""
    return "".join(text(piece, "plain_text") for piece in pieces if isinstance(piece, dict))
