"""An answer that somebody shows to others."""

from dataclasses import replace

from bot.blocks.message import Message
from bot.blocks.text import context
from core.language.i18n.translation import say


def add_sharer(slack_user_id: str, said: Message) -> Message:
    """An answer with the name of who shared it."""
    by = say("Shared by {person}", person=f"<@{slack_user_id}>")
    return replace(said, blocks=[*said.blocks, context(by).to_dict()])
