"""Show researches to their askers: access is asked again at every look, of the plan and of all that came of it."""

import statistics
from collections.abc import Collection, Sequence
from decimal import Decimal
from uuid import UUID

from django.db.models import QuerySet, Sum
from django.utils import timezone

from core.access.audiences import readable_editions
from core.asking.generation.modes import is_extractive
from core.asking.history.results import stored_results
from core.asking.research.composing import Answered, compose_page
from core.errors import NotFoundError
from core.filters import filters_from_json
from core.llm.client import model_settings, price_of
from core.models import Answer, ResearchLine
from core.models import Research as ResearchRow
from core.models.token_audiences import columns_of
from core.types import Audience
from core.values.research import (
    Budget,
    Estimate,
    ListedResearch,
    Outcome,
    Progress,
    Research,
    ResearchQuestion,
    ResearchState,
    StopReason,
)
from core.values.token_audience import TokenAudience

LOOKED_AT = 50  # answers by which a question's time and cost are estimated
SECONDS = 4.0  # of a question where none was answered yet: key-free on two cores


def select_own(user_id: UUID, *, asks_for: TokenAudience | None = None) -> QuerySet[ResearchRow]:
    """Select a person's own researches; of those of a program, what was asked for the same others.

    asks_for: for whom a program asks; None: a person looks for themselves.
    """
    own: QuerySet[ResearchRow] = ResearchRow.objects.filter(user_id=user_id, user__is_active=True, erased_at=None)
    return own.filter(**columns_of(asks_for)) if asks_for else own


def find_research(research_id: UUID, *, user_id: UUID, asks_for: TokenAudience | None = None) -> ResearchRow:
    """Return one of those that select_own selects. NotFoundError for every other."""
    found = select_own(user_id, asks_for=asks_for).filter(pk=research_id).first()
    if found is None:
        raise NotFoundError
    return found


def list_researches(
    user_id: UUID, *, audience: Audience, asks_for: TokenAudience | None, limit: int, offset: int
) -> tuple[ListedResearch, ...]:
    """List a person's own researches, the newest first, each with how many questions the audience may see of it."""
    own = select_own(user_id, asks_for=asks_for).order_by("-created_at", "pk")
    rows = list(own.prefetch_related("lines")[offset : offset + limit])
    lines = {row.pk: [line for line in row.lines.all() if line.text] for row in rows}
    planned = (edition for of_row in lines.values() for line in of_row for edition in line.made_of)
    readable = readable_editions(planned, audience)
    shown = {pk: [one for one in of_row if readable.issuperset(one.made_of)] for pk, of_row in lines.items()}
    return tuple(
        ListedResearch(
            research_id=row.pk,
            topic=row.topic,
            state=ResearchState(row.state),
            questions=len(shown[row.pk]),
            asked=sum(line.outcome != Outcome.OPEN for line in shown[row.pk]),
            created_at=row.created_at,
        )
        for row in rows
    )


def read_research(row: ResearchRow, *, audience: Audience) -> Research:
    """Return a research as this audience may see it now: of plan and results what it may read."""
    lines = list(row.lines.exclude(text="").select_related("query"))
    readable = readable_editions((edition for line in lines for edition in line.made_of), audience)
    shown = [line for line in lines if readable.issuperset(line.made_of)]
    asked = {line.query.request_id: line for line in shown if line.query and not line.query.erased_at}
    results = stored_results(list(asked), audience=audience, viewer=row.user_id)
    questions = tuple(_show_line(line, results.keys()) for line in shown)
    answered = [Answered(question=one, result=results.get(one.request_id)) for one in questions]
    return Research(
        research_id=row.pk,
        user_id=row.user_id,
        topic=row.topic,
        state=ResearchState(row.state),
        stop_reason=StopReason(row.stop_reason) if row.stop_reason else None,
        filters=filters_from_json(row.filters),
        budget=Budget(most_minutes=row.most_minutes, most_usd=row.most_usd),
        planned_by=row.planned_by,
        questions=questions,
        progress=_measure(row, shown),
        page=compose_page(answered, has_ended=row.finished_at is not None),
        created_at=row.created_at,
        started_at=row.started_at,
        finished_at=row.finished_at,
    )


def _show_line(line: ResearchLine, visible: Collection[str]) -> ResearchQuestion:
    request_id = line.query.request_id if line.query else ""
    is_visible = request_id in visible
    outcome = Outcome(line.outcome)
    if outcome is not Outcome.OPEN and not is_visible:
        outcome = Outcome.UNPROVEN  # as if nothing had been found
    return ResearchQuestion(
        question_id=line.pk,
        number=line.number,
        heading=line.heading,
        text=line.text,
        filters=filters_from_json(line.filters),
        outcome=outcome,
        request_id=request_id if is_visible else "",
    )


def _measure(row: ResearchRow, lines: Sequence[ResearchLine]) -> Progress:
    spent = row.lines.aggregate(
        cost=Sum("query__answer__cost_usd"),
        prompt=Sum("query__answer__prompt_tokens"),
        completion=Sum("query__answer__completion_tokens"),
    )
    ends = row.finished_at or timezone.now()
    return Progress(
        asked=sum(line.outcome != Outcome.OPEN for line in lines),
        total=len(lines),
        seconds=(ends - row.started_at).total_seconds() if row.started_at else 0.0,
        cost_usd=row.planning_usd + (spent["cost"] or Decimal(0)),
        tokens=row.planning_tokens + (spent["prompt"] or 0) + (spent["completion"] or 0),
    )


def estimate(questions: int, *, user_id: UUID) -> Estimate:
    """Return what so many questions will probably take: the median time and cost of the asker's own last answers.

    By the model that is set. How long others wait is no concern of theirs.
    """
    model = model_settings()
    last = list(
        Answer.objects.filter(model=model.model, query__user=user_id)
        .order_by("-created_at")
        .values_list("processing_time_ms", "cost_usd")[:LOOKED_AT]
    )
    seconds = statistics.median(float(took) for took, _ in last) / 1000 if last else SECONDS
    if is_extractive(model):
        cost: Decimal | None = Decimal(0)
    elif last and price_of(model.model, prompt_tokens=1000, completion_tokens=1000) is not None:
        cost = statistics.median(spent for _, spent in last) * questions
    else:
        cost = None
    return Estimate(questions=questions, seconds=round(seconds * questions, 1), cost_usd=cost, model=model.model)
