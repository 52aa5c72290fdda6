"""`manage.py mcp`: the SDK's client starts the command and talks to it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import pytest
from django.conf import settings
from django.db import connection
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult

from core.mcp.server import STEPS
from core.models import Query, User
from core.testing import Cast, fetch_chunks
from tests.integration.mcp.conftest import given, make_library, told
from tests.integration.rest.conftest import CANARIES, CANTEEN, CANTEEN_QUESTION, Library

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[3]
EVERYTHING = "harbour office vault canteen"


@pytest.fixture
def library(cast: Cast) -> Library:
    """The two documents, embedded by the packaged model, which the command will load."""
    return make_library(cast)


def environment() -> dict[str, str]:
    """The tests' own database, for the command. Passages are not read: which one answers best is tried elsewhere."""
    database = urlsplit(settings.DATABASE_URL)._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    home = str(settings.FOOTNOTE_HOME)
    return {**os.environ, "DATABASE_URL": database, "FOOTNOTE_HOME": home, "DEBUG": "true", "READER": "none"}


def session(email: str, talk: Callable[[Client], Any]) -> Any:
    """Return the result of `talk`, called with a client that is connected to a process of its own."""
    command = StdioServerParameters(
        command=sys.executable, args=["manage.py", "mcp", "--as", email], cwd=str(ROOT), env=environment()
    )

    async def run() -> Any:
        async with Client(command) as client:
            return await talk(client)

    return anyio.run(run)


def run(*arguments: str, **given_to: Any) -> subprocess.CompletedProcess[str]:
    """The command, ended."""
    return subprocess.run(
        [sys.executable, "manage.py", "mcp", *arguments],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        **given_to,
    )


def test_a_session_of_somebody_who_may_read_a_part(cast: Cast, library: Library) -> None:
    """Bob's client lists the tools, searches, asks and reads; the vault is nowhere in what it hears.

    It asks to be told the steps of the answer, and hears of them before it. He is deactivated in the middle of the
    session: his process goes on, and every tool refuses.
    """
    heard: list[tuple[float, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))

    async def talk(client: Client) -> tuple[list[CallToolResult], list[CallToolResult]]:
        assert {tool.name for tool in (await client.list_tools()).tools} == {
            "search",
            "ask",
            "read_passage",
            "end_conversation",
            "list_contradictions",
            "issue_receipt",
            "plan_research",
            "start_research",
            "read_research",
            "stop_research",
        }
        searched = await client.call_tool("search", {"query": EVERYTHING, "k": 50})
        asked = await client.call_tool("ask", {"question": CANTEEN_QUESTION}, progress_callback=hear)
        assert heard == list(enumerate(STEPS.values(), 1))
        cited = {"chunk_id": given(asked)["citations"][0]["chunk_id"]}
        read = await client.call_tool("read_passage", cited)
        wrong = await client.call_tool("search", {"query": EVERYTHING, "as": cast.alice.email})
        before = [searched, asked, read, wrong, await client.call_tool("read_passage", {"chunk_id": forbidden})]
        await anyio.to_thread.run_sync(deactivate, cast.bob.pk)
        return before, [
            await client.call_tool("search", {"query": EVERYTHING}),
            await client.call_tool("ask", {"question": CANTEEN_QUESTION}),
            await client.call_tool("read_passage", cited),
        ]

    (forbidden,) = (str(chunk.pk) for chunk in fetch_chunks(library.vault))
    before, after = session(cast.bob.email, talk)
    searched, asked, read, wrong, refused = before
    assert {passage["chunk_id"] for passage in given(searched)["results"]} == {
        str(chunk.pk) for chunk in fetch_chunks(library.canteen)
    }
    assert given(asked)["answer"] == f"{CANTEEN} [1]"
    assert given(read)["content"] == CANTEEN
    assert "as:" in told(wrong)
    assert told(refused) == "There is no such passage, or you may not read it."
    assert {told(result) for result in after} == {"This account is no longer active. Ask an administrator."}
    everything = "".join(result.model_dump_json() for result in (*before, *after)).casefold()
    assert [canary for canary in CANARIES if canary.casefold() in everything] == []
    assert set(Query.objects.values_list("user_id", "conversation__origin")) == {(cast.bob.pk, "mcp")}


def test_standard_output_carries_messages_alone(cast: Cast) -> None:
    """Without a message there is no output, the logs go to standard error, and it ends with its input."""
    done = run("--as", cast.bob.email, input="", timeout=60)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("arguments", [(), ("--as", "nobody@example.com")])
def test_it_does_not_start_for_nobody(arguments: tuple[str, ...], db: None) -> None:
    """Without a person, or for an unknown one, it says so and ends with exit code 2."""
    done = run(*arguments, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--as EMAIL" in done.stderr or "nobody@example.com" in done.stderr


def deactivate(user_id: Any) -> None:
    """Deactivate a person, on a connection of this thread's own."""
    User.objects.filter(pk=user_id).update(is_active=False)
    connection.close()
