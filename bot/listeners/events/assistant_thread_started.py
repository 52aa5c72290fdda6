"""Somebody opens a new thread in the assistant pane."""

import logging
from typing import Any

from slack_bolt import BoltContext, BoltRequest
from slack_sdk import WebClient

from bot import identity
from bot.blocks.message import notice
from bot.blocks.welcome import GREETING, GREETING_TO_NOBODY, MOST_PROMPTS, PROMPTS_TITLE, prompts
from bot.slack_errors import SlackRefusedError, SlackUnavailableError, translated
from core import api
from core.errors import FootnoteError

logger = logging.getLogger(__name__)


def on_thread_started(body: dict[str, Any], context: BoltContext, client: WebClient, request: BoltRequest) -> None:
    """Greet, and suggest questions drawn from what this person may read. What they write then is a direct message."""
    thread = body["event"]["assistant_thread"]
    try:
        _, audience = identity.audience_of_account(client, context["team_id"], thread["user_id"])
        if "x-slack-retry-num" not in request.headers:  # a repeated event has greeted already
            _greet(client, thread, GREETING_TO_NOBODY if audience.reads_nothing else GREETING)
        _suggest(client, thread, api.suggested_questions(audience, limit=MOST_PROMPTS))
    except (SlackRefusedError, SlackUnavailableError) as error:
        # Not every workspace has the pane's methods (`unknown_method`); questions are answered all the same.
        logger.info("nothing_suggested", extra={"code": error.code})
    except FootnoteError as error:
        logger.warning("nothing_suggested", extra={"code": type(error).__name__})


def _greet(client: WebClient, thread: dict[str, Any], sentence: str) -> None:
    said = notice(sentence)
    with translated():
        client.chat_postMessage(
            channel=thread["channel_id"], thread_ts=thread["thread_ts"], text=said.text, blocks=said.blocks
        )


def _suggest(client: WebClient, thread: dict[str, Any], questions: tuple[str, ...]) -> None:
    if not questions:
        return
    with translated():
        client.assistant_threads_setSuggestedPrompts(
            channel_id=thread["channel_id"],
            thread_ts=thread["thread_ts"],
            title=PROMPTS_TITLE,
            prompts=prompts(questions),
        )
