"""Telling the asker of an answer that its source has changed: once, by however many attempts and processes."""

import logging
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from slack_sdk import WebClient

from bot.blocks.additions import put_question_above
from bot.blocks.footnotes import ChangedSource, changed_source_message
from bot.blocks.message import Message
from bot.channels.languages import find_language
from bot.footnotes.marking import mark_shared, tells_of_changes
from bot.identity import audiences
from bot.models import FootnoteNotice, Reply, SlackEvent
from bot.slack.idempotent import IdempotentMessage
from bot.slack.messages import open_direct_messages
from bot.slack.workspace import find_client
from core import api
from core.language.i18n.translation import speak_language
from core.language.nlp.text import drop_citations
from core.models import FootnoteChange
from core.quality.footnotes.asking_again import Ask, Recheck, ask_again, end, read_recheck, select_changes

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
    silence = _tell(client, change, reply, ask)
    mark_shared(client, change)
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
    """The message that gave the answer to its asker, unless they took it away."""
    posted = Reply.objects.select_related("event").filter(
        query=change.answer.query_id, state=Reply.State.POSTED, removed_at=None
    )
    return posted.exclude(event__kind=SlackEvent.Kind.SHARE).order_by("created_at").first()


def _tell(client: WebClient, change: FootnoteChange, reply: Reply, ask: Ask) -> str:
    """Post the notice. Returns why there is none; empty where there is one."""
    notice = _begin(change, reply)
    if _build_message(client, notice).is_there():
        return ""
    if change.answer.query.erased_at is not None and not change.source_change.is_gone:
        return _Silence.ERASED
    if not tells_of_changes(reply.event):
        return _Silence.TURNED_OFF
    readers = audiences.find_readers(client, reply.event)
    if ask_again(change, asker=readers.asker, audience=readers.audience, ask=ask) is None:
        return _Silence.NOT_READABLE
    # Who reads it is asked of Slack again: that the question was asked again may have taken long.
    told = read_recheck(change, audience=audiences.find_readers(client, reply.event).audience)
    if told is None:
        return _Silence.NOT_READABLE
    _open_place(client, notice)
    with speak_language(find_language(reply.event.team_id, notice.channel_id)):
        said = _compose(told, notice)
    _build_message(client, notice).ensure(lambda: said)
    return ""


def _begin(change: FootnoteChange, reply: Reply) -> FootnoteNotice:
    """The notice of a change, with an attempt counted."""
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


def _open_place(client: WebClient, notice: FootnoteNotice) -> None:
    """Open the direct messages for a notice about a reply that only the asker saw, where they pressed a button."""
    if notice.channel_id:
        return
    notice.channel_id = open_direct_messages(client, notice.reply.event.user_id)
    notice.save(update_fields=["channel_id"])


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


def _compose(told: Recheck, notice: FootnoteNotice) -> Message:
    event = notice.reply.event
    quotes = told.now.citations if told.now else ()
    message = changed_source_message(
        ChangedSource(
            kind=told.kind.value,
            verdict=told.verdict,
            title=told.title,
            source_url=told.source_url,
            said=drop_citations(told.said.text) if told.said else "",
            quotes=quotes,
            is_same_source=any(citation.document_id == told.document_id for citation in quotes),
        ),
        asker=event.user_id if event.is_public else "",
    )
    return message if notice.thread_ts else put_question_above(message, told.asked)
