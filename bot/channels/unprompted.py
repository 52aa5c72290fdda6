"""Channels in which questions are answered that nobody put to us, when the answer is sure."""

from bot.channels.settings import find_setting
from bot.slack.markup import drop_markup, mentions_somebody
from core.language.query_understanding.asking import is_question
from core.language.query_understanding.courtesies import has_words, recognise


def answers_unasked(team_id: str, channel_id: str) -> bool:
    """Return True if an administrator has turned on unasked answers for a channel."""
    setting = find_setting(team_id, channel_id)
    return setting is not None and setting.enabled and setting.answers_unasked


def may_be_answered(*, team_id: str, channel_id: str, text: str) -> bool:
    """Return True if a message at the top of a channel is a question to everyone, and the channel wants these answered.

    It mentions nobody, and looks like a question by its words alone: whether there is an answer is found out later.
    """
    words = drop_markup(text)
    is_asked = not mentions_somebody(text) and has_words(words) and is_question(words) and recognise(words) is None
    return is_asked and answers_unasked(team_id, channel_id)
