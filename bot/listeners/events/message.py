"""Somebody writes a message where the bot is.

A direct message is a question; in a channel a mention is, in a thread that the bot is in a follow-up, and where an
administrator has set so, what is asked of everyone.
"""

from typing import Any

from slack_bolt import BoltContext

from bot import intake
from bot.channels.threads import is_for_us
from bot.channels.unprompted import may_be_answered
from bot.handoff.posting import is_with_people
from bot.listeners.events.channel_changed import forget_channel, tells_of_change
from bot.listeners.events.messages import build_incoming, is_from_person, read_own_user_id
from bot.listeners.events.shared_files import take_files
from bot.models import SlackEvent

_WITHOUT_FILES = frozenset({SlackEvent.Kind.FOLLOW_UP, SlackEvent.Kind.UNASKED})  # nobody gave us any


def on_message(body: dict[str, Any], context: BoltContext) -> None:
    """Store the message when it is a question to us, and files that it brings; Slack hears 200 when it is stored."""
    if tells_of_change(body):
        forget_channel(body)
    if not is_from_person(body):
        return
    team_id = context["team_id"]
    kind = _choose_kind(body, team_id)
    if kind and (kind in _WITHOUT_FILES or not take_files(body, team_id)):
        intake.receive(build_incoming(body, team_id=team_id, kind=kind))


def _choose_kind(body: dict[str, Any], team_id: str) -> SlackEvent.Kind | None:
    event = body["event"]
    if event.get("channel_type") == "im":
        return SlackEvent.Kind.DIRECT
    own = read_own_user_id(body)
    if own and f"<@{own}" in (event.get("text") or ""):
        return SlackEvent.Kind.MENTION
    if own and event.get("thread_ts") and _follows_up(event, team_id):
        return SlackEvent.Kind.FOLLOW_UP
    if not event.get("thread_ts") and not event.get("files") and _asks_everyone(event, team_id):
        return SlackEvent.Kind.UNASKED
    return None


def _asks_everyone(event: dict[str, Any], team_id: str) -> bool:
    return may_be_answered(team_id=team_id, channel_id=event["channel"], text=event.get("text") or "")


def _follows_up(event: dict[str, Any], team_id: str) -> bool:
    return not is_with_people(team_id, event["channel"], event["thread_ts"]) and is_for_us(
        team_id=team_id,
        channel_id=event["channel"],
        thread_ts=event["thread_ts"],
        user_id=event["user"],
        ts=event["ts"],
        text=event.get("text") or "",
    )
