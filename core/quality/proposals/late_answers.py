"""Ask earlier questions again, each for the person who had asked it, once a proposed change is in the library.

What somebody writes for one gap often answers other questions that were asked in vain: those that come near to the
changed document are asked again as well, and told where the answer quotes it.

Everybody gets their own answer, by what they may read at that moment, privately: in Slack where they have an account,
else by mail where there is mail, and in the list of their own answers in any case. Whoever gets no answer hears
nothing, and is asked for again each night for two weeks, since rights often follow.
"""

import datetime as dt
import logging
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from core import api
from core.access.audiences import asker_for, audience_of, may_read_all
from core.errors import FootnoteError, NotFoundError
from core.filters import filters_from_json
from core.infrastructure import mail, queue
from core.infrastructure.public_address import build_citation_address
from core.models import (
    LateAnswer,
    ProposedChange,
    Query,
    SlackIdentity,
    User,
)
from core.quality.proposals.askers import list_askers, list_beside, list_changed
from core.types import Answer, Audience, Origin, Refusal
from core.values.proposals import ProposalState

logger = logging.getLogger(__name__)

Ask = Callable[..., Answer | Refusal]  # the signature of core.api.ask

_MOST_AGAIN = 500  # questions of one night
_AGAIN_FOR = dt.timedelta(days=14)
_Silence, _State = LateAnswer.Silence, LateAnswer.State


@dataclass(frozen=True, kw_only=True, slots=True)
class Late:
    """Holds the answer that a person gets to an earlier question of theirs."""

    late_id: UUID
    question: str
    asked_at: dt.datetime
    answer: Answer


def queue_late_answers(row: ProposedChange) -> int:
    """Queue that those who had asked are asked for again, each by their latest question; how many they are.

    Of a contradiction: those to whom an answer showed it.
    """
    own = list(list_askers(row))
    beside = list_beside(row, {query_id for query_id, _ in own})
    queued = 0
    for query_id, user_id, is_beside in (
        *((query_id, user_id, False) for query_id, user_id in own),
        *((query_id, user_id, True) for query_id, user_id in beside),
    ):
        late, is_new = LateAnswer.objects.get_or_create(
            proposal=row, query_id=query_id, defaults={"is_beside": is_beside}
        )
        if is_new:
            _enqueue(late, user_id)
            queued += 1
    return queued


def queue_again() -> int:
    """Queue once more those for whom there was no answer yet, of changes of the last two weeks; how many they are."""
    since = timezone.now() - _AGAIN_FOR
    waiting = LateAnswer.objects.filter(
        silence=_Silence.NOT_ANSWERED, proposal__state=ProposalState.DONE, proposal__ended_at__gte=since
    ).exclude(is_beside=True)
    rows = list(waiting.select_related("query")[:_MOST_AGAIN])
    for late in rows:
        LateAnswer.objects.filter(pk=late.pk).update(state=_State.QUEUED, silence="", ended_at=None)
        _enqueue(late, late.query.user_id)
    return len(rows)


def ask_late(late_id: UUID, *, audience: Audience, ask: Ask = api.ask) -> Late | None:
    """Ask a person's earlier question again, once, and return what they get; None where they get nothing.

    audience: that person alone. Why they get nothing is noted.
    """
    late = select_late().filter(pk=late_id, state=_State.QUEUED).first()
    if late is None:
        return None
    query, user = late.query, late.query.user
    if query.erased_at is not None or user is None or not user.is_active:
        end(late, _Silence.INACTIVE if query.erased_at is None else _Silence.ERASED)
        return None
    if _is_answered_by_another(late):
        end(late, _Silence.ALREADY)
        return None
    if late.asked_again is None:
        asker = asker_for(user)
        result = ask(
            query.question_text,
            asker=asker,
            audience=audience,
            conversation=api.open_conversation(origin=Origin.RECHECK, asker=asker),
            filters=filters_from_json(query.filters),
            again=query.pk,
        )
        if not isinstance(result, Answer) or not _is_better(late, result):
            end(late, _Silence.NOT_ANSWERED)
            return None
        late.asked_again = Query.objects.filter(request_id=result.request_id).first()
        late.save(update_fields=["asked_again"])
    found = read_late(late, audience=audience)
    if found is None:
        end(late, _Silence.NOT_READABLE)
    return found


