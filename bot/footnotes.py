"""Tell in Slack that the source of an answer has changed: once, in its thread, to nobody who may not read it.

Answers that were shown to channels are marked besides. What is found, and how much of it is told, is decided in
core.quality.footnotes.
"""

import logging
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from slack_sdk import WebClient

from bot.blocks.additions import put_question_above
from bot.blocks.footnotes import ChangedSource, changed_source_message, mark_changed
from bot.blocks.message import Message
from bot.channels.settings import find_language, find_setting
from bot.delivery.sharing import compose_shared
from bot.delivery.surfaces import find_posted
from bot.identity import audiences
from bot.models import FootnoteNotice, Reply, SlackEvent
from bot.slack.addresses import open_direct_messages
from bot.slack.errors import SlackRefusedError
from bot.slack.idempotent import DeletedMessageError, IdempotentMessage
from bot.slack.workspace import find_client
from core import api
from core.errors import NotFoundError
from core.language.i18n.translation import speak_language
from core.language.nlp.text import drop_citations
from core.models import FootnoteChange
from core.quality.footnotes.asking_again import Ask, Recheck, ask_again, end, find_source, read_recheck, select_changes
from core.types import Answer

logger = logging.getLogger(__name__)

_Silence = FootnoteChange.Silence


def tell(change_id: UUID, *, ask: Ask = api.ask) -> None:
    """Tell of a change in the thread of its answer, unless an earlier attempt did, or those there may not be told.

    SlackUnavailableError, or another error that says `retry`, when a later attempt may succeed.
    """
    change = select_changes().filter(pk=change_id, state=FootnoteChange.State.QUEUED).first()
    if change is None:
        return
    reply = _find_reply(change)
    if reply is None:
        end(change, _Silence.NOT_DELIVERED)
        return
    client = find_client(reply.event.team_id)
    silence = _post_notice(client, change, reply, ask)
    _mark_shared(client, change)
    end(change, silence)
    logger.info("footnote_ended", extra={"change": str(change.pk), "silence": silence})


def fail(change_id: UUID, *, code: str) -> None:
    """End a change that could not be told. It is in the report."""
    change = select_changes().filter(pk=change_id, state=FootnoteChange.State.QUEUED).first()
    if change is not None:
        FootnoteNotice.objects.filter(change=change).update(error_code=code)
        end(change, _Silence.FAILED)
    logger.warning("footnote_failed", extra={"change": str(change_id), "code": code})


def _find_reply(change: FootnoteChange) -> Reply | None:
    """Find the message that gave the answer to its asker, unless they took it away."""
    posted = Reply.objects.select_related("event").filter(
        query=change.answer.query_id, state=Reply.State.POSTED, removed_at=None
    )
    return posted.exclude(event__kind=SlackEvent.Kind.SHARE).order_by("created_at").first()


def _post_notice(client: WebClient, change: FootnoteChange, reply: Reply, ask: Ask) -> str:
    """Post the notice. Returns why there is none; empty where there is one."""
    notice = _begin_attempt(change, reply)
    if _build_message(client, notice).is_there():
        return ""
    if change.answer.query.erased_at is not None and not change.source_change.is_gone:
        return _Silence.ERASED
    if not _tells_of_changes(reply.event):
        return _Silence.TURNED_OFF
    readers = audiences.find_readers(client, reply.event)
    if ask_again(change, asker=readers.asker, audience=readers.audience, ask=ask) is None:
        return _Silence.NOT_READABLE
    # Who reads it is asked of Slack again: that the question was asked again may have taken long.
    told = read_recheck(change, audience=audiences.find_readers(client, reply.event).audience)
    if told is None:
        return _Silence.NOT_READABLE
    if not notice.channel_id:  # only the asker saw the reply, where they pressed a button
        notice.channel_id = open_direct_messages(client, reply.event.user_id)
        notice.save(update_fields=["channel_id"])
    with speak_language(find_language(reply.event.team_id, notice.channel_id)):
        said = _compose_notice(told, notice)
    _build_message(client, notice).ensure(lambda: said)
    return ""


def _begin_attempt(change: FootnoteChange, reply: Reply) -> FootnoteNotice:
    """Return the notice of a change, with an attempt counted."""
    with transaction.atomic():
        notice, _ = FootnoteNotice.objects.select_for_update(of=("self",)).get_or_create(
            change=change,
            defaults={
                "reply": reply,
                "channel_id": reply.channel_id,
                "thread_ts": (reply.thread_ts or reply.ts) if reply.channel_id else "",
            },
        )
        notice.attempts += 1
        notice.save(update_fields=["attempts"])
    return notice


def _build_message(client: WebClient, notice: FootnoteNotice) -> IdempotentMessage:
    def record(ts: str) -> None:
        notice.ts, notice.posted_at = ts, timezone.now()
        notice.save(update_fields=["ts", "posted_at"])

    may_be_there = notice.attempts > 1 and notice.channel_id
    return IdempotentMessage(
        client=client,
        team_id=notice.reply.event.team_id,
        channel_id=notice.channel_id,
        thread_ts=notice.thread_ts,
        marker=f"footnote-{notice.pk}",
        ts=notice.ts,
        since=f"{notice.created_at.timestamp():.6f}" if may_be_there else "",
        record=record,
    )


def _compose_notice(told: Recheck, notice: FootnoteNotice) -> Message:
    """Describe a change; of what is said now, the words of the changed source come first."""
    event = notice.reply.event
    quotes = sorted(
        told.now.citations if told.now else (), key=lambda citation: citation.document_id != told.document_id
    )
    message = changed_source_message(
        ChangedSource(
            kind=told.kind.value,
            verdict=told.verdict,
            title=told.title,
            source_url=told.source_url,
            said=drop_citations(told.said.text) if told.said else "",
            quotes=tuple(quotes),
            is_same_source=any(citation.document_id == told.document_id for citation in quotes),
        ),
        asker=event.user_id if event.is_public else "",
    )
    return message if notice.thread_ts else put_question_above(message, told.asked)


def _mark_shared(client: WebClient, change: FootnoteChange) -> None:
    """Mark each message that shared an answer, where everyone who reads it may read its source as it is now.

    It is edited in place, so that a later attempt changes nothing more. SlackUnavailableError when that may succeed.
    """
    shared = Reply.objects.select_related("event", "event__about").filter(
        event__kind=SlackEvent.Kind.SHARE, state=Reply.State.POSTED, query=change.answer.query_id
    )
    for reply in shared.exclude(ts=""):
        try:
            _mark_reply(client, change, reply)
        except (SlackRefusedError, DeletedMessageError) as error:
            logger.info("not_marked", extra={"reply": str(reply.pk), "code": error.code})


def _tells_of_changes(event: SlackEvent) -> bool:
    """Return True if a channel gets notices of changes; about replies to one person they always get them."""
    if not event.is_public:
        return True
    setting = find_setting(event.team_id, event.channel_id)
    return setting is None or (setting.enabled and setting.tells_of_changes)


def _mark_reply(client: WebClient, change: FootnoteChange, reply: Reply) -> None:
    event = reply.event
    if event.about is None or not _tells_of_changes(event):
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
        find_posted(client, reply).edit(mark_changed(whole, title=source.title, source_url=source.source_url))
