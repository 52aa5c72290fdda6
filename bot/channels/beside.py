"""The channel that somebody has open beside the messages with us, and the questions that mean it.

https://docs.slack.dev/reference/events/app_context_changed. Whoever asks about "this channel" there is answered from
the collections to which that channel keeps. It widens nothing: what they may read decides, as for every question. What
Slack says of it here is believed for LIFE, shown to nobody, and belongs to one person in one workspace.
"""

import datetime as dt
import re
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from bot.models import AppContext
from core.models import SlackIdentity, User

# How long an open channel counts. Slack tells of a change when it happens, and with each message anew; this is for a
# person who reads for a while before they ask.
LIFE = dt.timedelta(minutes=15)

_CHANNEL = "slack#/types/channel_id"
_CHANNEL_ID = re.compile(r"[CG][A-Z0-9]{1,31}")
_NAMED = re.compile(
    r"\b(?:this\s+channel|diese[mnrs]?\s+(?:kanals?|channels?)|hier\s+im\s+(?:kanal|channel)"
    r"|ce\s+canal|cette\s+cha[iî]ne|este\s+canal)\b",
    re.IGNORECASE,
)


def means_open_channel(text: str) -> bool:
    """Return True if a question says "this channel", in one of the languages that Footnote speaks."""
    return _NAMED.search(text) is not None


def read_channel(context: Any, team_id: str) -> str:
    """Return the channel that a context of Slack's tells of first; empty where there is none, or of another team.

    context: an object with a list of `entities`, the most relevant first.
    """
    entities = context.get("entities") if isinstance(context, dict) else None
    for entity in entities if isinstance(entities, list) else ():
        if not isinstance(entity, dict) or entity.get("type") != _CHANNEL:
            continue
        channel_id = entity.get("value")
        is_ours = entity.get("team_id") in (None, team_id)
        return channel_id if is_ours and isinstance(channel_id, str) and _CHANNEL_ID.fullmatch(channel_id) else ""
    return ""


def note_context(*, team_id: str, slack_user_id: str, context: Any, at: float) -> None:
    """Remember which channel somebody had open, unless something later is known, or it is too long ago.

    at: when Slack saw it, in seconds since 1970. Doubled and late events change nothing.
    """
    now, seen_at = timezone.now(), dt.datetime.fromtimestamp(at, tz=dt.UTC)
    if seen_at < now - LIFE:
        return
    channel_id = read_channel(context, team_id)
    with transaction.atomic():
        row, is_new = AppContext.objects.select_for_update().get_or_create(
            team_id=team_id,
            slack_user_id=slack_user_id,
            defaults={"channel_id": channel_id, "seen_at": min(seen_at, now)},
        )
        if not is_new and row.seen_at < seen_at:
            row.channel_id, row.seen_at = channel_id, min(seen_at, now)
            row.save(update_fields=["channel_id", "seen_at"])


def find_context_channel(*, team_id: str, slack_user_id: str, text: str, context: Any) -> str:
    """Return the channel that a direct message means by "this channel"; empty where it means none.

    context: what Slack tells with the message itself; None where it tells nothing, and what was told before counts.
    """
    if not means_open_channel(text):
        return ""
    if context is not None:
        return read_channel(context, team_id)
    fresh = AppContext.objects.filter(seen_at__gte=timezone.now() - LIFE)
    known = fresh.filter(team_id=team_id, slack_user_id=slack_user_id).values_list("channel_id", flat=True).first()
    return known or ""


def forget_old() -> None:
    """Delete what does not count any more."""
    AppContext.objects.filter(seen_at__lt=timezone.now() - LIFE).delete()


def forget_of(*, of: User | None, before: dt.datetime, **_: Any) -> None:
    """Delete what was seen before that time, of one person, or with None of everybody: with the texts they typed."""
    rows = AppContext.objects.filter(seen_at__lt=before)
    if of is not None:
        accounts = SlackIdentity.objects.filter(
            user=of, team_id=OuterRef("team_id"), slack_user_id=OuterRef("slack_user_id")
        )
        rows = rows.filter(Exists(accounts))
    rows.delete()


def forget_account(*, instance: SlackIdentity, **_: Any) -> None:
    """Delete what is known of an account that is nobody's any more: its person was deleted, or it was closed."""
    AppContext.objects.filter(team_id=instance.team_id, slack_user_id=instance.slack_user_id).delete()
