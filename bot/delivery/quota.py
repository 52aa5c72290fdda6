"""Limit the questions of a person, and of a channel, in a period. Refused politely, and before a model is called."""

import datetime as dt

from django.conf import settings

from bot.models import SlackEvent
from core.language.i18n.translation import say, translatable

_PERIODS = {
    "minute": dt.timedelta(minutes=1),
    "hour": dt.timedelta(hours=1),
    "day": dt.timedelta(days=1),
}
# Whole sentences: languages differ in how they would put the parts together.
_PERSON = {
    "minute": translatable(
        "You have asked a lot in the last minute. I answer at most {most} questions a minute. Please ask again in a "
        "minute."
    ),
    "hour": translatable(
        "You have asked a lot in the last hour. I answer at most {most} questions an hour. Please ask again in an hour."
    ),
    "day": translatable(
        "You have asked a lot in the last day. I answer at most {most} questions a day. Please ask again tomorrow."
    ),
}
_CHANNEL = {
    "minute": translatable(
        "This channel has asked a lot in the last minute. I answer at most {most} questions a minute. Please ask "
        "again in a minute."
    ),
    "hour": translatable(
        "This channel has asked a lot in the last hour. I answer at most {most} questions an hour. Please ask again "
        "in an hour."
    ),
    "day": translatable(
        "This channel has asked a lot in the last day. I answer at most {most} questions a day. Please ask again "
        "tomorrow."
    ),
}


def check_quota(event: SlackEvent) -> str:
    """Explain to the asker that this question is over a limit; "" when it is not.

    Questions are counted up to this one, so that a later attempt has the same result. An overheard question counts for
    overheard ones alone: nobody who asks is to learn of it.
    """
    uncounted = [kind for kind in (SlackEvent.Kind.SHARE, SlackEvent.Kind.UNASKED) if kind != event.kind]
    asked = SlackEvent.objects.exclude(kind__in=uncounted).filter(team_id=event.team_id)
    limits = [(settings.SLACK_PERSON_QUOTA, asked.filter(user_id=event.user_id), _PERSON)]
    if event.is_public:
        limits.append((settings.SLACK_CHANNEL_QUOTA, asked.filter(channel_id=event.channel_id), _CHANNEL))
    for quota, questions, sentences in limits:
        most, period = parse(quota)
        since = event.received_at - _PERIODS[period]
        earlier = questions.filter(received_at__gt=since, received_at__lt=event.received_at)
        if most and earlier.order_by()[:most].count() >= most:
            return say(sentences[period], most=most)
    return ""


def parse(quota: str) -> tuple[int, str]:
    """Parse a quota like "60/hour" as its number and period; 0 is none. ValueError for anything else."""
    number, _, period = quota.partition("/")
    if not quota:
        return 0, "day"
    if period not in _PERIODS or not number.isdigit():
        raise ValueError(f"write a quota like 60/hour, with one of {', '.join(_PERIODS)}; not {quota!r}")
    return int(number), period
