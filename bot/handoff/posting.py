"""Hand a question to people: stored with its job in one transaction, posted once; and keep what they reply.

The replies become a draft of a verified answer.
"""

import logging
from itertools import islice
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from slack_sdk import WebClient

from bot.blocks.handoff import HandoffQuestion, handoff_message
from bot.blocks.message import Message
from bot.channels.settings import find_language
from bot.handoff.people_to_ask import PeopleToAsk, find_accounts, find_people_to_ask, is_among
from bot.identity.people import find_person
from bot.models import HandOver, Reply
from bot.slack.errors import SlackRefusedError, find_code, translate_errors
from bot.slack.idempotent import IdempotentMessage
from bot.slack.markup import extract_question
from bot.slack.workspace import find_client
from core.errors import FootnoteError, NotFoundError
from core.infrastructure import queue
from core.language.i18n.translation import say, speak_language, translatable

logger = logging.getLogger(__name__)

NOT_HANDED_ON = translatable(
    "Your question did not reach anybody: I could not post it where people would see it. Press the button again "
    "later, or tell an administrator."
)

_MESSAGES_PER_PAGE, _MOST_PAGES = 100, 10  # of a thread, which are looked through
_MOST_KEPT = 10  # of those whom were asked


class NobodyToAskError(FootnoteError):
    """Nobody is assigned to answer questions here any more. Ask an administrator."""


class NotToResolveError(FootnoteError):
    """Only the people who were asked, or who wanted the answer, can mark this as resolved."""


def receive(reply: Reply, *, asked_by: str) -> tuple[PeopleToAsk, bool]:
    """Hand the question of a reply on, at the wish of a Slack user. Whom to, and whether it is new.

    NobodyToAskError when nobody is set, NotFoundError when the question is gone. One that failed is tried again.
    """
    people = find_people_to_ask(reply.event)
    if people is None:
        raise NobodyToAskError
    query_id = reply.query_id or reply.event.about_id
    if query_id is None:
        raise NotFoundError
    try:
        with transaction.atomic():
            row = HandOver.objects.create(
                query_id=query_id,
                reply=reply,
                team_id=people.team_id,
                channel_id=people.channel_id,
                thread_ts=people.thread_ts,
                asked_by=asked_by,
            )
            queue.enqueue(queue.HAND_OVER, hand_over=str(row.pk))
    except IntegrityError:  # somebody pressed before
        return people, _queue_again(query_id)
    logger.info("hand_over_stored", extra={"hand_over": str(row.pk)})
    return people, True


def is_with_people(team_id: str, channel_id: str, thread_ts: str) -> bool:
    """Return True if people are being asked in a thread: messages there are for them, unless they mention us."""
    unresolved = (HandOver.State.WAITING, HandOver.State.OPEN)
    rows = HandOver.objects.filter(team_id=team_id, channel_id=channel_id, state__in=unresolved)
    return rows.filter(thread_ts=thread_ts).exists() or rows.filter(thread_ts="", ts=thread_ts).exists()


def post(hand_over_id: UUID) -> None:
    """Ask the people, unless an earlier attempt did. SlackUnavailableError when a later attempt may succeed."""
    with transaction.atomic():
        row = _select_rows().select_for_update(of=("self",)).get(pk=hand_over_id)
        if row.state != HandOver.State.WAITING:
            return
        row.attempts += 1
        row.save(update_fields=["attempts"])
    client = find_client(row.team_id)
    _build_message(client, row, ts=row.ts).ensure(lambda: _compose_message(client, row))
    # Somebody quick may have resolved it already.
    HandOver.objects.filter(pk=row.pk, state=HandOver.State.WAITING).update(state=HandOver.State.OPEN)


def fail(hand_over_id: UUID, *, code: str) -> None:
    """End a hand-over that could not be posted, and say so to who wished it. Pressing the button again tries again."""
    waiting = HandOver.objects.filter(pk=hand_over_id, state=HandOver.State.WAITING)
    is_failed = waiting.update(state=HandOver.State.FAILED, error_code=code)
    logger.warning("hand_over_failed", extra={"hand_over": str(hand_over_id), "code": code})
    if is_failed:
        _tell_who_wished(_select_rows().get(pk=hand_over_id))


def resolve(
    client: WebClient, hand_over_id: UUID, *, team_id: str, channel_id: str, ts: str, by: str, keeps: bool = False
) -> None:
    """Mark a hand-over as resolved, whose message with the pressed button has this ts, and say so in it.

    keeps: the replies of the people who were asked become a draft of a verified answer.

    NotFoundError for one of another team or channel, NotToResolveError for somebody who has no part in it.
    """
    row = _select_rows().filter(pk=hand_over_id, team_id=team_id, channel_id=channel_id).first()
    if row is None:
        raise NotFoundError
    if not _may_resolve(client, row, by):
        raise NotToResolveError
    with transaction.atomic():
        HandOver.objects.filter(pk=row.pk).exclude(state=HandOver.State.RESOLVED).update(
            state=HandOver.State.RESOLVED, resolved_by=by, resolved_at=timezone.now(), ts=ts
        )
        if keeps:
            queue.enqueue(queue.KEEP_REPLY, hand_over=str(row.pk))
    row.refresh_from_db()
    # Also when it was resolved before: the message may not say so yet.
    _build_message(client, row, ts=ts).edit(_compose_message(client, row))


