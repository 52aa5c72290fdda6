"""Tell those who asked what the owner of a document says, each once, in a direct message."""

import logging
from functools import partial
from uuid import UUID

from django.utils import timezone
from slack_sdk import WebClient

from bot.blocks.message import Message
from bot.blocks.owners import OwnersWord, not_reached_message, word_message
from bot.channels.settings import find_language
from bot.identity.audiences import find_account_audience
from bot.models import OwnerQuestion, OwnerQuestionAsker
from bot.slack.addresses import open_direct_messages
from bot.slack.errors import SlackRefusedError
from bot.slack.idempotent import IdempotentMessage
from bot.slack.workspace import find_client
from core.access.audiences import readable_among
from core.language.i18n.translation import speak_language

logger = logging.getLogger(__name__)


def tell(question_id: UUID) -> None:
    """Tell everybody who asked and was not told yet, then erase what the owner wrote.

    SlackUnavailableError when a later attempt may succeed. Whom Slack lets nobody write to is left out.
    """
    row = OwnerQuestion.objects.select_related("owner", "document", "query").get(pk=question_id)
    if row.state not in (OwnerQuestion.State.ANSWERED, OwnerQuestion.State.FAILED):
        return
    client = find_client(row.team_id)
    for asker in row.askers.filter(told_at=None).order_by("pk"):
        try:
            asker.attempts += 1
            asker.save(update_fields=["attempts"])
            if not asker.channel_id:
                asker.channel_id = open_direct_messages(client, asker.slack_user_id)
                asker.save(update_fields=["channel_id"])
            with speak_language(find_language(row.team_id, asker.channel_id)):
                _build_message(client, asker).ensure(partial(_compose_word, client, row, asker))
        except SlackRefusedError as error:
            logger.warning("asker_not_told", extra={"question": str(row.pk), "code": error.code})
        OwnerQuestionAsker.objects.filter(pk=asker.pk).update(told_at=timezone.now())
    OwnerQuestion.objects.filter(pk=row.pk).update(words="")


def give_up(question_id: UUID, *, code: str) -> None:
    """Erase what the owner wrote where those who asked could not be told."""
    OwnerQuestion.objects.filter(pk=question_id).update(words="", error_code=code)
    logger.warning("askers_not_told", extra={"question": str(question_id), "code": code})


def _compose_word(client: WebClient, row: OwnerQuestion, asker: OwnerQuestionAsker) -> Message:
    """Return what the asker is told; the document is named to those alone who may read it now."""
    _, audience = find_account_audience(client, row.team_id, asker.slack_user_id)
    name = row.document.title if readable_among([row.document_id], audience) else ""
    owner = row.owner.name_without_address
    if row.state == OwnerQuestion.State.FAILED:
        return not_reached_message(owner, name)
    question = row.query.question_text if row.query and row.query.erased_at is None else ""
    word = OwnersWord(owner=owner, document_name=name, question=question, verdict=row.verdict, words=row.words)
    return word_message(word)


def _build_message(client: WebClient, asker: OwnerQuestionAsker) -> IdempotentMessage:
    def record(found: str) -> None:
        OwnerQuestionAsker.objects.filter(pk=asker.pk).update(ts=found)

    return IdempotentMessage(
        client=client,
        team_id=asker.question.team_id,
        channel_id=asker.channel_id,
        thread_ts="",
        marker=f"owners-word-{asker.pk}",
        ts=asker.ts,
        since=f"{asker.question.created_at.timestamp():.6f}" if asker.attempts > 1 else "",
        record=record,
    )
