"""The channel above an answer, where a question in the direct messages meant one."""

from dataclasses import replace

from bot.blocks.message import Message
from bot.blocks.text import context
from core.language.i18n.translation import say


def put_channel_above(said: Message, channel_id: str) -> Message:
    """Return an answer with the channel that it is about before it. Slack shows the channel's name in its place."""
    about = context(say("About {channel}", channel=f"<#{channel_id}>"))
    return replace(said, blocks=[about.to_dict(), *said.blocks])
