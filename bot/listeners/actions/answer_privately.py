"""The asker of a channel's question takes up the offer of a private answer."""

from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot import intake
from bot.identity.clicks import asked_by
from bot.listeners.interaction import clicked_in, sentence_for, tell
from bot.models import SlackEvent
from core.errors import FootnoteError


def on_answer_privately(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Store the wish; the worker answers where the offer stands."""
    clicked, slack_user_id = clicked_in(body), body["user"]["id"]
    try:
        query_id = asked_by(client, context["team_id"], slack_user_id, clicked.request_id)
    except FootnoteError as error:
        tell(client, slack_user_id, clicked, sentence_for(error))
        return
    intake.receive(
        intake.Incoming(
            event_id=f"private-{clicked.request_id}",
            team_id=context["team_id"],
            channel_id=clicked.channel_id,
            user_id=slack_user_id,
            kind=SlackEvent.Kind.PRIVATE,
            thread_ts=clicked.thread_ts,
            response_url=clicked.response_url,
            about=query_id,
        )
    )
