"""Keep a research: propose and change its plan, start and stop it, and delete it. Each is its asker's alone."""

import logging
from collections.abc import Sequence
from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from core.asking.answering.query_rewriting import NOT_ENGLISH
from core.asking.answering.requests import check_question
from core.asking.history.retention import erase_texts_of
from core.asking.research.planning import make_plan
from core.asking.research.topics import read_topic
from core.asking.spending.meter import BudgetMeter, spender_of
from core.errors import InvalidQuestionError, NotFoundError
from core.filters import filters_as_json, filters_from_json
from core.infrastructure import queue
from core.language.i18n.translation import say, translatable
from core.language.nlp.text import one_line
from core.language.query_understanding.languages import is_foreign
from core.llm.calls import CallContext, call_context
from core.llm.client import model_settings
from core.models import Research, ResearchLine
from core.models.token_audiences import columns_of
from core.signals import research_moved
from core.types import Asker, Audience, Filters, Origin
from core.values.research import (
    LONGEST_HEADING,
    MOST_MINUTES,
    MOST_QUESTIONS,
    Budget,
    PlannedQuestion,
    ResearchState,
    StopReason,
)

logger = logging.getLogger(__name__)

NO_PLAN = translatable("Nothing that you can read speaks of this. Try it in other words, or without a date.")
TOO_MANY = translatable("A plan has at most {most} questions. Strike some out.")
NO_QUESTION = translatable("A plan needs a question.")
UNDER_WAY = translatable("This research has begun. Its plan cannot be changed any more.")
WRONG_MINUTES = translatable("The time must be a whole number of minutes from 1 to {most}.")
WRONG_COST = translatable("The cost must be more than 0 dollars.")


def plan_research(topic: str, *, asker: Asker, audience: Audience, origin: Origin, filters: Filters) -> UUID:
    """Propose and store a plan; see core.api.plan_research."""
    typed = check_question(topic)
    if asker.user_id is None:
        raise NotFoundError(say(NO_PLAN))
    model = model_settings()
    spender = spender_of(asker.user_id, None)
    wanted = read_topic(typed, today=timezone.localdate())
    with call_context(CallContext(meter=BudgetMeter(spender))):
        plan = make_plan(wanted, audience=audience, filters=filters, model=model)
    if not plan.questions:
        raise NotFoundError(say(NOT_ENGLISH if is_foreign(typed) else NO_PLAN))
    research = Research(
        user_id=asker.user_id,
        origin=origin,
        topic=typed,
        filters=filters_as_json(filters),
        planned_by=plan.planned_by,
        planning_tokens=plan.usage.prompt_tokens + plan.usage.completion_tokens,
        planning_usd=Decimal(str(plan.usage.cost_usd)),
        **columns_of(asker.asks_for),
    )
    return _store_plan(research, plan.questions)


def plan_again(research: Research) -> UUID:
    """Store the plan of a research as that of a new one; see core.api.plan_again."""
    kept = research.lines.exclude(text="")
    questions = [
        PlannedQuestion(
            text=line.text, heading=line.heading, filters=filters_from_json(line.filters), made_of=line.made_of
        )
        for line in kept
    ]
    again = Research(
        user_id=research.user_id,
        origin=research.origin,
        topic=research.topic,
        filters=research.filters,
        planned_by=research.planned_by,
        **columns_of(research.asks_for),
    )
    return _store_plan(again, questions)


def _store_plan(research: Research, questions: Sequence[PlannedQuestion]) -> UUID:
    with transaction.atomic():
        research.save(force_insert=True)
        _write_lines(research, questions)
    logger.info("research_planned", extra={"research": str(research.pk), "questions": len(questions)})
    return research.pk


def change_plan(research: Research, questions: Sequence[PlannedQuestion]) -> None:
    """Replace the plan. Questions that are in it already keep their filters and sources unless their text is new."""
    if not questions:
        raise InvalidQuestionError(say(NO_QUESTION))
    if len(questions) > MOST_QUESTIONS:
        raise InvalidQuestionError(say(TOO_MANY, most=MOST_QUESTIONS))
    with transaction.atomic():
        locked = _lock_plan(research)
        known = {line.pk: line for line in locked.lines.all()}
        changed = [_change_question(one, known, locked) for one in questions]
        locked.lines.all().delete()
        _write_lines(locked, changed)


