"""What presses on an earlier answer have in common: whose question it was, and how to speak to who pressed."""

import logging
from typing import Any

from slack_sdk import WebClient
from slack_sdk.webhook import WebhookClient

from bot import identity
from bot.addresses import is_slacks
from bot.slack_errors import SlackUnavailableError, translated
from bot.workspace import REQUEST_TIMEOUT_S
from core.errors import FootnoteError
from core.models import Query

logger = logging.getLogger(__name__)


class NotYoursError(FootnoteError):
    """There is no such question of yours any more. Please ask it again."""


def earlier_question(client: WebClient, team_id: str, body: dict[str, Any]) -> Query:
    """The question that a pressed button carries. NotYoursError unless it is that of the person who pressed."""
    person = identity.person_of(client, team_id, body["user"]["id"])
    request_id = body["actions"][0].get("value") or ""
    query = Query.objects.filter(request_id=request_id, user_id=person.user_id).first() if person.user_id else None
    if query is None:
        raise NotYoursError
    return query


def respond(body: dict[str, Any], sentence: str) -> None:
    """Tell the person who pressed, and nobody else; what they pressed stays."""
    url = body.get("response_url") or ""
    if not is_slacks(url):
        return
    try:
        with translated():
            WebhookClient(url, timeout=REQUEST_TIMEOUT_S, retry_handlers=[]).send(
                text=sentence, response_type="ephemeral", replace_original=False
            )
    except SlackUnavailableError as error:
        logger.warning("clicker_not_told", extra={"code": error.code})
