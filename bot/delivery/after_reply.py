"""Tell the asker alone what belongs beside a reply: where it is, that there is more in private, that a budget runs out.

All of it comes after the reply is final, which nothing here changes. What Slack does not take is left out.
"""

import logging

from django.utils import timezone
from slack_sdk import WebClient

from bot.blocks.asker_notes import note_arrived, private_offer
from bot.identity import audiences
from bot.identity.membership import accept_recent
from bot.models import Reply
from bot.slack.addresses import find_permalink
from bot.slack.errors import SlackRefusedError, SlackUnavailableError, translate_errors
from bot.slack.responding import respond
from core import api
from core.errors import FootnoteError

logger = logging.getLogger(__name__)


def point_to_reply(client: WebClient, reply: Reply, note_url: str) -> None:
    """Say at the address of a command where its reply is, once."""
    if not (note_url and reply.ts):
        return
    try:
        said = note_arrived(find_permalink(client, reply.channel_id, reply.ts))
        respond(note_url, {"text": said.text, "blocks": said.blocks, "replace_original": True})
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.info("note_not_shown", extra={"reply": str(reply.pk), "code": error.code})


def offer_private_answer(client: WebClient, reply: Reply) -> None:
    """Offer the asker of a channel's question a private answer if they may read more that is relevant.

    Only they see it, and once. Since the reply is final by then, nothing of it can be told from how long the channel
    waited.
    """
    event, query = reply.event, reply.query
    if not event.is_public or query is None or reply.offered_at:
        return
    try:
        with accept_recent():  # only the asker sees it, and the private answer is made by their rights at that moment
            channel = audiences.find_readers(client, event).audience
        user_id, own = audiences.find_account_audience(client, event.team_id, event.user_id)
        if user_id is None or own == channel or not api.may_read_more(query.request_id, audience=own, than=channel):
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


def notify_of_budget(client: WebClient, reply: Reply) -> None:
    """Tell the asker, once a month, that a budget is nearly used up: in a channel to nobody else."""
    query, event = reply.query, reply.event
    notice = api.take_budget_notice(query.request_id) if query else ""
    if not notice:
        return
    try:
        with translate_errors():
            if event.is_public:
                client.chat_postEphemeral(
                    channel=event.channel_id, user=event.user_id, thread_ts=event.thread_ts, text=notice
                )
            elif reply.ts:
                client.chat_postMessage(channel=reply.channel_id, thread_ts=reply.thread_ts or None, text=notice)
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.info("budget_notice_not_shown", extra={"reply": str(reply.pk), "code": error.code})
