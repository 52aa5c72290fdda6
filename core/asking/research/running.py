"""Ask the questions of a plan in the worker, one after the other, each under the rights of that moment.

What was asked is kept whenever it ends: by its asker, by a limit of the research, by a budget, or because the worker
stopped, whose successor goes on with what is left.
"""

import datetime as dt
import logging
from decimal import Decimal
from uuid import UUID

from django.db.models import Sum
from django.utils import timezone

from core.access.token_audiences import asker_on_behalf, find_readers
from core.asking.answering.conversations import open_conversation
from core.asking.answering.pipeline import Answering, Planned
from core.asking.history.retention import erase_texts_of
from core.asking.research.gathering import Gathering
from core.errors import StoppedError
from core.filters import filters_from_json
from core.models import Research, ResearchLine
from core.signals import research_moved
from core.types import Origin, RefusalReason
from core.values.research import Outcome, ResearchState, StopReason

logger = logging.getLogger(__name__)

State = ResearchState
TRIES = 3  # of the job, after which a fault ends the research
LOST_AFTER = dt.timedelta(minutes=30)  # without a sign of the worker: its job is gone


def run_research(research_id: UUID, *, is_last_try: bool = True) -> None:
    """Ask what is left of a plan. A fault is raised, and ends the research where nobody tries again."""
    now = timezone.now()
    Research.objects.filter(pk=research_id, state=State.WAITING).update(
        state=State.RUNNING, started_at=now, seen_at=now
    )
    research = Research.objects.select_related("user").filter(pk=research_id, state=State.RUNNING).first()
    if research is None:  # it has ended, or was deleted
        return
    try:
        ended = _ask_all(research)
    except Exception:
        if is_last_try:
            _end(research, State.FAILED, StopReason.ERROR)
        raise
    if ended is None:
        _end(research, State.DONE)
    else:
        _end(research, State.FAILED if ended is StopReason.ERROR else State.STOPPED, ended)


def end_lost() -> int:
    """End the researches with which no worker goes on, and return how many those were. What they found is kept."""
    silent = Research.objects.filter(state=State.RUNNING, seen_at__lt=timezone.now() - LOST_AFTER)
    for research in (lost := list(silent)):
        _end(research, State.FAILED, StopReason.ERROR)
    return len(lost)


def _ask_all(research: Research) -> StopReason | None:
    """Ask the open questions. Returns the reason why some are left."""
    research_moved.send_robust(sender=Research, research_id=research.pk)
    while True:
        # Looked up anew each time: its text may have been erased since.
        line = research.lines.filter(outcome=Outcome.OPEN).exclude(text="").first()
        if line is None:
            return None
        if reason := _find_reason_to_stop(research) or _ask(research, line):
            return reason
        Research.objects.filter(pk=research.pk).update(seen_at=timezone.now())
        research_moved.send_robust(sender=Research, research_id=research.pk)


def _find_reason_to_stop(research: Research) -> StopReason | None:
    if _is_stopped(research):
        return StopReason.ASKER
    research.refresh_from_db(fields=["started_at", "user"])
    if not research.user.is_active:
        return StopReason.ACCOUNT
    started = research.started_at or timezone.now()
    if timezone.now() - started >= dt.timedelta(minutes=research.most_minutes):
        return StopReason.MINUTES
    if research.most_usd is not None and spent_usd(research) >= research.most_usd:
        return StopReason.COST
    return None


def _is_stopped(research: Research) -> bool:
    """Return True if its asker stopped it, or deleted it."""
    return not Research.objects.filter(pk=research.pk, stop_asked_at=None).exists()


def spent_usd(research: Research) -> Decimal:
    """Return what the plan and its answers cost so far, in US dollars, as far as the models have prices."""
    answers = research.lines.aggregate(spent=Sum("query__answer__cost_usd"))["spent"]
    return research.planning_usd + (answers or Decimal(0))


def _ask(research: Research, line: ResearchLine) -> StopReason | None:
    """Ask one question and keep what came of it. Returns the reason why no more can be asked."""
    readers = find_readers(research.user_id, research.asks_for)
    if readers.problem:
        return StopReason.ACCOUNT
    asker = asker_on_behalf(research.user, research.asks_for)
    filters = filters_from_json(line.filters)
    gathering = Gathering(is_placed=bool(filters.source or filters.section))
    answering = Answering(
        asker=asker,
        audience=readers.audience,
        filters=readers.narrow(filters_from_json(research.filters)),
        on_step=lambda step: None,
        is_stopped=lambda: _is_stopped(research),
        planned=Planned(
            text=line.text if line.made_of else None,
            filters=readers.narrow(filters),
            made_of=line.made_of,
            decide=gathering.decide,
        ),
    )
    try:
        # What was made of documents' words is kept where access to those is asked: not as what somebody typed.
        typed = research.topic if line.made_of else line.text
        conversation = open_conversation(origin=Origin.RESEARCH, asker=asker)
        result = answering.run(typed, conversation=conversation, selected_text=None)
    except StoppedError:
        return StopReason.ASKER
    if gathering.reason is RefusalReason.OVER_QUOTA:
        return StopReason.BUDGET
    if gathering.reason is RefusalReason.MODEL_UNAVAILABLE:
        return StopReason.ERROR
    outcome = Outcome.UNPROVEN if gathering.outcome is Outcome.OPEN else gathering.outcome
    kept = ResearchLine.objects.filter(pk=line.pk).exclude(text="").update(outcome=outcome, query=result.query_id)
    if not kept and result.query_id:  # the research was deleted or erased while this was answered
        erase_texts_of([result.query_id])
    return None


def _end(research: Research, state: ResearchState, reason: StopReason | None = None) -> None:
    ended = Research.objects.filter(pk=research.pk, state=State.RUNNING).update(
        state=state, stop_reason=reason or "", finished_at=timezone.now()
    )
    if ended:
        logger.info("research_ended", extra={"research": str(research.pk), "state": state, "reason": reason or ""})
        research_moved.send_robust(sender=Research, research_id=research.pk)