def _tell_who_wished(row: HandOver) -> None:
    """Say so to them alone, where they pressed."""
    reply = row.reply
    channel_id = reply.channel_id or reply.event.channel_id
    thread_ts = reply.thread_ts or reply.event.thread_ts
    try:
        with translate_errors(), speak_language(find_language(row.team_id, channel_id)):
            find_client(row.team_id).chat_postEphemeral(
                channel=channel_id, user=row.asked_by, thread_ts=thread_ts or None, text=say(NOT_HANDED_ON)
            )
    except FootnoteError as error:
        logger.warning("asker_not_told", extra={"hand_over": str(row.pk), "code": find_code(error)})


def _select_rows() -> Any:
    return HandOver.objects.select_related("query", "reply__event")


def _queue_again(query_id: UUID) -> bool:
    with transaction.atomic():
        row = HandOver.objects.filter(query=query_id, state=HandOver.State.FAILED).select_for_update().first()
        if row is None:
            return False
        row.state, row.error_code = HandOver.State.WAITING, ""
        row.save(update_fields=["state", "error_code"])
        queue.enqueue(queue.HAND_OVER, hand_over=str(row.pk))
        return True


def _may_resolve(client: WebClient, row: HandOver, slack_user_id: str) -> bool:
    if slack_user_id in (row.asked_by, row.reply.event.user_id):
        return True
    people = find_people_to_ask(row.reply.event)
    return people is not None and is_among(client, people, slack_user_id)


def _build_message(client: WebClient, row: HandOver, *, ts: str) -> IdempotentMessage:
    """Build the one message of a hand-over, with its ts as far as it is known."""

    def record(found: str) -> None:
        HandOver.objects.filter(pk=row.pk).update(ts=found, posted_at=timezone.now())

    return IdempotentMessage(
        client=client,
        team_id=row.team_id,
        channel_id=row.channel_id,
        thread_ts=row.thread_ts,
        marker=f"hand-over-{row.pk}",
        ts=ts,
        since=f"{row.created_at.timestamp():.6f}" if row.attempts > 1 else "",
        record=record,
    )


def _compose_message(client: WebClient, row: HandOver) -> Message:
    """Compose the message as it should be now. NobodyToAskError and NotFoundError as for `receive`."""
    people = find_people_to_ask(row.reply.event)
    if people is None and not row.resolved_by:
        raise NobodyToAskError
    if row.query is None or row.query.erased_at is not None:
        raise NotFoundError
    known = people.people if people else ()
    accounts = find_accounts(client, row.team_id, known)
    asked = HandoffQuestion(
        people=[accounts[person] for person in known if person in accounts],
        usergroup=people.usergroup if people else "",
        names=[person.name_without_address for person in known if person not in accounts],
        asker=row.asked_by,
        question=row.query.question_text,
    )
    with speak_language(find_language(row.team_id, row.channel_id)):  # of those who are asked, wherever it was asked
        return handoff_message(str(row.pk), asked, resolved_by=row.resolved_by)


def keep_replies(hand_over_id: UUID) -> None:
    """Make a draft of the replies, once. Nothing where nobody who was asked replied, or the question is gone.

    SlackUnavailableError when a later attempt may succeed.
    """
    from core.asking.verified_answers.editing import draft_from_reply

    row = HandOver.objects.select_related("query", "reply__event").get(pk=hand_over_id)
    people = find_people_to_ask(row.reply.event)
    if people is None or row.query is None or row.query.erased_at is not None:
        return
    client = find_client(row.team_id)
    replies = _list_replies(client, row, people)
    if not replies:
        logger.info("no_reply_to_keep", extra={"hand_over": str(row.pk)})
        return
    person = find_person(client, row.team_id, str(replies[-1]["user"]))
    text = "\n".join(extract_question(str(one["text"]), own_user_id="") for one in replies)
    draft_from_reply(row.query, text, by=person.user_id)


def _list_replies(client: WebClient, row: HandOver, people: PeopleToAsk) -> list[dict[str, Any]]:
    """List the messages of the people asked, below the message that asks them."""
    place: dict[str, Any] = {"channel": row.channel_id, "ts": row.thread_ts or row.ts, "oldest": row.ts}
    try:
        with translate_errors():
            pages = client.conversations_replies(**place, limit=_MESSAGES_PER_PAGE)
            found = [one for page in islice(pages, _MOST_PAGES) for one in page.get("messages") or []]
    except SlackRefusedError as error:
        logger.warning("messages_unreadable", extra={"channel": row.channel_id, "code": error.code})
        return []
    said = [one for one in found if one.get("user") and one.get("text") and not one.get("bot_id")]
    said = [one for one in said if str(one.get("ts", "")) > row.ts]
    return [one for one in said if is_among(client, people, str(one["user"]))][:_MOST_KEPT]
