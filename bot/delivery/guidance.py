"""Find help beside a refusal, from what its readers may read at this moment."""

import logging

from slack_sdk import WebClient

from bot.identity import audiences
from bot.models import SlackEvent
from core import api
from core.errors import FootnoteError
from core.types import MOST_INSTEAD, Guidance, Refusal

logger = logging.getLogger(__name__)


def find_guidance(client: WebClient, event: SlackEvent, result: Refusal) -> Guidance | None:
    """Return the collections and questions for the readers; None when they are unknown: a refusal is complete without.

    The readers are determined again, whatever was true when the question was searched for.
    """
    try:
        audience = audiences.find_readers(client, event).audience
        return api.guidance(result.request_id, audience=audience, most_questions=MOST_INSTEAD)
    except FootnoteError as error:
        logger.warning("no_guidance", extra={"slack_event": str(event.pk), "error": type(error).__name__})
        return None
