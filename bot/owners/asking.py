"""Ask the owner of a document that may be out of date, in one direct message, at the wish of who reads an answer."""

import logging
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from slack_sdk import WebClient
from slack_sdk.models.blocks import Block

from bot.blocks.message import Message
from bot.blocks.owners import OwnerOffer, OwnersQuestion, offer_blocks, question_message
from bot.channels.settings import find_language
from bot.handoff.people_to_ask import find_accounts
from bot.identity.people import find_person
from bot.models import OwnerQuestion, OwnerQuestionAsker, Reply
from bot.slack.addresses import open_direct_messages
from bot.slack.errors import find_code
from bot.slack.idempotent import IdempotentMessage
from bot.slack.workspace import find_client
from core.errors import FootnoteError, NotFoundError
from core.infrastructure import queue
from core.infrastructure.public_address import build_document_address
from core.language.i18n.translation import speak_language
from core.library.owners import Staleness, StaleSource, confirm, find_owner, find_stale_sources
from core.types import Answer

logger = logging.getLogger(__name__)


class OwnerNotReachedError(FootnoteError):
    """The owner of this source cannot be reached in Slack, or may not read it any more. Ask an administrator."""

    code = "owner_not_reached"


class AlreadySaidError(FootnoteError):
    """This was answered before. Nothing was changed."""


def receive(reply: Reply, source: StaleSource, *, asked_by: str) -> bool:
    """Queue the question to the owner of a source of a reply. False when it is on its way, for this asker too.

    NotFoundError when the question that the reply answers is gone.
    """
    query_id = reply.query_id or reply.event.about_id
    if query_id is None:
        raise NotFoundError
    with transaction.atomic():
        question, is_new = _find_or_create(query_id, source, reply.event.team_id)
        OwnerQuestionAsker.objects.get_or_create(
            question=question, slack_user_id=asked_by, defaults={"reply_id": reply.pk}
        )
        if is_new:
            queue.enqueue(queue.ASK_OWNER, question=str(question.pk))
    return is_new


def post(question_id: UUID) -> None:
    """Ask the owner, unless an earlier attempt did.

    SlackUnavailableError when a later attempt may succeed. OwnerNotReachedError when none will: the owner has no
    account here, or may not read the document.
    """
    with transaction.atomic():
        row = OwnerQuestion.objects.select_for_update().get(pk=question_id)
        if row.state != OwnerQuestion.State.WAITING:
            return
        row.attempts += 1
        row.save(update_fields=["attempts"])
    client = find_client(row.team_id)
    if not row.channel_id:
        account = find_accounts(client, row.team_id, [row.owner]).get(row.owner)
        if account is None:
            raise OwnerNotReachedError
        row.channel_id = open_direct_messages(client, account)
        row.save(update_fields=["channel_id"])
    build_message(client, row).ensure(lambda: compose(row))
    OwnerQuestion.objects.filter(pk=row.pk, state=OwnerQuestion.State.WAITING).update(state=OwnerQuestion.State.OPEN)


def fail(question_id: UUID, *, code: str) -> None:
    """End a question that could not be asked, and have those told who wished it."""
    with transaction.atomic():
        waiting = OwnerQuestion.objects.filter(pk=question_id, state=OwnerQuestion.State.WAITING)
        if waiting.update(state=OwnerQuestion.State.FAILED, error_code=code):
            queue.enqueue(queue.TELL_OF_OWNER, question=str(question_id))
    logger.warning("owner_not_asked", extra={"question": str(question_id), "code": code})


