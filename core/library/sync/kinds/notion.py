"""Notion: the pages that are shared with an integration."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, cast
from urllib.parse import quote, urlencode

from pydantic import BaseModel, Field

from core.errors import FileTooLargeError, GoneError
from core.library.ingestion.errors import make_too_large_error
from core.library.ingestion.sources import LeftOut, LoadedFile
from core.library.sync.connector import Access, Connector, Kind, Listed, Loaded
from core.library.sync.services.answers import NO_ID, identifier, inner, items, read_pages, text
from core.library.sync.services.client import Client, read_secret
from core.values.sizes import MEGABYTE

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

API = "https://api.notion.com"

_VERSION = "2022-06-28"  # of the API
_SECONDS = 0.34  # between two requests: Notion allows three in a second
_PAGE_SIZE = 100
_DEEPEST = 12  # blocks within blocks
_MOST_BLOCKS = 20_000  # of one page
_UNSETTLED = dt.timedelta(minutes=2)  # Notion gives the time of an edit to the minute


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
    """Return the title of a page."""
    for value in inner(page, "properties").values():
        if isinstance(value, dict) and value.get("type") == "title":
            return _read_plain(value.get("title")) or _UNTITLED
    return _UNTITLED


def write_page(page: Mapping[str, Any], blocks: Sequence[Block]) -> str:
    """Return a page with its title, its properties where it is a row of a database, and its text."""
    title = escape(title_of(page))
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><title>{title}</title></head><body><main>'
        f"<h1>{title}</h1>{_write_properties(page)}{_write_all(blocks)}</main></body></html>"
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
        pieces.append(_write_block(block))
    pieces.append(f"</{open_list}>" if open_list else "")
    return "".join(pieces)


def _write_block(block: Block) -> str:
    said = escape(_read_plain(block.told.get("rich_text")))
    below = _write_all(block.inside)
    match block.type:
        case "table":
            return _write_table(block)
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
            caption = escape(_read_plain(block.told.get("caption")) or text(block.told, "url"))
            return f"<p>{caption}</p>" if caption else ""
        case kind:
            tag = _TAGS.get(kind, "p")
            return (f"<{tag}>{said}</{tag}>" if said else "") + below


def _write_table(block: Block) -> str:
    has_header = block.told.get("has_column_header") is True
    rows = []
    for number, row in enumerate(block.inside):
        tag = "th" if has_header and number == 0 else "td"
        cells = row.told.get("cells")
        written = (f"<{tag}>{escape(_read_plain(cell))}</{tag}>" for cell in (cells if isinstance(cells, list) else []))
        rows.append(f"<tr>{''.join(written)}</tr>")
    return f"<table>{''.join(rows)}</table>"


def _write_properties(page: Mapping[str, Any]) -> str:
    """Render the columns of a database row as HTML paragraphs."""
    if text(page, "parent", "type") not in {"database_id", "data_source_id"}:
        return ""
    columns = inner(page, "properties").items()
    told = [
        (name, _write_value(value))
        for name, value in columns
        if isinstance(value, dict) and value.get("type") != "title"
    ]
    return "".join(f"<p>{escape(name)}: {escape(value)}</p>" for name, value in told if value)


def _write_value(value: Mapping[str, Any]) -> str:
    kind = text(value, "type")
    content = value.get(kind)
    match kind:
        case "rich_text":
            return _read_plain(content)
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


def _read_plain(pieces: Any) -> str:
    """Return the text of what Notion calls rich text."""
    if not isinstance(pieces, list):
        return ""
    return "".join(text(piece, "plain_text") for piece in pieces if isinstance(piece, dict))


class Settings(BaseModel):
    """An administrator's choice of pages."""

    database_rows: bool = Field(
        True, title="Rows of databases", description="Whether pages that are rows of a database are read as well."
    )


