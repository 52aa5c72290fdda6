"""Offer the asker alone a private answer beside a channel's, in words that reveal nothing to the channel."""

import logging

from django.utils import timezone
from slack_sdk import WebClient

from bot.blocks.asker_notes import private_offer
from bot.identity import audiences
from bot.identity.membership import accept_recent
from bot.models import Reply, SlackEvent
from bot.slack.errors import SlackRefusedError, SlackUnavailableError, translate_errors
from core import api
from core.errors import FootnoteError

logger = logging.getLogger(__name__)


def offer_private_answer(client: WebClient, reply: Reply) -> None:
    """Offer the asker of a channel's question a private answer if they may read more that is relevant.

    Only they see it, and once: when it cannot be shown it is left out. It comes after the reply is final, so that
    nothing of it can be told from how long the channel waited.
    """
    event, query = reply.event, reply.query
    if not event.is_public or query is None or reply.offered_at:
        return
    try:
        if not _has_more(client, event, query.request_id):
            return
        reply.offered_at = timezone.now()
        reply.save(update_fields=["offered_at"])
        offer = private_offer(query.request_id)
        with translate_errors():
            client.chat_postEphemeral(
                channel=event.channel_id,
                user=event.user_id,
                thread_ts=event.thread_ts,
                text=offer.text,
                blocks=offer.blocks,
            )
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.info("offer_not_shown", extra={"reply": str(reply.pk), "code": error.code})
    except FootnoteError as error:
        logger.warning("offer_failed", extra={"reply": str(reply.pk), "error": type(error).__name__})


def _has_more(client: WebClient, event: SlackEvent, request_id: str) -> bool:
    with accept_recent():  # only the asker sees it, and the private answer is made by their rights at that moment
        channel = audiences.find_readers(client, event).audience
    user_id, own = audiences.find_account_audience(client, event.team_id, event.user_id)
    if user_id is None or own == channel:
        return False
    return api.may_read_more(request_id, audience=own, than=channel)
