"""The chat.*Stream methods: a message that grows.

Rules after https://docs.slack.dev/reference/methods/chat.startStream and what slack_sdk's ChatStream calls.
"""

from typing import Any

from django.db import transaction

from slack_emulator.models import LocalMessage, add_message, clear_status
from slack_emulator.shapes import Json, message_shape
from slack_emulator.webapi.calls import Call, RefusedCallError
from slack_emulator.webapi.chunks import DISPLAY_MODES, blocks_of_parts, chunks_of, text_of_parts, with_chunk
from slack_emulator.webapi.content import blocks_of, metadata_of, thread_of

TEXT_LIMIT = 12_000


@transaction.atomic
def start_stream(call: Call) -> Json:
    """Post a message that can grow, as a reply to somebody."""
    channel = call.channel()
    call.required("thread_ts")
    if not channel.is_im:
        for name in ("recipient_user_id", "recipient_team_id"):
            if not call.text(name):
                raise RefusedCallError(f"missing_{name}")
    mode = call.text("task_display_mode") or "timeline"
    if mode not in DISPLAY_MODES:
        raise RefusedCallError("invalid_arguments", "[ERROR] unknown task_display_mode")
    thread_ts = thread_of(call, channel)
    message = add_message(channel, thread_ts=thread_ts, stream={"is_open": True, "mode": mode, "parts": []})
    _grow(message, call)
    message.save()
    clear_status(channel, thread_ts)
    return {"channel": channel.channel_id, "ts": message.ts}


@transaction.atomic
def append_stream(call: Call) -> Json:
    """Let a streaming message grow."""
    message = _streaming(call)
    if not call.text("markdown_text") and not call.arguments.get("chunks"):
        raise RefusedCallError("no_text")
    _grow(message, call)
    message.save()
    return {"channel": message.channel.channel_id, "ts": message.ts}


@transaction.atomic
def stop_stream(call: Call) -> Json:
    """End a stream; its last words and its blocks come with the end."""
    message = _streaming(call)
    _grow(message, call)
    message.blocks = [*message.blocks, *blocks_of(call)]
    message.metadata = metadata_of(call)
    message.stream = {"is_open": False}
    message.save()
    return {"channel": message.channel.channel_id, "ts": message.ts, "message": message_shape(message)}


def _streaming(call: Call) -> LocalMessage:
    message = call.message(call.channel(), ts_argument="ts")
    if not message.is_streaming:
        raise RefusedCallError("message_not_in_streaming_state")
    return message


def _grow(message: LocalMessage, call: Call) -> None:
    parts: list[Any] = message.stream["parts"]
    for chunk in chunks_of(call):
        parts = with_chunk(parts, chunk)
    text = text_of_parts(parts)
    if len(text) > TEXT_LIMIT:
        raise RefusedCallError("msg_too_long")
    message.stream["parts"] = parts
    message.text, message.blocks = text, blocks_of_parts(parts, message.stream["mode"])
