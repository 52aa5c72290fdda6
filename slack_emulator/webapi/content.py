"""Read a call's content of a message, and its thread."""

from typing import Any

from slack_emulator.models import LocalChannel
from slack_emulator.webapi.blocks import check_blocks
from slack_emulator.webapi.calls import Call, RefusedCallError

LONGEST_TEXT = 40_000


def read_thread(call: Call, channel: LocalChannel) -> str:
    """The ts that the thread begins with; a reply's own ts leads to the thread it is in."""
    ts = call.read_text("thread_ts")
    if not ts:
        return ""
    parent = channel.messages.filter(ts=ts, only_for=None).first()
    if parent is None:
        raise RefusedCallError("cannot_reply_to_message", f"[ERROR] there is no message with the ts {ts}")
    return parent.root_ts


def read_content(call: Call) -> dict[str, Any]:
    """The text and the blocks of a new message, of which one must be there."""
    content: dict[str, Any] = {"text": read_text(call), "blocks": read_blocks(call)}
    if not content["text"] and not content["blocks"]:
        raise RefusedCallError("no_text")
    return content


def read_text(call: Call) -> str:
    """The text, within Slack's limit."""
    text = call.read_text("text")
    if len(text) > LONGEST_TEXT:
        raise RefusedCallError("msg_too_long")
    return text


def read_blocks(call: Call) -> list[dict[str, Any]]:
    """The blocks, checked; none when there are none."""
    blocks = call.read_structure("blocks", "invalid_blocks_format")
    return check_blocks(blocks, surface="message") if blocks else []


def read_metadata(call: Call) -> dict[str, Any]:
    """The metadata; empty when there is none."""
    metadata = call.read_structure("metadata", "invalid_metadata_format") or {}
    if not isinstance(metadata, dict) or (metadata and set(metadata) != {"event_type", "event_payload"}):
        raise RefusedCallError("invalid_metadata_format")
    return metadata
