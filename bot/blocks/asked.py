"""The question above an answer, where the answer does not stand below it."""

from dataclasses import replace

from bot.blocks.message import Message
from bot.blocks.text import context, escape_within

_LIMIT = 1000  # characters of a question, which has no more


def below_question(said: Message, question: str, *, asked_by: str = "") -> Message:
    """An answer with its question before it. asked_by: a Slack user; without one it is who reads it."""
    who = f"<@{asked_by}>" if asked_by else "You"
    asked = context(f"{who} asked: {escape_within(' '.join(question.split()), _LIMIT)}")
    return replace(said, blocks=[asked.to_dict(), *said.blocks])
