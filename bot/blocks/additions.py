"""Add lines to an answer where they are needed: its question, the channel that it is about, who shared it."""

from dataclasses import replace

from bot.blocks.message import Message
from bot.blocks.text import context, escape_within
from core.language.i18n.translation import say

_QUESTION_LIMIT = 1000  # characters of a question, which has no more


def put_question_above(said: Message, question: str, *, asked_by: str = "") -> Message:
    """Return an answer with its question before it. asked_by: a Slack user; without one it is who reads it."""
    shown = escape_within(" ".join(question.split()), _QUESTION_LIMIT)
    if asked_by:
        asked = say("{person} asked: {question}", person=f"<@{asked_by}>", question=shown)
    else:
        asked = say("You asked: {question}", question=shown)
    return replace(said, blocks=[context(asked).to_dict(), *said.blocks])


def put_channel_above(said: Message, channel_id: str) -> Message:
    """Return an answer with the channel that it is about before it. Slack shows the channel's name in its place."""
    about = context(say("About {channel}", channel=f"<#{channel_id}>"))
    return replace(said, blocks=[about.to_dict(), *said.blocks])


def add_sharer(slack_user_id: str, said: Message) -> Message:
    """Return an answer with the name of who shared it."""
    by = say("Shared by {person}", person=f"<@{slack_user_id}>")
    return replace(said, blocks=[*said.blocks, context(by).to_dict()])
