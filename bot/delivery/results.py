"""Find the result of an event: asked of core, for exactly those who will read it."""

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from django.db import DatabaseError, transaction
from slack_sdk import WebClient

from bot.channels.settings import find_setting, list_collections
from bot.delivery.stopping import is_stop_asked, may_be_stopped
from bot.identity import audiences
from bot.identity.membership import accept_recent
from bot.identity.own_account import find_own_user_id
from bot.models import Reply, SlackEvent
from bot.slack.errors import SlackUnavailableError
from bot.slack.markup import extract_question
from core import api
from core.errors import FootnoteError, NotFoundError
from core.filters import filters_from_json
from core.types import Answer, Audience, Filters, Listener, Origin, Refusal, RefusalReason
from core.values.steps import Step

logger = logging.getLogger(__name__)

Ask = Callable[..., Answer | Refusal]  # the signature of core.api.ask

_AUDIENCE_ROUNDS = 3  # how often an answer is made anew because its readers changed meanwhile


class AudienceChangedError(FootnoteError):
    """The people or permissions here keep changing while I search. Please ask me again in a moment."""


def find_result(
    client: WebClient,
    reply: Reply,
    *,
    ask: Ask,
    on_step: Listener,
    preview: Listener | None = None,
) -> Answer | Refusal:
    """Find a result that everyone who reads it now may see: who they are is asked again after the answer was found.

    StoppedError when its asker wishes none any more.

    preview: told how the answer begins while it is made, as `core.api.ask` tells it, where its readers are still those
    for whom it is made.
    """
    request_id = reply.query.request_id if reply.query else ""  # an earlier attempt got as far as an answer
    for _ in range(_AUDIENCE_ROUNDS):
        if not request_id:
            result = _ask_core(client, reply, ask, on_step, preview)
            if not _tells_of_documents(result, reply):
                return result
            request_id = result.request_id
        readers = audiences.find_readers(client, reply.event)
        try:
            viewer = None if reply.event.is_public else readers.asker.user_id
            return api.stored_result(request_id, audience=readers.audience, viewer=viewer)
        except NotFoundError:
            logger.info("readers_changed", extra={"reply": str(reply.pk)})
            request_id = ""
    raise AudienceChangedError


def _tells_of_documents(result: Answer | Refusal, reply: Reply) -> bool:
    """Return True if it matters who reads a result: not when it is of the text that its one reader chose.

    Nor for most refusals; but some show the closest passages, name the documents among which to choose, reveal them by
    their filters, or are below the question in other words than those that were typed.
    """
    if reply.event.kind == SlackEvent.Kind.SELECTION:
        return False
    if isinstance(result, Answer) or result.closest:
        return True
    if reply.query is not None and result.asked != reply.query.question_text:
        return True
    return result.reason is RefusalReason.AMBIGUOUS or result.filters != Filters()


def _ask_core(
    client: WebClient, reply: Reply, ask: Ask, on_step: Listener, preview: Listener | None
) -> Answer | Refusal:
    event = reply.event
    with accept_recent():  # they are asked for again before anything is shown
        readers = audiences.find_readers(client, event)
    conversation = api.open_conversation(
        origin=Origin.SLACK,
        asker=readers.asker,
        slack_team=event.team_id,
        slack_channel=event.channel_id,
        slack_thread=event.thread_ts if event.kind in SlackEvent.IN_THREADS else event.pk.hex,
    )
    selected = (reply.query.selected_text if reply.query else event.selected_text) or None
    if preview and not selected:  # only where each step is shown with what it works on
        on_step(Step("searching", _count_documents(readers.audience)))
    result = ask(
        find_question(client, reply),
        asker=readers.asker,
        audience=readers.audience,
        conversation=conversation,
        filters=_find_filters(client, reply),
        selected_text=selected,
        on_step=on_step,
        preview=_limit_to_readers(client, event, readers.audience, preview) if preview else None,
        again=event.about_id,
        is_stopped=partial(is_stop_asked, event.pk) if may_be_stopped(reply) else None,
    )
    if result.query_id:
        with transaction.atomic():
            reply.query_id = result.query_id
            reply.save(update_fields=["query"])
            event.text, event.selected_text, event.filters = "", "", {}  # the query holds them now
            event.save(update_fields=["text", "selected_text", "filters"])
    return result


def _count_documents(audience: Audience) -> int:
    """Return how many documents all who read the answer may read."""
    return sum(shelf.documents for shelf in api.readable_collections(audience))


def _limit_to_readers(client: WebClient, event: SlackEvent, audience: Audience, preview: Listener) -> Listener:
    """Return the same listener, telling nothing once the readers are others than this audience, or cannot be known."""

    def tell(words: str) -> None:
        try:
            is_same = audiences.find_readers(client, event).audience == audience
        except (SlackUnavailableError, DatabaseError) as error:
            logger.info("not_previewed", extra={"error": type(error).__name__})
            return
        if is_same:
            preview(words)

    return tell


def find_question(client: WebClient, reply: Reply) -> str:
    """Return the question as it was typed, also when an earlier one is asked again."""
    query = reply.query or reply.event.about
    return query.question_text if query else extract_question(reply.event.text, own_user_id=find_own_user_id(client))


def _find_filters(client: WebClient, reply: Reply) -> Filters:
    """Find the filters that were given, and in a channel, or about one, that keeps to some collections, those."""
    event = reply.event
    filters = filters_from_json(reply.query.filters if reply.query else event.filters)
    if event.is_public:
        return replace(filters, collections=list_collections(find_setting(event.team_id, event.channel_id)))
    if event.context_channel_id and _may_mean(client, event):
        setting = find_setting(event.team_id, event.context_channel_id)
        return replace(filters, collections=list_collections(setting))
    return filters


def _may_mean(client: WebClient, event: SlackEvent) -> bool:
    """Return True if the asker is in the channel that they mean by their question. No other one is considered."""
    with accept_recent():
        if audiences.is_in(client, event.context_channel_id, event.user_id):
            return True
    event.context_channel_id = ""
    event.save(update_fields=["context_channel_id"])
    return False
