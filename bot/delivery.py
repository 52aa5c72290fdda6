"""Getting the answer to the thread exactly once.

A placeholder is posted first and then edited into the answer, so that a restarted worker finds its message and edits
it. The first block's id carries the event's id: a worker that died after posting and before it could store the
message's ts finds the message in the thread by it.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from slack_sdk import WebClient

from bot import identity
from bot.blocks.answer import answer, refusal
from bot.blocks.message import Message, notice, placeholder
from bot.models import Reply, SlackEvent
from bot.question import question_of
from bot.slack_errors import SlackRefusedError, SlackUnavailableError, translated
from bot.workspace import client_for
from core import api
from core.errors import FootnoteError, NotFoundError
from core.models import ChannelSetting, Query
from core.types import Answer, Filters, Refusal, RefusalReason

logger = logging.getLogger(__name__)

Ask = Callable[..., Answer | Refusal]  # the signature of core.api.ask

APOLOGY = "Sorry, something went wrong on my side and I could not answer. Please ask me again in a few minutes."
CHANNEL_OFF = "Answers are switched off in this channel. Ask me in a direct message instead."
_AUDIENCE_ROUNDS = 3  # how often an answer is made anew because its readers changed meanwhile
_REPLIES_PER_PAGE = 200


class AudienceChangedError(FootnoteError):
    """The people or permissions here keep changing while I look. Please ask me again in a moment."""


def deliver(event_id: UUID, *, ask: Ask = api.ask) -> None:
    """Answer a stored event, or go on where an earlier attempt stopped. Does nothing when the reply is final.

    Raises SlackUnavailableError, or another error that says `retry`, when a later attempt may succeed; any other
    error is for `give_up`.
    """
    reply = _begin(event_id)
    if reply is None:
        return
    client = client_for(reply.event.team_id)
    _place(client, reply)
    said = _compose(client, reply, ask)
    _edit(client, reply, said)
    _finish(reply, Reply.State.POSTED)


def give_up(event_id: UUID, *, code: str, sentence: str = APOLOGY) -> None:
    """End an event without an answer: tell the asker so if Slack lets us, and record why."""
    reply = _begin(event_id)
    if reply is None:
        return
    try:
        client = client_for(reply.event.team_id)
        _place(client, reply)
        _edit(client, reply, notice(sentence))
    except FootnoteError:
        logger.warning("asker_not_told", extra={"slack_event": str(event_id), "code": code})
    _finish(reply, Reply.State.FAILED, code=code)


def _begin(event_id: UUID) -> Reply | None:
    with transaction.atomic():
        reply = Reply.objects.select_for_update(of=("self",)).select_related("event", "query").get(event_id=event_id)
        if reply.event.state != SlackEvent.State.RECEIVED:
            return None
        reply.attempts += 1
        reply.save(update_fields=["attempts"])
    return reply


def _place(client: WebClient, reply: Reply) -> None:
    """Make sure that our message is in the thread, and known."""
    if reply.ts:
        return
    if reply.attempts > 1:  # an earlier attempt may have posted it
        reply.ts = _find_posted(client, reply)
    if not reply.ts:
        said = _marked(placeholder(), reply)
        with translated():
            posted = client.chat_postMessage(
                channel=reply.channel_id,
                thread_ts=reply.thread_ts,
                text=said.text,
                blocks=said.blocks,
                unfurl_links=False,
                unfurl_media=False,
            )
        reply.ts = str(posted["ts"])
    reply.state, reply.placed_at = Reply.State.PLACED, timezone.now()
    reply.save(update_fields=["ts", "state", "placed_at"])


def _find_posted(client: WebClient, reply: Reply) -> str:
    """The ts of our message in the thread; empty when it is not there, or Slack will not let us look."""
    marker = _marker(reply)
    try:
        with translated():
            pages = client.conversations_replies(
                channel=reply.channel_id, ts=reply.thread_ts, oldest=reply.event.ts, limit=_REPLIES_PER_PAGE
            )
            for page in pages:
                for message in page.get("messages") or []:
                    if any(block.get("block_id") == marker for block in message.get("blocks") or []):
                        return str(message["ts"])
    except SlackRefusedError as error:
        logger.warning("thread_unreadable", extra={"reply": str(reply.pk), "code": error.code})
    return ""


def _compose(client: WebClient, reply: Reply, ask: Ask) -> Message:
    event = reply.event
    switched_off = ChannelSetting.objects.filter(team_id=event.team_id, channel_id=event.channel_id, enabled=False)
    if event.kind == SlackEvent.Kind.MENTION and switched_off.exists():
        return notice(CHANNEL_OFF)
    result = _result_for_readers(client, reply, ask)
    return answer(result) if isinstance(result, Answer) else refusal(result)


def _result_for_readers(client: WebClient, reply: Reply, ask: Ask) -> Answer | Refusal:
    """A result that everyone who reads it now may see: who they are is asked again after the answer was found."""
    if reply.query is None:
        request_id, question = "", question_of(reply.event.text, own_user_id=identity.own_user_id(client))
    else:  # an earlier attempt got as far as an answer
        request_id, question = reply.query.request_id, reply.query.question_text
    for _ in range(_AUDIENCE_ROUNDS):
        if not request_id:
            result = _ask(client, reply, question, ask)
            if isinstance(result, Refusal) and not _names_documents(result):
                return result
            request_id = result.request_id
        readers = identity.readers_of(client, reply.event)
        try:
            return api.stored_result(request_id, audience=readers.audience)
        except NotFoundError:
            logger.info("readers_changed", extra={"reply": str(reply.pk)})
            request_id = ""
    raise AudienceChangedError


def _names_documents(refusal: Refusal) -> bool:
    """Whether a refusal tells of documents: of those among which the person is to choose, or by its filters."""
    return refusal.reason is RefusalReason.AMBIGUOUS or refusal.filters != Filters()


def _ask(client: WebClient, reply: Reply, question: str, ask: Ask) -> Answer | Refusal:
    event = reply.event
    readers = identity.readers_of(client, event)
    conversation = api.open_conversation(
        origin="slack",
        asker=readers.asker,
        slack_team=event.team_id,
        slack_channel=event.channel_id,
        slack_thread=event.thread_ts,
    )
    result = ask(question, asker=readers.asker, audience=readers.audience, conversation=conversation)
    if result.query_id:
        with transaction.atomic():
            reply.query = Query.objects.get(pk=result.query_id)
            reply.save(update_fields=["query"])
            event.text = ""  # the query holds the question now
            event.save(update_fields=["text"])
    return result


def _edit(client: WebClient, reply: Reply, said: Message) -> None:
    said = _marked(said, reply)
    try:
        with translated():
            client.chat_update(channel=reply.channel_id, ts=reply.ts, text=said.text, blocks=said.blocks)
    except SlackRefusedError as error:
        if error.code != "message_not_found":
            raise
        # Somebody deleted the placeholder: the next attempt posts another one.
        reply.ts = ""
        reply.save(update_fields=["ts"])
        raise SlackUnavailableError(error.code) from None


def _finish(reply: Reply, state: Reply.State, *, code: str = "") -> None:
    event = reply.event
    reply.state, reply.error_code, event.finished_at = state, code, timezone.now()
    if state == Reply.State.POSTED:
        reply.posted_at, event.state, event.text = event.finished_at, SlackEvent.State.ANSWERED, ""
    else:
        event.state = SlackEvent.State.FAILED  # the text stays, so that the question can be tried again
    with transaction.atomic():
        reply.save(update_fields=["state", "error_code", "posted_at"])
        event.save(update_fields=["state", "text", "finished_at"])
    waited_ms = round((event.finished_at - event.received_at).total_seconds() * 1000)
    logger.info(
        "reply_finished", extra={"reply": str(reply.pk), "state": state.value, "code": code, "waited_ms": waited_ms}
    )


def _marked(said: Message, reply: Reply) -> Message:
    first, *others = said.blocks
    return replace(said, blocks=[{**first, "block_id": _marker(reply)}, *others])


def _marker(reply: Reply) -> str:
    return f"reply-{reply.pk}"
