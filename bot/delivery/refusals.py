"""Render a refusal for its readers: why nothing is shown, and what helps, by what they may read at this moment."""

import logging

from django.conf import settings
from slack_sdk import WebClient

from bot.blocks.guide import NOBODY_NAMED
from bot.blocks.home import UNKNOWN
from bot.blocks.library import NOTHING_GIVEN
from bot.delivery.rendering import render_result
from bot.delivery.surfaces import Rendering
from bot.identity.audiences import find_bots_reading_along, find_readers, waits_for_decision
from bot.models import SlackEvent
from core import api
from core.errors import FootnoteError
from core.language.i18n.translation import say
from core.types import MOST_INSTEAD, Guidance, Refusal, RefusalReason

logger = logging.getLogger(__name__)


def render_refusal(client: WebClient, event: SlackEvent, result: Refusal) -> Rendering:
    """Render a refusal; where nothing was found, with why that is so for its readers, or with what helps them."""
    if result.reason is not RefusalReason.NOTHING_FOUND:
        return render_result(result, event)
    if waits_for_decision(client, event):
        return render_result(result, event, is_undecided=True)
    bots = find_bots_reading_along(client, event)
    if bots:
        return render_result(result, event, bots=bots)
    guidance = _find_guidance(client, event, result)
    nothing = _explain_nothing_to_read(client, event, guidance)
    return render_result(result, event, guidance=guidance, nothing_to_read=nothing)


def _find_guidance(client: WebClient, event: SlackEvent, result: Refusal) -> Guidance | None:
    """Return the collections and questions for the readers; None when they are unknown: a refusal is complete without.

    The readers are determined again, whatever was true when the question was searched for.
    """
    try:
        audience = find_readers(client, event).audience
        return api.guidance(result.request_id, audience=audience, most_questions=MOST_INSTEAD)
    except FootnoteError as error:
        logger.warning("no_guidance", extra={"slack_event": str(event.pk), "error": type(error).__name__})
        return None


def _explain_nothing_to_read(client: WebClient, event: SlackEvent, guidance: Guidance | None) -> str:
    """Explain why the one reader of a refusal has nothing to search in, and whom to ask; empty where there is."""
    if guidance is None or guidance.collections or event.is_public:
        return ""
    is_known = find_readers(client, event).asker.user_id is not None
    contact = str(settings.SLACK_HELP_TEXT).strip()
    if is_known:  # which names the administrator already
        return f"{say(NOTHING_GIVEN)} {contact}".strip()
    return f"{say(UNKNOWN)} {contact or say(NOBODY_NAMED)}"
