"""The chat.* and reactions.* methods: what Footnote says."""

from slack_emulator.accounts import direct_channel, find_person
from slack_emulator.models import LocalChannel, LocalMessage, add_message, clear_status, now_ts
from slack_emulator.shapes import Json, message_shape
from slack_emulator.webapi.calls import Call, RefusedCallError
from slack_emulator.webapi.content import blocks_of, content_of, metadata_of, text_of, thread_of


def post_message(call: Call) -> Json:
    """Post in a channel, in a thread, or in a person's direct messages when a user id stands for the channel."""
    channel = _target(call)
    message = add_message(channel, thread_ts=thread_of(call, channel), metadata=metadata_of(call), **content_of(call))
    clear_status(channel, message.thread_ts)
    return {"channel": channel.channel_id, "ts": message.ts, "message": message_shape(message)}


def post_ephemeral(call: Call) -> Json:
    """Post for one member's eyes only."""
    channel = call.channel()
    person = find_person(call.required("user"))
    if person is None or not channel.members.filter(pk=person.pk).exists():
        raise RefusedCallError("user_not_in_channel")
    message = add_message(channel, thread_ts=thread_of(call, channel), only_for=person, **content_of(call))
    return {"message_ts": message.ts}


def update(call: Call) -> Json:
    """Change a message of Footnote's own. Blocks that are not given stay; an empty list takes them away."""
    channel = call.channel()
    message = call.message(channel, ts_argument="ts")
    if message.author is not None:
        raise RefusedCallError("cant_update_message")
    if message.is_streaming:
        raise RefusedCallError("streaming_state_conflict")
    if "text" in call.arguments:
        message.text = text_of(call)
    if "blocks" in call.arguments:
        message.blocks = blocks_of(call)
    if not message.text and not message.blocks:
        raise RefusedCallError("no_text")
    if "metadata" in call.arguments:
        message.metadata = metadata_of(call)
    message.edited_ts = now_ts()
    message.save()
    return {
        "channel": channel.channel_id,
        "ts": message.ts,
        "text": message.text,
        "message": message_shape(message),
    }


def delete(call: Call) -> Json:
    """Take back a message of Footnote's own."""
    channel = call.channel()
    message = call.message(channel, ts_argument="ts")
    if message.author is not None:
        raise RefusedCallError("cant_delete_message")
    message.delete()
    return {"channel": channel.channel_id, "ts": message.ts}


def add_reaction(call: Call) -> Json:
    """React to a message."""
    message = call.message(call.channel(), ts_argument="timestamp")
    name = call.required("name")
    if name in message.reactions:
        raise RefusedCallError("already_reacted")
    return _set_reactions(message, [*message.reactions, name])


def remove_reaction(call: Call) -> Json:
    """Take a reaction back."""
    message = call.message(call.channel(), ts_argument="timestamp")
    name = call.required("name")
    if name not in message.reactions:
        raise RefusedCallError("no_reaction")
    return _set_reactions(message, [kept for kept in message.reactions if kept != name])


def _set_reactions(message: LocalMessage, names: list[str]) -> Json:
    message.reactions = names
    message.save(update_fields=["reactions"])
    return {}


def _target(call: Call) -> LocalChannel:
    person = find_person(call.text("channel"))
    return direct_channel(person) if person else call.channel()
