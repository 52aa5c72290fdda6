"""What a call wants a message to hold, and where."""

from typing import Any

from slack_emulator.models import LocalChannel
from slack_emulator.webapi.blocks import checked_blocks
from slack_emulator.webapi.calls import Call, RefusedCallError

LONGEST_TEXT = 40_000


def thread_of(call: Call, channel: LocalChannel) -> str:
    """The ts that the thread begins with; a reply's own ts leads to the thread it is in."""
    ts = call.text("thread_ts")
    if not ts:
        return ""
    parent = channel.messages.filter(ts=ts, only_for=None).first()
    if parent is None:
        raise RefusedCallError("cannot_reply_to_message", f"[ERROR] there is no message with the ts {ts}")
    return parent.root_ts


def content_of(call: Call) -> dict[str, Any]:
    """The text and the blocks of a new message, of which one must be there."""
    content: dict[str, Any] = {"text": text_of(call), "blocks": blocks_of(call)}
    if not content["text"] and not content["blocks"]:
        raise RefusedCallError("no_text")
    return content


def text_of(call: Call) -> str:
    """The text, within Slack's limit."""
    text = call.text("text")
    if len(text) > LONGEST_TEXT:
        raise RefusedCallError("msg_too_long")
    return text


def blocks_of(call: Call) -> list[dict[str, Any]]:
    """The blocks, checked; none when there are none."""
    blocks = call.structure("blocks", "invalid_blocks_format")
    return checked_blocks(blocks, surface="message") if blocks else []


def metadata_of(call: Call) -> dict[str, Any]:
    """The metadata; empty when there is none."""
    metadata = call.structure("metadata", "invalid_metadata_format") or {}
    if not isinstance(metadata, dict) or (metadata and set(metadata) != {"event_type", "event_payload"}):
        raise RefusedCallError("invalid_metadata_format")
    return metadata
