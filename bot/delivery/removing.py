"""Take an answer away from a conversation, by whoever asked for it.

A line stays in its place, so that what others replied to it still makes sense. The history, the votes and the figures
keep the answer; only where it was read it is read no more.
"""

import logging

from django.utils import timezone
from slack_sdk import WebClient

from bot.blocks.message import notice
from bot.delivery.surfaces import find_posted
from bot.models import Reply
from bot.slack.idempotent import DeletedMessageError
from core.errors import FootnoteError
from core.language.i18n.translation import say, translatable

logger = logging.getLogger(__name__)

REMOVED = translatable("This answer was removed by the person who asked for it.")


class NotYoursToRemoveError(FootnoteError):
    """Only the person who asked can remove this answer."""


def remove(client: WebClient, request_id: str, *, team_id: str, channel_id: str, ts: str, slack_user_id: str) -> None:
    """Put a line in the place of an answer that this person asked for and that stands in this message. Can be repeated.

    NotYoursToRemoveError for anybody else's, and for what is no answer of ours; SlackRefusedError and
    SlackUnavailableError when Slack does not take it: pressed again, it is tried again.
    """
    reply = (
        Reply.objects.select_related("event")
        .filter(query__request_id=request_id, event__team_id=team_id, event__user_id=slack_user_id)
        .filter(channel_id=channel_id, ts=ts, state=Reply.State.POSTED)
        .exclude(ts="")
        .first()
    )
    if reply is None:
        raise NotYoursToRemoveError
    # First: what is removed must not be told of meanwhile, whatever becomes of the message.
    Reply.objects.filter(pk=reply.pk, removed_at=None).update(removed_at=timezone.now())
    try:
        find_posted(client, reply).edit(notice(say(REMOVED)))
    except DeletedMessageError:
        logger.info("removed_message_gone", extra={"reply": str(reply.pk)})
    logger.info("reply_removed", extra={"reply": str(reply.pk)})
