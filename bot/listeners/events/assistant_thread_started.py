"""Somebody opens a new thread in the assistant pane."""

import logging
from typing import Any

from slack_bolt import BoltContext, BoltRequest
from slack_sdk import WebClient

from bot.blocks.library import NOTHING_GIVEN
from bot.blocks.message import notice
from bot.blocks.welcome import GREETING_TO_NOBODY
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
