"""Marking the answers that were shown to channels and whose source has changed since."""

import logging

from slack_sdk import WebClient

from bot.blocks.footnotes import mark_changed
from bot.channels.languages import find_language
from bot.channels.settings import find_setting
from bot.delivery.sharing import compose_shared
from bot.delivery.surfaces import build_marker
from bot.identity import audiences
from bot.models import Reply, SlackEvent
from bot.slack.errors import SlackRefusedError
from bot.slack.idempotent import DeletedMessageError, IdempotentMessage
from core import api
from core.errors import NotFoundError
from core.language.i18n.translation import speak_language
from core.models import FootnoteChange
from core.quality.footnotes.asking_again import find_source
from core.types import Answer

logger = logging.getLogger(__name__)


def mark_shared(client: WebClient, change: FootnoteChange) -> None:
    """Mark each message that shared an answer, where everyone who reads it may read its source as it is now.

    It is edited in place, so that a later attempt changes nothing more. SlackUnavailableError when that may succeed.
    """
    shared = Reply.objects.select_related("event", "event__about").filter(
        event__kind=SlackEvent.Kind.SHARE, state=Reply.State.POSTED, query=change.answer.query_id
    )
    for reply in shared.exclude(ts=""):
        try:
            _mark(client, change, reply)
        except (SlackRefusedError, DeletedMessageError) as error:
            logger.info("not_marked", extra={"reply": str(reply.pk), "code": error.code})


def tells_of_changes(event: SlackEvent) -> bool:
    """Return True if a channel gets notices of changes; about replies to one person they always get them."""
    if not event.is_public:
        return True
    setting = find_setting(event.team_id, event.channel_id)
    return setting is None or (setting.enabled and setting.tells_of_changes)


def _mark(client: WebClient, change: FootnoteChange, reply: Reply) -> None:
    event = reply.event
    if event.about is None or not tells_of_changes(event):
        return
    audience = audiences.find_readers(client, event).audience
    source = find_source(change.source_change, audience)
    if source is None:
        return
    try:
        result = api.stored_result(event.about.request_id, audience=audience)
    except NotFoundError:
        return
    if not isinstance(result, Answer):
        return
    with speak_language(find_language(event.team_id, event.channel_id)):
        whole = compose_shared(event, event.about.question_text, result)
        message = IdempotentMessage(
            client=client,
            team_id=event.team_id,
            channel_id=reply.channel_id,
            thread_ts=reply.thread_ts,
            marker=build_marker(reply),
            ts=reply.ts,
            since="",
            record=lambda ts: None,
        )
        message.edit(mark_changed(whole, title=source.title, source_url=source.source_url))
