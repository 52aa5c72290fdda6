"""The chat.* and reactions.* methods: what Footnote says, and how a call's text, blocks and thread are read."""

from typing import Any

from slack_emulator.accounts import find_person, open_direct_channel
from slack_emulator.models import LocalChannel, LocalMessage, add_message, clear_status, make_ts
from slack_emulator.shapes import Json, shape_message
from slack_emulator.webapi.blocks import check_blocks
from slack_emulator.webapi.calls import Call, RefusedCallError

LONGEST_TEXT = 40_000


def post_message(call: Call) -> Json:
    """Post in a channel, in a thread, or in the direct messages of a person whose id is given as the channel."""
    person = find_person(call.read_text("channel"))
    channel = open_direct_channel(person) if person else call.find_channel()
    message = add_message(
        channel, thread_ts=read_thread(call, channel), metadata=read_metadata(call), **read_content(call)
    )
    clear_status(channel, message.thread_ts)
    return {"channel": channel.channel_id, "ts": message.ts, "message": shape_message(message)}


def post_ephemeral(call: Call) -> Json:
    """Post for one member's eyes only."""
    channel = call.find_channel()
    person = find_person(call.read_required("user"))
    if person is None or not channel.members.filter(pk=person.pk).exists():
        raise RefusedCallError("user_not_in_channel")
    message = add_message(channel, thread_ts=read_thread(call, channel), only_for=person, **read_content(call))
    return {"message_ts": message.ts}


def update(call: Call) -> Json:
    """Change a message of Footnote's own. Blocks that are not given stay; an empty list takes them away."""
    channel = call.find_channel()
    message = call.find_message(channel, ts_argument="ts")
    if message.author is not None:
        raise RefusedCallError("cant_update_message")
    if message.is_streaming:
        raise RefusedCallError("streaming_state_conflict")
    if "text" in call.arguments:
        message.text = read_text(call)
    if "blocks" in call.arguments:
        message.blocks = read_blocks(call)
    if not message.text and not message.blocks:
        raise RefusedCallError("no_text")
    if "metadata" in call.arguments:
        message.metadata = read_metadata(call)
    message.edited_ts = make_ts()
    message.save()
    return {
        "channel": channel.channel_id,
        "ts": message.ts,
        "text": message.text,
        "message": shape_message(message),
    }


def delete(call: Call) -> Json:
    """Take back a message of Footnote's own."""
    channel = call.find_channel()
    message = call.find_message(channel, ts_argument="ts")
    if message.author is not None:
        raise RefusedCallError("cant_delete_message")
    message.delete()
    return {"channel": channel.channel_id, "ts": message.ts}


def add_reaction(call: Call) -> Json:
    """React to a message."""
    message = call.find_message(call.find_channel(), ts_argument="timestamp")
    name = call.read_required("name")
    if name in message.reactions:
        raise RefusedCallError("already_reacted")
    return _set_reactions(message, [*message.reactions, name])


def remove_reaction(call: Call) -> Json:
    """Take a reaction back."""
    message = call.find_message(call.find_channel(), ts_argument="timestamp")
    name = call.read_required("name")
    if name not in message.reactions:
        raise RefusedCallError("no_reaction")
    return _set_reactions(message, [kept for kept in message.reactions if kept != name])


def _set_reactions(message: LocalMessage, names: list[str]) -> Json:
    message.reactions = names
    message.save(update_fields=["reactions"])
    return {}


def read_thread(call: Call, channel: LocalChannel) -> str:
    """Read the ts that the thread begins with; a reply's own ts leads to the thread it is in."""
    ts = call.read_text("thread_ts")
    if not ts:
        return ""
    parent = channel.messages.filter(ts=ts, only_for=None).first()
    if parent is None:
        raise RefusedCallError("cannot_reply_to_message", f"[ERROR] there is no message with the ts {ts}")
    return parent.root_ts


def read_content(call: Call) -> dict[str, Any]:
    """Read the text and the blocks of a new message, of which one must be there."""
    content: dict[str, Any] = {"text": read_text(call), "blocks": read_blocks(call)}
    if not content["text"] and not content["blocks"]:
        raise RefusedCallError("no_text")
    return content


def read_text(call: Call) -> str:
    """Read the text, within Slack's limit."""
    text = call.read_text("text")
    if len(text) > LONGEST_TEXT:
        raise RefusedCallError("msg_too_long")
    return text


def read_blocks(call: Call) -> list[dict[str, Any]]:
    """Read the blocks, checked; none when there are none."""
    blocks = call.read_structure("blocks", "invalid_blocks_format")
    return check_blocks(blocks, surface="message") if blocks else []


def read_metadata(call: Call) -> dict[str, Any]:
    """Read the metadata; empty when there is none."""
    metadata = call.read_structure("metadata", "invalid_metadata_format") or {}
    if not isinstance(metadata, dict) or (metadata and set(metadata) != {"event_type", "event_payload"}):
        raise RefusedCallError("invalid_metadata_format")
    return metadata
