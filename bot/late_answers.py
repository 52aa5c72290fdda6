"""Give people in Slack the answer to an earlier question, once a document that was proposed for it is in the library.

Each gets their own answer in one direct message, wherever they had asked: a channel may hold people who may not read
it. Whose question is asked again, and when, is decided in core.quality.proposals.
"""

import logging
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from slack_sdk import WebClient

from bot.blocks.late_answers import late_answer_message
from bot.blocks.message import Message
from bot.channels.settings import find_language
from bot.handoff.people_to_ask import Account, find_account
from bot.identity.audiences import find_account_audience
from bot.models import LateAnswerNotice
from bot.slack.addresses import open_direct_messages
from bot.slack.idempotent import IdempotentMessage
from bot.slack.workspace import UnknownTeamError, find_client
from core import api
from core.infrastructure import queue
from core.language.i18n.translation import speak_language
from core.models import LateAnswer, User
from core.quality.proposals.late_answers import Ask, Late, ask_late, end, read_late, select_late
from core.types import Audience

logger = logging.getLogger(__name__)

_Silence = LateAnswer.Silence


def tell(late_id: UUID, *, ask: Ask = api.ask) -> None:
    """Give somebody the answer in a direct message, unless an earlier attempt did, or they get none.

    Whoever has no account in a connected team gets it in another way. SlackUnavailableError, or another error that says
    `retry`, when a later attempt may succeed.
    """
    late = select_late().filter(pk=late_id, state=LateAnswer.State.QUEUED).first()
    if late is None:
        return
    notice = _begin_attempt(late)
    if _is_posted(notice):
        _end_told(late)
        return
    user = late.query.user
    if user is None:
        end(late, _Silence.INACTIVE)
        return
    account = find_account(user, first=notice.team_id or late.query.conversation.slack_team)
    if account is None:
        queue.enqueue_once(queue.ANSWER_LATE, f"late_answer/{late.pk}", late=str(late.pk))
        return
    if ask_late(late.pk, audience=_find_audience(account, user), ask=ask) is not None:
        _post(late, notice, account, user)


def fail(late_id: UUID, *, code: str) -> None:
    """End a late answer that could not be delivered. The person finds it in the list of their own answers."""
    late = select_late().filter(pk=late_id, state=LateAnswer.State.QUEUED).first()
    if late is not None:
        LateAnswerNotice.objects.filter(late=late).update(error_code=code)
        end(late, _Silence.FAILED)
    logger.warning("late_answer_failed", extra={"late": str(late_id), "code": code})


def _begin_attempt(late: LateAnswer) -> LateAnswerNotice:
    """Return the notice of a late answer, with an attempt counted."""
    with transaction.atomic():
        notice, _ = LateAnswerNotice.objects.select_for_update().get_or_create(late=late)
        notice.attempts += 1
        notice.save(update_fields=["attempts"])
    return notice


def _is_posted(notice: LateAnswerNotice) -> bool:
    """Return True if an earlier attempt has posted the message, to whatever account it was then."""
    if notice.ts or not notice.channel_id:
        return bool(notice.ts)
    try:
        client = find_client(notice.team_id)
    except UnknownTeamError:
        return False
    return _build_message(client, notice).is_there()


def _post(late: LateAnswer, notice: LateAnswerNotice, account: Account, user: User) -> None:
    """Post the message, if its asker may read the answer at this moment."""
    notice.team_id = account.team_id
    notice.channel_id = open_direct_messages(account.client, account.slack_user_id)
    notice.save(update_fields=["team_id", "channel_id"])
    # Who they are and what they may read is asked again: that the question was asked again may have taken long.
    current = select_late().get(pk=late.pk)
    found = read_late(current, audience=_find_audience(account, user))
    if found is None:
        end(late, _Silence.ERASED if current.query.erased_at else _Silence.NOT_READABLE)
        return
    _build_message(account.client, notice).ensure(lambda: _compose(found, notice))
    _end_told(late)


def _compose(found: Late, notice: LateAnswerNotice) -> Message:
    asked_on = timezone.localtime(found.asked_at).date()
    with speak_language(find_language(notice.team_id, notice.channel_id)):
        return late_answer_message(found.answer, question=found.question, asked_on=asked_on)


def _find_audience(account: Account, user: User) -> Audience:
    """Find what a person may read by themselves; nobody's where the account is not theirs any more."""
    user_id, audience = find_account_audience(account.client, account.team_id, account.slack_user_id)
    return audience if user_id == user.pk else Audience.nobody()


def _build_message(client: WebClient, notice: LateAnswerNotice) -> IdempotentMessage:
    def record(ts: str) -> None:
        notice.ts, notice.posted_at = ts, timezone.now()
        notice.save(update_fields=["ts", "posted_at"])

    return IdempotentMessage(
        client=client,
        team_id=notice.team_id,
        channel_id=notice.channel_id,
        thread_ts="",
        marker=f"late-answer-{notice.pk}",
        ts=notice.ts,
        since=f"{notice.created_at.timestamp():.6f}" if notice.attempts > 1 else "",
        record=record,
    )


def _end_told(late: LateAnswer) -> None:
    end(late, by=LateAnswer.By.SLACK)
    logger.info("late_answer_told", extra={"late": str(late.pk)})
