"""Somebody presses one of the questions that are offered below a refusal."""

from typing import Any

from slack_bolt import BoltContext

from bot import intake
from bot.blocks.refusal import asked_instead
from bot.listeners.interaction import clicked_in
from bot.models import SlackEvent


def on_ask_instead(body: dict[str, Any], context: BoltContext) -> None:
    """Store it as a question of the one who pressed, once for each offer; it is answered where it was pressed."""
    clicked, action = clicked_in(body), body["actions"][0]
    request_id, question = asked_instead(clicked.request_id)
    if not (question and clicked.channel_id):
        return
    intake.receive(
        intake.Incoming(
            event_id=f"{action['action_id']}-{request_id}",
            team_id=context["team_id"],
            channel_id=clicked.channel_id,
            user_id=body["user"]["id"],
            kind=_kind(clicked.channel_id, for_one=bool(clicked.response_url)),
            thread_ts=clicked.thread_ts or body["container"].get("message_ts") or "",
            text=question,
            response_url=clicked.response_url,
        )
    )


def _kind(channel_id: str, *, for_one: bool) -> SlackEvent.Kind:
    """As what it is answered: for who pressed alone where they alone saw the offer, else for everyone there."""
    if for_one:
        return SlackEvent.Kind.COMMAND
    return SlackEvent.Kind.DIRECT if channel_id.startswith("D") else SlackEvent.Kind.MENTION