def read_late(late: LateAnswer, *, audience: Audience) -> Late | None:
    """Return a late answer as its asker may read it now; None where they may not. audience: the asker alone."""
    query = late.query
    if late.asked_again is None or query.erased_at is not None:
        return None
    try:
        result = api.stored_result(late.asked_again.request_id, audience=audience, viewer=query.user_id)
    except NotFoundError:
        return None
    if not isinstance(result, Answer):
        return None
    alone = query.standalone_question if may_read_all(query.named_editions, audience) else ""
    return Late(late_id=late.pk, question=alone or query.question_text, asked_at=query.created_at, answer=result)


def list_own_late_answers(user: User, *, audience: Audience, limit: int = 20) -> tuple[Late, ...]:
    """List the late answers of a person, the newest first, as they may read them now. audience: that person alone."""
    rows = select_late().filter(query__user=user, asked_again__isnull=False, query__erased_at=None)
    found = (read_late(late, audience=audience) for late in rows.order_by("-created_at", "pk")[: limit * 2])
    return tuple(late for late in found if late)[:limit]


def answer_by_mail(late_id: UUID, *, is_last_try: bool) -> None:
    """Ask again for somebody without an account in Slack, and send them the answer by mail where there is mail.

    An error that says `retry` is raised for a later attempt, unless this is the last.
    """
    late = select_late().filter(pk=late_id).first()
    if late is None:
        return
    found = ask_late(late_id, audience=audience_of([late.query.user_id]))
    user = late.query.user
    if found is None or user is None:
        return
    if not mail.is_configured() or "@" not in user.email:
        end(late, _Silence.NO_WAY)
        return
    try:
        mail.send(_write_mail(found, user))
    except FootnoteError as error:
        if error.retry and not is_last_try:
            raise
        logger.warning("late_answer_not_mailed", extra={"late": str(late_id), "code": type(error).__name__})
        end(late, _Silence.FAILED)
        return
    end(late, by=LateAnswer.By.MAIL)


def end(late: LateAnswer, silence: str = "", *, by: str = "") -> None:
    """Note that somebody was told, and by what, or why not."""
    LateAnswer.objects.filter(pk=late.pk).update(
        state=_State.SILENT if silence else _State.TOLD, silence=silence, told_by=by, ended_at=timezone.now()
    )


def select_late() -> QuerySet[LateAnswer]:
    """Select late answers with the rows that telling needs."""
    return LateAnswer.objects.select_related(
        "query__user", "query__answer", "query__gap_question", "asked_again", "proposal"
    )


def _is_answered_by_another(late: LateAnswer) -> bool:
    """Return True if another change has answered this question, or another one of the same gap and person, since.

    Two changes that come into the library together queue the same askers before either has answered anybody.
    """
    others = LateAnswer.objects.filter(asked_again__isnull=False, created_at__gte=late.query.created_at)
    same = Q(query=late.query_id)
    gap = getattr(late.query, "gap_question", None)
    if gap is not None:
        same |= Q(query__gap_question__gap=gap.gap_id, query__user=late.query.user_id)
    return others.filter(same).exclude(pk=late.pk).exists()


def _is_better(late: LateAnswer, result: Answer) -> bool:
    """Return True if an answer says more than the one that its asker had: another text, and no contradiction left.

    The answer to a question of another gap has to quote the changed document: else the change is not why there is one.
    """
    if late.is_beside:
        changed = {document.pk for document in list_changed(late.proposal)}
        return any(citation.document_id in changed for citation in result.citations)
    before = getattr(late.query, "answer", None)
    if before is None or before.answer_text is None:
        return True
    return bool(result.text != before.answer_text and not (before.contradiction and result.contradiction))


def _enqueue(late: LateAnswer, user_id: UUID | None) -> None:
    in_slack = user_id is not None and SlackIdentity.objects.filter(user=user_id).exists()
    queue.enqueue(queue.TELL_LATE_ANSWER if in_slack else queue.ANSWER_LATE, late=str(late.pk))


def _write_mail(found: Late, user: User) -> mail.Mail:
    lines = [
        f"On {timezone.localtime(found.asked_at):%d %B %Y} you asked: {found.question}",
        "The documents answer it now:",
        found.answer.text,
        "Sources:",
    ]
    for citation in found.answer.citations:
        opened = build_citation_address(citation.citation_id) if citation.citation_id else ""
        lines.append(f"[{citation.number}] {citation.document_name}: “{citation.quoted_excerpt}” {opened}".strip())
    return mail.Mail(
        to=user.email,
        subject="Your question has an answer now",
        text="\n\n".join(lines) + "\n",
        message_id=mail.name_message(f"late-answer-{found.late_id}"),
    )