class Notion:
    """The pages and databases shared with an integration."""

    def __init__(
        self, settings: Settings, token: str, access: Access, *, api: str = API, seconds: float = _SECONDS
    ) -> None:
        header = {"Authorization": f"Bearer {token}", "Notion-Version": _VERSION}
        self._settings = settings
        self._most_bytes, self._max_mb = access.max_mb * MEGABYTE, access.max_mb
        self._client = Client(access, api, name="Notion", credentials=lambda: header, interval=seconds)

    def list(self) -> Iterator[Listed | LeftOut]:
        """Yield the pages that are shared with the integration."""
        wanted = {"filter": {"property": "object", "value": "page"}, "page_size": _PAGE_SIZE}
        for answer in read_pages(
            lambda cursor: self._client.ask_json(
                "/v1/search", **wanted, **({"start_cursor": cursor} if cursor else {})
            ),
            _next,
        ):
            for page in items(answer, "results"):
                if page.get("archived") is True or page.get("in_trash") is True:
                    continue
                is_row = text(page, "parent", "type") in {"database_id", "data_source_id"}
                if is_row and not self._settings.database_rows:
                    continue
                if not identifier(page, "id"):
                    yield LeftOut(name=title_of(page), reason=NO_ID)
                    continue
                yield Listed(
                    key=identifier(page, "id"),
                    name=title_of(page),
                    fingerprint=_if_settled(text(page, "last_edited_time")),
                    source_url=text(page, "url"),
                )

    def load(self, listed: Listed, validator: str) -> Loaded | None:
        """Return a page with everything in it, as HTML."""
        page = self._client.read_json(self._client.load_file(f"/v1/pages/{quote(listed.key)}", listed.name))
        if page.get("archived") is True or page.get("in_trash") is True:
            raise GoneError(f"{listed.name} is no longer there.")
        html = write_page(page, _PageReader(self._client, listed.name).blocks_in(listed.key)).encode()
        if len(html) > self._most_bytes:
            raise make_too_large_error(listed.name, self._max_mb)
        return Loaded(file=LoadedFile(content=html, name="page.html"))


class _PageReader:
    """Reads the blocks of one page."""

    def __init__(self, client: Client, name: str) -> None:
        self._client = client
        self._name = name  # of the page, for people
        self._read = 0

    def blocks_in(self, parent: str, depth: int = 0) -> tuple[Block, ...]:
        """The blocks in a page or a block, with those within them. FileTooLargeError when there is no end to them."""
        if depth > _DEEPEST:
            return ()
        found: list[Block] = []
        for answer in read_pages(lambda cursor: self._ask_blocks(parent, cursor), _next):
            for block in items(answer, "results"):
                self._read += 1
                if self._read > _MOST_BLOCKS:
                    raise FileTooLargeError(
                        f"{self._name} has more than {_MOST_BLOCKS:,} blocks. Split it into several pages."
                    )
                is_other_page = text(block, "type") in {"child_page", "child_database"}
                has_more = block.get("has_children") is True and not is_other_page
                inside = self.blocks_in(text(block, "id"), depth + 1) if has_more else ()
                found.append(Block(content=block, inside=inside))
        return tuple(found)

    def _ask_blocks(self, parent: str, cursor: str) -> Mapping[str, Any]:
        query = {"page_size": str(_PAGE_SIZE)} | ({"start_cursor": cursor} if cursor else {})
        path = f"/v1/blocks/{quote(parent)}/children?{urlencode(query)}"
        return self._client.read_json(self._client.load_file(path, self._name))


def _next(answer: Mapping[str, Any]) -> str:
    return text(answer, "next_cursor") if answer.get("has_more") is True else ""


def _if_settled(edited: str) -> str:
    """Return a time of an edit that will be another after the next one; "" while it may be the same."""
    try:
        at = dt.datetime.fromisoformat(edited)
    except ValueError:
        return ""
    return edited if at.tzinfo and at < dt.datetime.now(dt.UTC) - _UNSETTLED else ""


def connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    """Return the connector of an integration. SourceRefusedError without a token."""
    return Notion(cast(Settings, settings), read_secret(secrets, "token", "token"), access)


KIND = Kind(
    name="notion",
    label="Notion",
    help="The pages that are shared with an integration. Notion does not tell who else may read them: choose the roles "
    "that may.",
    settings=Settings,
    connect=connect,
    secrets={"token": "Token of the integration"},
    destination=(),
)
