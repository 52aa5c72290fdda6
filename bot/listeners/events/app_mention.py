"""Somebody mentions the bot in a channel."""

from typing import Any

from slack_bolt import BoltContext

from bot import intake
from bot.listeners.events.messages import build_incoming, is_from_person
from bot.listeners.events.shared_files import take_files
from bot.models import SlackEvent


def on_mention(body: dict[str, Any], context: BoltContext) -> None:
    """Store the question, and files that it brings; Slack hears 200 when it is stored."""
    if is_from_person(body) and not take_files(body, context["team_id"]):
        intake.receive(build_incoming(body, team_id=context["team_id"], kind=SlackEvent.Kind.MENTION))
