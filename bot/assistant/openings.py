"""Somebody opens the direct messages with Footnote, where it is an agent: they are suggested questions, and greeted."""

from django.db import transaction
from slack_sdk import WebClient

from bot.blocks.message import notice
from bot.models import Opening, Reply
from bot.slack.idempotent import IdempotentMessage
from core.infrastructure import queue


def take_opening(*, event_id: str, team_id: str, channel_id: str, slack_user_id: str) -> bool:
    """Queue that questions are suggested, once for each event. False for an event that was heard before."""
    with transaction.atomic():
        opening, is_new = Opening.objects.select_for_update().get_or_create(
            team_id=team_id,
            slack_user_id=slack_user_id,
            defaults={"channel_id": channel_id, "last_event_id": event_id},
        )
        if not is_new and opening.last_event_id == event_id:
            return False
        opening.channel_id, opening.last_event_id = channel_id, event_id
        opening.save(update_fields=["channel_id", "last_event_id"])
        lock = f"opening/{opening.pk}"
        queue.enqueue_once(queue.SUGGEST, lock, team=team_id, channel=channel_id, thread="", user=slack_user_id)
    return True


def greet_once(client: WebClient, *, team_id: str, channel_id: str, slack_user_id: str, greeting: str) -> None:
    """Post the greeting where this person was never greeted and never asked anything. Can be repeated.

    SlackRefusedError and SlackUnavailableError as they come.
    """
    opening = Opening.objects.filter(team_id=team_id, slack_user_id=slack_user_id, channel_id=channel_id).first()
    asked = Reply.objects.filter(channel_id=channel_id, event__team_id=team_id, event__user_id=slack_user_id)
    if opening is None or opening.ts or asked.exists():
        return

    def record(ts: str) -> None:
        opening.ts = ts
        opening.save(update_fields=["ts"])

    message = IdempotentMessage(
        client=client,
        team_id=team_id,
        channel_id=channel_id,
        thread_ts="",
        marker=f"opening-{opening.pk}",
        ts=opening.ts,
        since=f"{opening.opened_at.timestamp():.6f}",
        record=record,
    )
    message.ensure(lambda: notice(greeting))