def _change_question(one: PlannedQuestion, known: dict[UUID, ResearchLine], research: Research) -> PlannedQuestion:
    """Return a question as it is to be stored: where it was planned, with the filters and sources of then."""
    line = known.get(one.question_id) if one.question_id else None
    text, heading = check_question(one.text), one_line(one.heading)[:LONGEST_HEADING]
    # A text that was changed by hand may keep words of the document, and a heading may be words of another's.
    made_of = line.made_of if line else ()
    if line is None or line.heading != heading:
        made_of += next((other.made_of for other in known.values() if other.heading == heading), ())
    return PlannedQuestion(
        text=text,
        heading=heading,
        filters=filters_from_json(line.filters if line and text == line.text else research.filters),
        made_of=tuple(dict.fromkeys(made_of)),
    )


def _write_lines(research: Research, questions: Sequence[PlannedQuestion]) -> None:
    ResearchLine.objects.bulk_create(
        ResearchLine(
            research=research,
            number=number,
            heading=one.heading,
            text=one.text,
            filters=filters_as_json(one.filters),
            made_of_documents=[edition.document_id for edition in one.made_of],
            made_of_versions=[edition.version for edition in one.made_of],
        )
        for number, one in enumerate(questions, 1)
    )


def start_research(research: Research, budget: Budget) -> None:
    """Queue a research within a budget. Starting it again changes nothing."""
    with transaction.atomic():
        if begun := _begin(research, budget):
            queue.enqueue(queue.RESEARCH, lock=f"research/{begun.pk}", research=str(begun.pk))


def start_here(research: Research, budget: Budget) -> None:
    """Begin a research that no worker is to take. InvalidQuestionError for one that has begun."""
    with transaction.atomic():
        if _begin(research, budget) is None:
            raise InvalidQuestionError(say(UNDER_WAY))


def _begin(research: Research, budget: Budget) -> Research | None:
    """Let a research wait for whoever asks its questions. None for one that has begun."""
    if not 1 <= budget.most_minutes <= MOST_MINUTES:
        raise InvalidQuestionError(say(WRONG_MINUTES, most=MOST_MINUTES))
    if budget.most_usd is not None and budget.most_usd <= 0:
        raise InvalidQuestionError(say(WRONG_COST))
    locked = Research.objects.select_for_update().get(pk=research.pk)
    if locked.state != ResearchState.PLANNED:
        return None
    locked.state = ResearchState.WAITING
    locked.most_minutes, locked.most_usd = budget.most_minutes, budget.most_usd
    locked.save(update_fields=["state", "most_minutes", "most_usd"])
    return locked


def stop_research(research: Research) -> None:
    """Stop a research; what was found is kept. One that has not begun, or has ended, is as it was."""
    now = timezone.now()
    under_way = (ResearchState.WAITING, ResearchState.RUNNING)
    Research.objects.filter(pk=research.pk, state__in=under_way, stop_asked_at=None).update(stop_asked_at=now)
    # While it waits nobody works on it.
    ended = Research.objects.filter(pk=research.pk, state=ResearchState.WAITING).update(
        state=ResearchState.STOPPED, stop_reason=StopReason.ASKER, finished_at=now
    )
    if ended:
        research_moved.send_robust(sender=Research, research_id=research.pk)


def delete_research(research: Research) -> None:
    """Delete a research, and erase the texts of what was asked for it."""
    stop_research(research)
    asked = list(research.lines.exclude(query=None).values_list("query_id", flat=True))
    research.delete()
    if asked:
        erase_texts_of(asked)


def _lock_plan(research: Research) -> Research:
    locked = Research.objects.select_for_update().get(pk=research.pk)
    if locked.state != ResearchState.PLANNED:
        raise InvalidQuestionError(say(UNDER_WAY))
    return locked
