"""Somebody says whether an answer helped."""

import logging
from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot import identity
from bot.blocks.buttons import FEEDBACK_UP
from bot.slack_errors import SlackRefusedError, SlackUnavailableError, translated
from core import api
from core.errors import NotFoundError

logger = logging.getLogger(__name__)

THANKS = "Thank you, your feedback is recorded."
NOT_YOURS = "There is no such answer, or you may not read all of its sources. Your feedback was not recorded."
UNKNOWN = "I do not know you, so I could not record your feedback. Ask an administrator to add you."
FAILED = "Your feedback could not be recorded. Please try again in a moment."


def on_feedback(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Record the vote of somebody who may read the answer now, and tell them alone what became of it."""
    action = body["actions"][0]
    verdict = "up" if action["action_id"] == FEEDBACK_UP else "down"
    try:
        said = _record(client, context["team_id"], body["user"]["id"], action.get("value") or "", verdict)
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("feedback_failed", extra={"code": error.code})
        said = FAILED
    try:
        with translated():
            client.chat_postEphemeral(
                channel=body["container"]["channel_id"],
                user=body["user"]["id"],
                thread_ts=(body.get("message") or {}).get("thread_ts"),
                text=said,
            )
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("clicker_not_told", extra={"code": error.code})


def _record(client: WebClient, team_id: str, slack_user_id: str, request_id: str, verdict: str) -> str:
    user_id, audience = identity.audience_of_account(client, team_id, slack_user_id)
    if user_id is None:
        return UNKNOWN
    try:
        api.stored_result(request_id, audience=audience)
        api.give_feedback(request_id, user_id=user_id, verdict=verdict)
    except NotFoundError:
        return NOT_YOURS
    return THANKS
