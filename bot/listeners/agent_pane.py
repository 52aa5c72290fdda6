"""Hear what people do around a conversation with an agent: open its pane, open a channel beside it, press stop."""

import logging
from typing import Any

from slack_bolt import BoltContext, BoltRequest
from slack_sdk import WebClient

from bot.blocks.guide import GREETING_TO_NOBODY
from bot.blocks.library import NOTHING_GIVEN
from bot.blocks.message import notice
from bot.channels.beside import note_context
from bot.delivery.stopping import ask_to_stop
from bot.identity import audiences
from bot.slack.errors import SlackRefusedError, SlackUnavailableError, translate_errors
from core.infrastructure import queue
from core.language.i18n.translation import say
from core.language.query_understanding.courtesies import GREETING

logger = logging.getLogger(__name__)


def on_thread_started(body: dict[str, Any], context: BoltContext, client: WebClient, request: BoltRequest) -> None:
    """Greet, and let the worker suggest questions. What this person then writes is a direct message."""
    thread = body["event"]["assistant_thread"]
    team_id, user, channel, ts = context["team_id"], thread["user_id"], thread["channel_id"], thread["thread_ts"]
    try:
        user_id, audience = audiences.find_account_audience(client, team_id, user)
        if not audience.reads_nothing:
            queue.enqueue(queue.SUGGEST, team=team_id, channel=channel, thread=ts, user=user)
        if "x-slack-retry-num" not in request.headers:  # a repeated event has greeted already
            nobody = GREETING_TO_NOBODY if user_id is None else NOTHING_GIVEN
            said = notice(say(nobody if audience.reads_nothing else GREETING))
            with translate_errors():
                client.chat_postMessage(channel=channel, thread_ts=ts, text=said.text, blocks=said.blocks)
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.info("not_greeted", extra={"code": error.code})


def on_context_changed(body: dict[str, Any], context: BoltContext) -> None:
    """Remember the channel for a few minutes."""
    event = body["event"]
    user = event.get("user") or _find_person(body)
    if user:
        note_context(
            team_id=context["team_id"], slack_user_id=user, context=event.get("context"), at=_read_moment(body)
        )


def note_folded_context(body: dict[str, Any], team_id: str) -> None:
    """Remember the channel that another event tells of besides."""
    event = body["event"]
    if event.get("context") is not None:
        note_context(team_id=team_id, slack_user_id=event["user"], context=event["context"], at=_read_moment(body))


def _find_person(body: dict[str, Any]) -> str:
    """Find the person of an event that names none itself: https://docs.slack.dev/reference/events/app_context_changed."""
    for authorization in body.get("authorizations") or []:
        if authorization.get("is_bot") is False:
            return str(authorization.get("user_id") or "")
    return ""


def _read_moment(body: dict[str, Any]) -> float:
    """Return when it happened, in seconds since 1970: by the event, which is more exact, or by its envelope."""
    return float(body["event"].get("event_ts") or body["event_time"])


def on_session_stopped(body: dict[str, Any], context: BoltContext) -> None:
    """Keep the wish; Slack hears 200 when it is kept."""
    event = body["event"]
    ask_to_stop(
        team_id=context["team_id"],
        channel_id=event["channel"],
        thread_ts=event["thread_ts"],
        slack_user_id=event["user"],
        pressed_at=float(event["event_ts"]),
    )
