"""Decide which messages of a channel are for us without a mention: follow-ups in our threads, questions to everyone.

In a thread, who has spoken decides, and whether something is asked; at the top of a channel, an administrator and the
words alone.
"""

from django.db import transaction

from bot.channels.settings import find_setting
from bot.models import Reply, WatchedThread
from bot.slack.markup import drop_markup, mentions_somebody
from core.language.query_understanding.asking import is_question, wants_answer
from core.language.query_understanding.courtesies import has_words, recognise

_SEVERAL = "*"  # in place of the last speaker: people have spoken to each other since we did


def watch_thread(reply: Reply) -> None:
    """Note that we said something in the thread of a channel: whoever speaks next may be speaking to us.

    This is noted after Slack has shown it. What somebody said meanwhile may have been heard already, and stands.
    """
    with transaction.atomic():
        thread, is_new = WatchedThread.objects.select_for_update().get_or_create(
            team_id=reply.event.team_id,
            channel_id=reply.channel_id,
            thread_ts=reply.thread_ts or reply.ts,
            defaults={"last_speaker": "", "last_ts": reply.ts},
        )
        if not is_new and float(thread.last_ts) < float(reply.ts):
            thread.last_speaker, thread.last_ts = "", reply.ts
            thread.save(update_fields=["last_speaker", "last_ts"])


def is_for_us(*, team_id: str, channel_id: str, thread_ts: str, user_id: str, ts: str, text: str) -> bool:
    """Return True if a message without our mention follows up on our reply in this thread; remembers who spoke.

    It does when it asks something, mentions nobody else, and nobody but its author has spoken since we did. A remark is
    heard and not answered, and where two people speak with each other we are silent until we are mentioned again.
    """
    with transaction.atomic():
        thread = (
            WatchedThread.objects.select_for_update()
            .filter(team_id=team_id, channel_id=channel_id, thread_ts=thread_ts)
            .first()
        )
        if thread is None or float(ts) <= float(thread.last_ts):
            return False
        ours = thread.last_speaker in ("", user_id) and not mentions_somebody(text)
        thread.last_ts = ts
        if not (ours and wants_answer(text)):
            thread.last_speaker = user_id if thread.last_speaker in ("", user_id) else _SEVERAL
            thread.save(update_fields=["last_speaker", "last_ts"])
            return False
        thread.save(update_fields=["last_ts"])
    setting = find_setting(team_id, channel_id)
    return setting is None or (setting.enabled and not setting.mention_only)


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
