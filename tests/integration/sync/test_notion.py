"""Notion as a data source, against a server that answers as its API does."""

import datetime as dt
import json
from typing import Any

import pytest

from core.errors import FileTooLargeError, GoneError, SourceError, SourceRefusedError
from core.library.ingestion.sandbox.process import Sandbox
from core.library.sync.connector import Listed
from core.library.sync.kinds import kind_of
from core.library.sync.kinds.notion import Notion, Settings
from tests.integration.sync.served import Answer, Asked, Server, access, listing

TOKEN = "ntn_of_nobody"


def rich(text: str) -> list[dict[str, Any]]:
    """Rich text, in two pieces as Notion gives what is partly bold."""
    return [{"type": "text", "plain_text": text[:2]}, {"type": "text", "plain_text": text[2:]}]


def found(number: int, **more: Any) -> dict[str, Any]:
    """A page in a search."""
    return {
        "object": "page",
        "id": f"p{number}",
        "last_edited_time": "2024-05-01T10:00:00.000Z",
        "archived": False,
        "parent": {"type": "workspace", "workspace": True},
        "properties": {"title": {"id": "title", "type": "title", "title": rich(f"Page {number}")}},
        "url": f"https://www.notion.so/p{number}",
    } | more


def block(kind: str, text: str = "", *, identifier: str = "", **told: Any) -> dict[str, Any]:
    """A block of a page."""
    return {
        "object": "block",
        "id": identifier or "b",
        "type": kind,
        "has_children": bool(identifier),
        kind: ({"rich_text": rich(text)} if text else {}) | told,
    }


def blocks(*content: dict[str, Any]) -> Any:
    """The children of a page or a block, three at a time."""

    def answer(asked: Asked) -> Answer:
        start = int(asked.query.get("start_cursor", 0))
        has_more = start + 3 < len(content)
        body = {"results": list(content[start : start + 3]), "has_more": has_more, "next_cursor": str(start + 3)}
        return Answer(body=body if has_more else body | {"next_cursor": None})

    return answer


def notion(server: Server, **settings: Any) -> Notion:
    """A connector to a served Notion."""
    return Notion(Settings(**settings), TOKEN, access(), api=server.base, seconds=0)


def serve(server: Server, *pages: dict[str, Any]) -> None:
    """A search that finds pages, two at a time."""

    def search(asked: Asked) -> Answer:
        wanted = json.loads(asked.body)
        assert (asked.method, wanted["filter"]) == ("POST", {"property": "object", "value": "page"})
        start = int(wanted.get("start_cursor", 0))
        has_more = start + 2 < len(pages)
        body = {"results": list(pages[start : start + 2]), "has_more": has_more}
        return Answer(body=body | {"next_cursor": str(start + 2) if has_more else None})

    server.answers = {"/v1/search": search}


def test_pages_that_are_shared_are_listed(server: Server) -> None:
    """Without those in the bin. An edit that may be followed by another in its minute is no fingerprint yet."""
    now = dt.datetime.now(dt.UTC).replace(second=0, microsecond=0).isoformat()
    row = {"parent": {"type": "database_id", "database_id": "d1"}}
    serve(
        server,
        found(1),
        found(2, archived=True),
        found(3, last_edited_time=now),
        found(4, **row),
        found(5, in_trash=True),
    )
    documents, left_out, error = listing(notion(server))
    assert (left_out, error) == ({}, None)
    assert {key: each.fingerprint for key, each in documents.items()} == {
        "p1": "2024-05-01T10:00:00.000Z",
        "p3": "",
        "p4": "2024-05-01T10:00:00.000Z",
    }
    assert (documents["p1"].name, documents["p1"].groups) == ("Page 1", None)  # Notion does not tell who reads
    assert {asked.headers["authorization"] for asked in server.asked} == {f"Bearer {TOKEN}"}
    assert {asked.headers["notion-version"] for asked in server.asked} == {"2022-06-28"}
    without, _, _ = listing(notion(server, database_rows=False))
    assert set(without) == {"p1", "p3"}


def test_a_page_without_an_id_is_left_out(server: Server) -> None:
    """It would be one with the next."""
    serve(server, found(1), found(2, id=""), found(3, id=None), found(4, id="../p1"))
    documents, left_out, _ = listing(notion(server))
    assert set(documents) == {"p1"}
    assert set(left_out) == {"Page 2", "Page 3", "Page 4"}


