"""The chat.*Stream methods: a message that grows.

Rules after https://docs.slack.dev/reference/methods/chat.startStream and what slack_sdk's ChatStream calls.
"""

from typing import Any

from django.db import transaction

from slack_emulator.models import LocalMessage, add_message, clear_status
from slack_emulator.shapes import Json, shape_message
from slack_emulator.webapi.calls import Call, RefusedCallError
from slack_emulator.webapi.chunks import DISPLAY_MODES, add_chunk, build_blocks, join_text, read_chunks
from slack_emulator.webapi.content import read_blocks, read_metadata, read_thread
from slack_emulator.webapi.sessions import find_session, read_status

TEXT_LIMIT = 12_000


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
    _grow(message, call)
    message.save()
    clear_status(channel, thread_ts)
    return {"channel": channel.channel_id, "ts": message.ts}


@transaction.atomic
def append_stream(call: Call) -> Json:
    """Let a streaming message grow."""
    message = _find_stream(call)
    if not call.read_text("markdown_text") and not call.arguments.get("chunks"):
        raise RefusedCallError("no_text")
    _grow(message, call)
    message.save()
    return {"channel": message.channel.channel_id, "ts": message.ts}


@transaction.atomic
def stop_stream(call: Call) -> Json:
    """End a stream; its last words and its blocks come with the end, and what becomes of an agent's session."""
    message = _find_stream(call)
    status = read_status(call, "session_status") if call.read_text("session_status") else ""
    _grow(message, call)
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


def _grow(message: LocalMessage, call: Call) -> None:
    parts: list[Any] = message.stream["parts"]
    for chunk in read_chunks(call):
        parts = add_chunk(parts, chunk)
    text = join_text(parts)
    if len(text) > TEXT_LIMIT:
        raise RefusedCallError("msg_too_long")
    message.stream["parts"] = parts
    message.text, message.blocks = text, build_blocks(parts, message.stream["mode"])
