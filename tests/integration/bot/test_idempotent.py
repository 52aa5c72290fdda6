"""A message is posted once, whatever broke off; it is edited, and posted anew where somebody has deleted it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from bot.blocks.message import notice
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from bot.slack.idempotent import DeletedMessageError, IdempotentMessage
from bot.slack.workspace import find_client
from tests.integration.bot.conftest import CHANNEL
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer

THREAD = "1700000000.000001"
LOST = Failure(error="", done=True, hang_up=True)  # Slack posted it, and its answer never came

pytestmark = pytest.mark.django_db

Attempt = Callable[..., IdempotentMessage]


@pytest.fixture
def recorded() -> list[str]:
    """Each ts that was recorded."""
    return []


@pytest.fixture(params=[THREAD, ""], ids=["in a thread", "in the channel"])
def attempt(request: pytest.FixtureRequest, workspace: SlackServer, recorded: list[str]) -> Attempt:
    """Build the message as a process has it that knows what was recorded; as its first attempt where set so."""

    def begin(*, first: bool = False, marker: str = "mark-1", **fields: Any) -> IdempotentMessage:
        return IdempotentMessage(
            client=find_client(TEAM),
            team_id=TEAM,
            channel_id=CHANNEL,
            thread_ts=request.param,
            marker=marker,
            ts=recorded[-1] if recorded else "",
            since="" if first else THREAD,
            record=recorded.append,
            **fields,
        )

    return begin


def texts(workspace: SlackServer) -> list[str]:
    return [message["text"] for message in workspace.messages[CHANNEL]]


def test_a_lost_answer_posts_nothing_twice(attempt: Attempt, workspace: SlackServer, recorded: list[str]) -> None:
    """The next attempt finds the message by its marker, whichever way it goes on, among others and on any page."""
    attempt(first=True, marker="mark-2").put(notice("Another"))
    recorded.clear()
    workspace.fail("chat.postMessage", LOST)
    with pytest.raises(SlackUnavailableError):
        attempt(first=True).ensure(lambda: notice("One"))
    for number in range(3):
        attempt(first=True, marker=f"later-{number}").put(notice("Later"))
        recorded.clear()
    attempt().ensure(lambda: pytest.fail("it was composed again"))
    assert recorded == [workspace.messages[CHANNEL][1]["ts"]]
    recorded.clear()
    attempt().put(notice("Two"))
    assert recorded == [workspace.messages[CHANNEL][1]["ts"]]
    assert texts(workspace) == ["Another", "Two", "Later", "Later", "Later"]


def test_what_never_came_is_posted(attempt: Attempt, workspace: SlackServer) -> None:
    """Once it is looked for in vain."""
    workspace.fail("chat.postMessage", Failure(error="", hang_up=True))
    with pytest.raises(SlackUnavailableError):
        attempt(first=True).put(notice("One"))
    attempt().put(notice("Two"))
    assert texts(workspace) == ["Two"]


def test_the_first_attempt_and_a_known_message_are_not_looked_for(attempt: Attempt, workspace: SlackServer) -> None:
    """Slack is asked for what was said only after an attempt that left nothing recorded."""
    attempt(first=True).ensure(lambda: notice("One"))
    attempt().ensure(lambda: notice("Two"))
    attempt().put(notice("Three"))
    assert [method for method, _ in workspace.calls] == ["chat.postMessage", "chat.update"]
    assert texts(workspace) == ["Three"]


def test_a_message_without_its_marker(attempt: Attempt, workspace: SlackServer, recorded: list[str]) -> None:
    """It is recognised by other marks of its look; the marker goes first."""
    seen: list[list[str]] = []

    def last(messages: list[dict[str, Any]]) -> str:
        seen.append([message["ts"] for message in messages])
        return str(seen[-1][0])

    attempt(first=True, marker="mark-2").put(notice("Unmarked"))
    recorded.clear()
    assert attempt(find_unmarked=last).is_there()
    assert recorded == [workspace.messages[CHANNEL][0]["ts"]] == seen[0]
    recorded.clear()
    assert attempt(marker="mark-2", find_unmarked=last).is_there()
    assert len(seen) == 1


def test_where_slack_does_not_let_us_look(attempt: Attempt, workspace: SlackServer) -> None:
    """A message too many is better than none."""
    workspace.fail("chat.postMessage", LOST)
    with pytest.raises(SlackUnavailableError):
        attempt(first=True).put(notice("One"))
    for method in ("conversations.replies", "conversations.history"):
        workspace.fail(method, Failure(error="missing_scope"))
    attempt().put(notice("Two"))
    assert texts(workspace) == ["One", "Two"]


def test_a_deleted_message_is_posted_anew(attempt: Attempt, workspace: SlackServer, recorded: list[str]) -> None:
    """By the next attempt; that it is gone is recorded by `put` and not by `edit`."""
    attempt(first=True).put(notice("One"))
    workspace.messages[CHANNEL].clear()
    with pytest.raises(DeletedMessageError):
        attempt().edit(notice("Two"))
    assert recorded[1:] == []
    with pytest.raises(DeletedMessageError):
        attempt().put(notice("Two"))
    assert recorded[1:] == [""]
    attempt().put(notice("Three"))
    assert texts(workspace) == ["Three"]


def test_another_refusal_is_no_deletion(attempt: Attempt, workspace: SlackServer, recorded: list[str]) -> None:
    """The message is still known."""
    attempt(first=True).put(notice("One"))
    workspace.fail("chat.update", Failure(error="invalid_blocks"))
    with pytest.raises(SlackRefusedError) as refused:
        attempt().put(notice("Two"))
    assert refused.value.code == "invalid_blocks"
    assert recorded == [workspace.messages[CHANNEL][0]["ts"]]


def test_it_waits_for_its_turn_to_be_posted(attempt: Attempt, workspace: SlackServer) -> None:
    """An edit does not; and a turn hears of what Slack refuses in it."""
    turns: list[str] = []

    @contextmanager
    def turn() -> Iterator[None]:
        turns.append("begun")
        try:
            yield
        except SlackUnavailableError as error:
            turns.append(error.code)
            raise

    workspace.fail("chat.postMessage", Failure(error="ratelimited", status=429))
    with pytest.raises(SlackUnavailableError):
        attempt(first=True, turn=turn).put(notice("One"))
    attempt(turn=turn).put(notice("One"))
    attempt(turn=turn).put(notice("Two"))
    assert turns == ["begun", "ratelimited", "begun"]
    assert texts(workspace) == ["Two"]
