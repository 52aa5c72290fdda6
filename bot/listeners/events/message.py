"""Somebody writes a message where the bot is: a direct message is a question, in a channel only a mention is."""

from typing import Any

from slack_bolt import BoltContext

from bot import intake
from bot.listeners.events.messages import is_from_person, own_user_id, question_in
from bot.listeners.events.shared_files import take_files
from bot.models import SlackEvent


def on_message(body: dict[str, Any], context: BoltContext) -> None:
    """Store the message when it is a question to us, and files that it brings; Slack hears 200 when it is stored."""
    kind = _kind_of(body)
    if kind and is_from_person(body) and not take_files(body, context["team_id"]):
        intake.receive(question_in(body, team_id=context["team_id"], kind=kind))


def _kind_of(body: dict[str, Any]) -> SlackEvent.Kind | None:
    event = body["event"]
    if event.get("channel_type") == "im":
        return SlackEvent.Kind.DIRECT
    own = own_user_id(body)
    if own and f"<@{own}" in (event.get("text") or ""):
        return SlackEvent.Kind.MENTION
    return None
