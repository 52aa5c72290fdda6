"""A message that grows, as Slack's own client streams it."""

from typing import Any

import pytest
from django.test import Client
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.models.messages.chunk import MarkdownTextChunk, PlanUpdateChunk, TaskUpdateChunk

from bot.slack.workspace import LOCAL_TEAM_ID
from core.testing import Cast
from slack_emulator.accounts import find_slack_id
from slack_emulator.models import LocalMessage, add_message, messages
from slack_emulator.webapi import stream
from slack_emulator.webapi.blocks import check_blocks
from slack_emulator.webapi.calls import Call, RefusedCallError
from slack_emulator.webapi.stream import add_chunk, build_blocks, join_text, read_chunks
from tests.integration.slack_emulator.conftest import GENERAL, channel, direct_id, page_state, say

Json = dict[str, Any]
SECTION: Json = {"type": "section", "text": {"type": "mrkdwn", "text": "Sources"}}


def _refusal(call: Any, **arguments: Any) -> str:
    with pytest.raises(SlackApiError) as caught:
        call(**arguments)
    return str(caught.value.response["error"])


def test_slacks_own_stream_grows_a_message(slack: WebClient, workspace: Cast, browser: Client) -> None:
    """Text continues text, a step changes in place, and the blocks come at the end; then it can be updated."""
    root = say(workspace.alice, "question")
    streamer = slack.chat_stream(
        channel=GENERAL,
        thread_ts=root.ts,
        recipient_team_id=LOCAL_TEAM_ID,
        recipient_user_id=find_slack_id(workspace.alice),
        buffer_size=1,
    )
    streamer.append(chunks=[TaskUpdateChunk(id="1", title="Searching", status="in_progress")])
    streamer.append(markdown_text="The boiler ")
    streamer.append(chunks=[TaskUpdateChunk(id="1", title="Searched", status="complete", output="9 passages")])
    streamer.append(markdown_text="is inspected.")

    def shown() -> Json:
        [_root, message] = page_state(browser, workspace.bob, GENERAL, root.ts)["thread"]
        return dict(message)

    growing = shown()
    assert (growing["streaming_state"], growing["text"]) == ("in_progress", "The boiler is inspected.")
    assert [(b["type"], b.get("status"), b.get("text")) for b in growing["blocks"]] == [
        ("task_card", "complete", None),
        ("markdown", None, "The boiler is inspected."),
    ]
    place: Json = {"channel": GENERAL, "ts": str(streamer.ts)}
    assert _refusal(slack.chat_update, **place, text="x") == "streaming_state_conflict"
    streamer.stop(blocks=[SECTION], metadata={"event_type": "answer", "event_payload": {"id": "1"}})
    stopped = shown()
    assert (stopped["streaming_state"], [b["type"] for b in stopped["blocks"]]) == (
        "completed",
        ["task_card", "markdown", "section"],
    )
    assert _refusal(slack.chat_appendStream, **place, markdown_text="x") == "message_not_in_streaming_state"
    assert _refusal(slack.chat_stopStream, **place) == "message_not_in_streaming_state"
    assert slack.chat_update(**place, text="new", blocks=[SECTION])["message"]["text"] == "new"
    assert LocalMessage.objects.get(ts=streamer.ts).metadata["event_type"] == "answer"


def test_a_stream_is_a_reply_to_somebody(slack: WebClient, workspace: Cast) -> None:
    """It needs a thread and, in a channel, whom it is for; in direct messages that is known."""
    root, private = say(workspace.alice, "question"), say(workspace.bob, "question", direct_id(workspace.bob))
    place: Json = {"channel": GENERAL, "thread_ts": root.ts}
    assert _refusal(slack.chat_startStream, channel=GENERAL, thread_ts="") == "invalid_arguments"
    assert _refusal(slack.chat_startStream, **place) == "missing_recipient_user_id"
    assert _refusal(slack.chat_startStream, **place, recipient_user_id="U") == "missing_recipient_team_id"
    assert _refusal(slack.chat_startStream, channel=direct_id(workspace.bob), thread_ts="1.000001") == (
        "cannot_reply_to_message"
    )
    assert LocalMessage.objects.count() == 2
    assert slack.chat_startStream(channel=direct_id(workspace.bob), thread_ts=private.ts)["ts"]


def _streaming(**more: Any) -> tuple[LocalMessage, Json]:
    message = add_message(channel(GENERAL), stream={"is_open": True, "mode": "timeline", "parts": []}, **more)
    return message, {"channel": GENERAL, "ts": message.ts}


def _code(method: Any, arguments: Json) -> str:
    with pytest.raises(RefusedCallError) as caught:
        method(Call(arguments))
    return caught.value.code


def test_a_stream_has_a_greatest_length(workspace: Cast) -> None:
    """12,000 characters together; what would go over is not added."""
    message, place = _streaming()
    stream.append_stream(Call({**place, "markdown_text": "x" * 12_000}))
    assert _code(stream.append_stream, {**place, "markdown_text": "x"}) == "msg_too_long"
    assert _code(stream.append_stream, place) == "no_text"
    message.refresh_from_db()
    assert len(message.text) == 12_000


def test_a_stream_ends_by_itself(workspace: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """After some minutes it cannot grow any more."""
    message, place = _streaming()
    assert message.is_streaming
    monkeypatch.setattr(messages, "STREAM_LIFETIME_S", -1)
    assert _code(stream.append_stream, {**place, "markdown_text": "x"}) == "message_not_in_streaming_state"


@pytest.mark.parametrize(
    "chunk",
    [
        "text",
        {"type": "other"},
        {"type": "markdown_text", "text": ""},
        {"type": "markdown_text", "text": "x", "more": 1},
        {"type": "task_update", "id": "1", "title": "x", "status": "done"},
        {"type": "task_update", "title": "x", "status": "complete"},
        {"type": "plan_update"},
    ],
    ids=str,
)
def test_a_chunk_that_is_none_is_refused(chunk: Any) -> None:
    """Unknown types, unknown keys and what lacks something."""
    with pytest.raises(RefusedCallError):
        read_chunks(Call({"chunks": [chunk]}))


def test_steps_can_be_shown_as_a_plan() -> None:
    """Together, before the text, under the newest title; what comes of it are blocks that Slack takes."""
    parts: list[Json] = []
    for chunk in (
        PlanUpdateChunk(title="Looking"),
        TaskUpdateChunk(id="1", title="Search", status="complete", details="by meaning"),
        MarkdownTextChunk(text="Found."),
        TaskUpdateChunk(
            id="2", title="Check", status="pending", sources=[{"type": "url", "url": "https://x", "text": "x"}]
        ),
        PlanUpdateChunk(title="Looked"),
    ):
        parts = add_chunk(parts, chunk.to_dict())
    plan, text = build_blocks(parts, "plan")
    assert (plan["title"], [task["task_id"] for task in plan["tasks"]], text["text"]) == (
        "Looked",
        ["1", "2"],
        "Found.",
    )
    assert [b["type"] for b in build_blocks(parts, "timeline")] == ["task_card", "markdown", "task_card"]
    assert join_text(parts) == "Found."
    for mode in ("plan", "timeline"):
        assert check_blocks(build_blocks(parts, mode), surface="message")