def test_a_page_is_loaded_with_all_its_blocks(server: Server) -> None:
    """Headings, lists within lists and tables are read by the parser of web pages."""
    properties = found(1)["properties"] | {
        "Owner": {"type": "people", "people": [{"name": "Alice"}, {"name": "Bob"}]},
        "State": {"type": "status", "status": {"name": "Done"}},
        "Due": {"type": "date", "date": {"start": "2024-06-01", "end": None}},
        "Empty": {"type": "select", "select": None},
    }
    server.answers = {
        "/v1/pages/p1": Answer(body=found(1, parent={"type": "database_id"}, properties=properties)),
        "/v1/blocks/p1/children": blocks(
            block("heading_1", "Safety <rules>"),
            block("paragraph", "Wear a helmet in the hall."),
            block("bulleted_list_item", "Indoors", identifier="in"),
            block("bulleted_list_item", "Outdoors"),
            block("table", identifier="t", has_column_header=True),
            block("child_page", title="Another page", identifier="other"),
            block("unsupported"),
        ),
        "/v1/blocks/in/children": blocks(block("bulleted_list_item", "In the kitchen")),
        "/v1/blocks/t/children": blocks(
            block("table_row", cells=[rich("Hall"), rich("Height")]),
            block("table_row", cells=[rich("North"), rich("12 m")]),
        ),
    }
    loaded = notion(server).load(Listed(key="p1", name="Page 1"), "")
    assert loaded is not None
    html = loaded.file.content.decode()
    assert "<h2>Safety &lt;rules&gt;</h2>" in html
    assert "<ul><li>Indoors<ul><li>In the kitchen</li></ul></li><li>Outdoors</li></ul>" in html
    assert "<table><tr><th>Hall</th><th>Height</th></tr><tr><td>North</td><td>12 m</td></tr></table>" in html
    assert "<p>Owner: Alice, Bob</p><p>State: Done</p><p>Due: 2024-06-01</p>" in html
    assert "/v1/blocks/other/children" not in server.paths()
    with Sandbox() as sandbox:
        document = sandbox.parse(loaded.file.content, loaded.file.name).documents[0]
    text = "\n".join(each.text for each in document.blocks)
    assert document.title == "Page 1"
    assert {"Wear a helmet in the hall.", "North | 12 m"} <= set(text.splitlines())


def test_a_page_without_end_is_too_large(server: Server) -> None:
    """In depth it is cut, in length refused."""
    server.answers = {
        "/v1/pages/p1": Answer(body=found(1)),
        "/v1/blocks/p1/children": blocks(block("toggle", "Again", identifier="p1")),
        "/v1/pages/p2": Answer(body=found(2)),
        "/v1/blocks/p2/children": blocks(block("paragraph", "x" * 1_100_000)),
    }
    loaded = notion(server).load(Listed(key="p1", name="Page 1"), "")
    assert loaded is not None
    assert loaded.file.content.count(b"Again") == 13
    with pytest.raises(FileTooLargeError):
        notion(server).load(Listed(key="p2", name="Page 2"), "")


@pytest.mark.parametrize("answer", [Answer(status=404), Answer(body=found(1, in_trash=True))])
def test_a_page_that_is_no_longer_shared_is_gone(server: Server, answer: Answer) -> None:
    """Or in the bin."""
    server.answers = {"/v1/pages/p1": answer}
    with pytest.raises(GoneError):
        notion(server).load(Listed(key="p1", name="Page 1"), "")


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Answer(status=401, body={"code": "unauthorized"}), SourceRefusedError),
        (Answer(status=403, body={"code": "restricted_resource"}), SourceRefusedError),
        (Answer(status=500), SourceError),
        (Answer(status=429, headers={"Retry-After": "600"}), SourceError),
        (Answer(body={"results": [], "has_more": True, "next_cursor": "same"}), SourceError),
        (Answer(body={"object": "error"}), SourceError),
    ],
)
def test_what_is_wrong_with_the_source(server: Server, answer: Answer, error: type[SourceError]) -> None:
    """Is an error and no empty listing."""
    server.answers = {"/v1/search": answer}
    documents, _, caught = listing(notion(server))
    assert (documents, type(caught)) == ({}, error)
    assert TOKEN not in str(caught)


def test_without_a_token_nothing_is_asked() -> None:
    """And the message says what is missing."""
    kind = kind_of("notion")
    with pytest.raises(SourceRefusedError, match="There is no token"):
        kind.connect(kind.settings(), {}, access())
