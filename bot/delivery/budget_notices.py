"""Notify the asker alone of budgets, after the reply."""

import logging

from slack_sdk import WebClient

from bot.models import Reply
from bot.slack.errors import SlackRefusedError, SlackUnavailableError, translate_errors
from core import api

logger = logging.getLogger(__name__)


def tell_asker(client: WebClient, reply: Reply) -> None:
    """Tell the asker, once a month, that a budget is nearly used up: in a channel to nobody else.

    It comes after the reply is final. When Slack does not take it, it is left out.
    """
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
