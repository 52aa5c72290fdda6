"""The question above an answer, where the answer does not stand below it."""

from dataclasses import replace

from bot.blocks.message import Message
from bot.blocks.text import context, escape_within
from core.language.i18n.translation import say

_LIMIT = 1000  # characters of a question, which has no more


def put_question_above(said: Message, question: str, *, asked_by: str = "") -> Message:
    """An answer with its question before it. asked_by: a Slack user; without one it is who reads it."""
    shown = escape_within(" ".join(question.split()), _LIMIT)
    if asked_by:
        asked = say("{person} asked: {question}", person=f"<@{asked_by}>", question=shown)
    else:
        asked = say("You asked: {question}", question=shown)
    return replace(said, blocks=[context(asked).to_dict(), *said.blocks])
