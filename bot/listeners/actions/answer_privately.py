"""The asker of a channel's question takes up the offer of a private answer."""

import logging
from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot import intake
from bot.listeners.actions.earlier import NotYoursError, earlier_question, respond
from bot.models import SlackEvent

logger = logging.getLogger(__name__)


def on_answer_privately(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Store the wish; the worker answers where the offer stands."""
    try:
        query = earlier_question(client, context["team_id"], body)
    except NotYoursError as error:
        respond(body, error.message)
        return
    container = body["container"]
    intake.receive(
        intake.Incoming(
            event_id=f"private-{query.request_id}",
            team_id=context["team_id"],
            channel_id=container["channel_id"],
            user_id=body["user"]["id"],
            kind=SlackEvent.Kind.PRIVATE,
            thread_ts=container.get("thread_ts") or "",
            response_url=body.get("response_url") or "",
            about=query.pk,
        )
    )
