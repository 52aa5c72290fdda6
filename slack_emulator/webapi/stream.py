"""The chat.*Stream methods: a message that grows by chunks, and the blocks that these make together.

Rules after https://docs.slack.dev/reference/methods/chat.startStream and what slack_sdk's ChatStream calls. Shapes of
chunks after slack_sdk.models.messages.chunk.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db import transaction

from slack_emulator.models import LocalMessage, add_message, clear_status
from slack_emulator.shapes import Json, shape_message
from slack_emulator.webapi.blocks import check_blocks
from slack_emulator.webapi.calls import Call, RefusedCallError
from slack_emulator.webapi.chat import read_blocks, read_metadata, read_thread
from slack_emulator.webapi.sessions import find_session, read_status

TEXT_LIMIT = 12_000
DISPLAY_MODES = frozenset({"timeline", "plan"})
STATES = frozenset({"pending", "in_progress", "complete", "error"})
KEYS = {
    "markdown_text": frozenset({"type", "text"}),
    "task_update": frozenset({"type", "id", "title", "status", "details", "output", "sources"}),
    "plan_update": frozenset({"type", "title"}),
    "blocks": frozenset({"type", "blocks"}),
}


@transaction.atomic
def start_stream(call: Call) -> Json:
    """Post a message that can grow, as a reply to somebody."""
    channel = call.find_channel()
    call.read_required("thread_ts")
    if not channel.is_im:
        for name in ("recipient_user_id", "recipient_team_id"):
            if not call.read_text(name):
                raise RefusedCallError(f"missing_{name}")
    mode = call.read_text("task_display_mode") or "timeline"
    if mode not in DISPLAY_MODES:
        raise RefusedCallError("invalid_arguments", "[ERROR] unknown task_display_mode")
    thread_ts = read_thread(call, channel)
    message = add_message(channel, thread_ts=thread_ts, stream={"is_open": True, "mode": mode, "parts": []})
    _grow_message(message, call)
    message.save()
    clear_status(channel, thread_ts)
    return {"channel": channel.channel_id, "ts": message.ts}


@transaction.atomic
def append_stream(call: Call) -> Json:
    """Let a streaming message grow."""
    message = _find_stream(call)
    if not call.read_text("markdown_text") and not call.arguments.get("chunks"):
        raise RefusedCallError("no_text")
    _grow_message(message, call)
    message.save()
    return {"channel": message.channel.channel_id, "ts": message.ts}


@transaction.atomic
def stop_stream(call: Call) -> Json:
    """End a stream; its last words and its blocks come with the end, and what becomes of an agent's session."""
    message = _find_stream(call)
    status = read_status(call, "session_status") if call.read_text("session_status") else ""
    _grow_message(message, call)
    message.blocks = [*message.blocks, *read_blocks(call)]
    message.metadata = read_metadata(call)
    message.stream = {"is_open": False}
    message.save()
    session = find_session(message.channel, message.root_ts)
    if session and status:
        session.session_status = status
        session.save(update_fields=["session_status"])
    return {"channel": message.channel.channel_id, "ts": message.ts, "message": shape_message(message)}


def _find_stream(call: Call) -> LocalMessage:
    message = call.find_message(call.find_channel(), ts_argument="ts")
    if message.stream.get("is_stopped"):
        raise RefusedCallError("stopped_by_user")
    if not message.is_streaming:
        raise RefusedCallError("message_not_in_streaming_state")
    return message


def _grow_message(message: LocalMessage, call: Call) -> None:
    parts: list[Any] = message.stream["parts"]
    for chunk in read_chunks(call):
        parts = add_chunk(parts, chunk)
    text = join_text(parts)
    if len(text) > TEXT_LIMIT:
        raise RefusedCallError("msg_too_long")
    message.stream["parts"] = parts
    message.text, message.blocks = text, build_blocks(parts, message.stream["mode"])


def read_chunks(call: Call) -> list[Json]:
    """Read the chunks of a call, its bare text among them."""
    given = call.read_structure("chunks", "invalid_arguments") or []
    if not isinstance(given, list) or not all(_is_chunk(chunk) for chunk in given):
        raise RefusedCallError("invalid_arguments", "[ERROR] an unknown or incomplete chunk [json-pointer:/chunks]")
    text = call.read_text("markdown_text")
    return [*([{"type": "markdown_text", "text": text}] if text else []), *given]


def add_chunk(parts: Sequence[Json], chunk: Json) -> list[Json]:
    """Return the parts of a stream after another chunk: text continues text, a task with a known id is changed."""
    if chunk["type"] == "markdown_text" and parts and parts[-1]["type"] == "markdown_text":
        return [*parts[:-1], {**chunk, "text": parts[-1]["text"] + chunk["text"]}]
    key = "id" if chunk["type"] == "task_update" else "type"
    if chunk["type"] in {"task_update", "plan_update"}:
        for i, part in enumerate(parts):
            if part["type"] == chunk["type"] and part[key] == chunk[key]:
                return [*parts[:i], {**part, **chunk}, *parts[i + 1 :]]
    return [*parts, chunk]


def join_text(parts: Sequence[Json]) -> str:
    """Return all text that was streamed."""
    return "".join(part["text"] for part in parts if part["type"] == "markdown_text")


def build_blocks(parts: Sequence[Json], mode: str) -> list[Json]:
    """Render the parts as blocks: tasks in their order among the text, or together as a plan before it."""
    tasks = [_build_task(part) for part in parts if part["type"] == "task_update"]
    blocks = list(_build_parts(parts, with_tasks=mode == "timeline"))
    if mode == "plan" and tasks:
        title = next((part["title"] for part in parts if part["type"] == "plan_update"), "Steps")
        blocks.insert(0, {"type": "plan", "title": title, "tasks": tasks})
    return [{**block, "block_id": block.get("block_id", f"stream-{i}")} for i, block in enumerate(blocks)]


def _build_parts(parts: Sequence[Json], *, with_tasks: bool) -> Iterator[Json]:
    for part in parts:
        if part["type"] == "markdown_text":
            yield {"type": "markdown", "text": part["text"]}
        elif part["type"] == "task_update" and with_tasks:
            yield _build_task(part)
        elif part["type"] == "blocks":
            yield from check_blocks(part["blocks"], surface="message")


def _build_task(part: Json) -> Json:
    card: Json = {"type": "task_card", "task_id": part["id"], "title": part["title"], "status": part["status"]}
    for key in ("details", "output"):
        if part.get(key):
            section = {"type": "rich_text_section", "elements": [{"type": "text", "text": part[key]}]}
            card[key] = {"type": "rich_text", "elements": [section]}
    return card | ({"sources": part["sources"]} if part.get("sources") else {})


def _is_chunk(chunk: Any) -> bool:
    if not isinstance(chunk, dict) or not set(chunk) <= KEYS.get(str(chunk.get("type")), frozenset()):
        return False
    if chunk["type"] == "markdown_text":
        return bool(chunk.get("text"))
    if chunk["type"] == "task_update":
        return bool(chunk.get("id") and chunk.get("title")) and chunk.get("status") in STATES
    return bool(chunk.get("title") if chunk["type"] == "plan_update" else chunk.get("blocks"))
