"""An answer that somebody shows to others."""

from dataclasses import replace

from bot.blocks.message import Message
from bot.blocks.text import context


def shared_by(slack_user_id: str, said: Message) -> Message:
    """An answer with the name of who shared it."""
    return replace(said, blocks=[*said.blocks, context(f"Shared by <@{slack_user_id}>").to_dict()])