def answer(
    client: WebClient, question_id: UUID, *, team_id: str, by: str, verdict: OwnerQuestion.Verdict, words: str = ""
) -> OwnerQuestion:
    """Record what the owner says and queue that those who asked are told. by: the Slack account that says it.

    words: what they wrote. Where the owner says that the document holds, its age counts from now on.

    NotFoundError for anybody but the owner, or where the question is gone; AlreadySaidError when it was answered
    before.
    """
    person = find_person(client, team_id, by)
    with transaction.atomic():
        rows = OwnerQuestion.objects.select_for_update(of=("self",)).select_related("query", "document", "owner")
        row = rows.filter(pk=question_id, team_id=team_id, owner_id=person.user_id).first()
        if row is None or person.user_id is None:
            raise NotFoundError
        if row.state != OwnerQuestion.State.OPEN:
            raise AlreadySaidError
        row.state, row.verdict, row.words = OwnerQuestion.State.ANSWERED, verdict, words
        row.answered_at = timezone.now()
        row.save(update_fields=["state", "verdict", "words", "answered_at"])
        if verdict == OwnerQuestion.Verdict.HOLDS:
            confirm(row.document_id, version=row.document_version, by=row.owner)
        queue.enqueue(queue.TELL_OF_OWNER, question=str(row.pk))
    return row


def show_answered(client: WebClient, row: OwnerQuestion) -> None:
    """Put what the owner said in the place of the buttons. Where Slack refuses, the answer counts all the same."""
    try:
        build_message(client, row).edit(compose(row))
    except FootnoteError as error:
        logger.warning("answer_not_shown", extra={"question": str(row.pk), "code": find_code(error)})


def build_message(client: WebClient, row: OwnerQuestion) -> IdempotentMessage:
    """Return the one message that asks, with its ts as far as it is known."""

    def record(found: str) -> None:
        OwnerQuestion.objects.filter(pk=row.pk).update(ts=found, posted_at=timezone.now())

    return IdempotentMessage(
        client=client,
        team_id=row.team_id,
        channel_id=row.channel_id,
        thread_ts="",
        marker=f"owner-question-{row.pk}",
        ts=row.ts,
        since=f"{row.created_at.timestamp():.6f}" if row.attempts > 1 else "",
        record=record,
    )


def compose(row: OwnerQuestion) -> Message:
    """Return the message as it should stand now, in the language of direct messages.

    OwnerNotReachedError where the owner may not read the document, NotFoundError where the question is erased.
    """
    if row.query is None or row.query.erased_at is not None:
        raise NotFoundError
    if find_owner(row.document) != row.owner:
        raise OwnerNotReachedError
    asked = OwnersQuestion(
        question_id=str(row.pk),
        asker=row.askers.order_by("pk").values_list("slack_user_id", flat=True)[0],
        question=row.query.question_text,
        document_name=row.document.title,
        document_date=row.document.document_date,
        opens_at=build_document_address(row.document_id),
    )
    with speak_language(find_language(row.team_id, row.channel_id)):
        return question_message(asked, verdict=row.verdict)


def _find_or_create(query_id: UUID, source: StaleSource, team_id: str) -> tuple[OwnerQuestion, bool]:
    open_states = (OwnerQuestion.State.WAITING, OwnerQuestion.State.OPEN)
    try:
        with transaction.atomic():
            made = OwnerQuestion.objects.create(
                query_id=query_id,
                document_id=source.edition.document_id,
                document_version=source.edition.version,
                owner=source.owner,
                team_id=team_id,
            )
    except IntegrityError:  # somebody pressed before
        known = OwnerQuestion.objects.select_for_update().get(
            query_id=query_id, document_id=source.edition.document_id, state__in=open_states
        )
        return known, False
    return made, True


def build_offer(result: Answer) -> list[Block]:
    """Return the offer for a cited source that may be out of date and whose owner can be asked; else none.

    A source that is contradicted comes before one that is only old.
    """
    stale = find_stale_sources(result.citations, result.contradiction)
    if not stale:
        return []
    first = next((source for source in stale if source.sign is Staleness.CONTRADICTED), stale[0])
    offer = OwnerOffer(
        document_id=str(first.edition.document_id),
        document_name=first.name,
        owner=first.owner.name_without_address,
        confirmed_on=first.date if first.sign is Staleness.OLD else None,
        is_contradicted=first.sign is Staleness.CONTRADICTED,
    )
    return offer_blocks(result.request_id, offer)
