"""Define the tools that look into a topic: plan a research, start it, read what was proven, and stop it."""

from decimal import Decimal
from uuid import UUID

from pydantic import Field, StrictFloat, StrictInt, StrictStr

from core import api
from core.mcp.forms import (
    CITATIONS,
    Arguments,
    Call,
    FilteredArguments,
    FootnoteTool,
    Given,
    Json,
    describe_form,
    describe_object,
)
from core.models import AuthToken
from core.programs import research
from core.programs.research import ResearchWithTextJson
from core.programs.research_json import (
    EstimateJson,
    ParagraphJson,
    ProvenSentenceJson,
    ResearchJson,
    ResearchPageJson,
    ResearchSectionJson,
)
from core.values.research import MOST_MINUTES, Budget, ResearchState, StopReason


class PlanArguments(FilteredArguments):
    """Of `plan_research`."""

    topic: StrictStr = Field(
        description="What to look into, in 3 to 1,000 characters, such as: how our travel rules changed since 2023."
    )


class ResearchArguments(Arguments):
    """Of the tools that take a research."""

    research_id: UUID = Field(description="The research_id of a result of plan_research.")


class StartArguments(ResearchArguments):
    """Of `start_research`."""

    most_minutes: StrictInt = Field(
        Budget().most_minutes, ge=1, le=MOST_MINUTES, description="When to stop at the latest; what was found is kept."
    )
    most_usd: StrictInt | StrictFloat | None = Field(
        None,
        gt=0,
        le=100_000,
        description="What the answer model may cost in US dollars; without it only the organisation's budgets count.",
    )


def _plan(call: Call, given: PlanArguments) -> ResearchJson:
    return research.plan(call.program, given.topic, filters=api.parse_filters(given.filters()))


def _start(call: Call, given: StartArguments) -> ResearchJson:
    most_usd = None if given.most_usd is None else Decimal(str(given.most_usd)).quantize(Decimal("0.0001"))
    budget = Budget(most_minutes=given.most_minutes, most_usd=most_usd)
    return research.start(call.program, given.research_id, budget)


def _read(call: Call, given: ResearchArguments) -> ResearchWithTextJson:
    return research.read_with_text(call.program, given.research_id)


def _stop(call: Call, given: ResearchArguments) -> Given:
    research.stop(call.program, given.research_id)
    return {"research_id": str(given.research_id), "is_stopped": True}


_SECTION = describe_form(
    ResearchSectionJson,
    paragraphs={
        "type": "array",
        "items": describe_form(
            ParagraphJson,
            outcome={
                "enum": ["answered", "quoted"],
                "description": "quoted: no answer, but the words of the section that the question asks about.",
            },
            sentences={
                "type": "array",
                "items": describe_form(ProvenSentenceJson),
                "description": "Each was verified against its citations, word for word.",
            },
        ),
    },
)
_PAGE: Json = {
    **describe_form(
        ResearchPageJson,
        sections={"type": "array", "items": _SECTION},
        citations={**CITATIONS, "description": "What proves the sentences, by number: quotes, each with its place."},
    ),
    "description": "What was proven so far; unproven and disagreements belong to it. Show all three to the person.",
}
_PARTS: dict[str, Json] = {
    "state": {"enum": [each.value for each in ResearchState]},
    "stop_reason": {
        "enum": [*(each.value for each in StopReason), None],
        "description": "Why it ended before all was asked.",
    },
    "estimate": {
        **describe_form(EstimateJson),
        "type": ["object", "null"],
        "description": "What the plan will probably take, before it is started. Tell the person.",
    },
    "page": _PAGE,
}
_RESEARCH = describe_form(ResearchJson, **_PARTS)


PLAN_RESEARCH = FootnoteTool(
    name="plan_research",
    title="Plan a research",
    description=(
        "Propose a plan for a page about a topic from the organisation's documents: questions, grouped by heading, "
        "with an estimate of what they will take. Nothing is asked yet. Show the plan and the estimate to the person, "
        "and call start_research when they agree. Use it where one answer is not enough; use ask for one question. "
        "Only what the signed-in person may read is looked at."
    ),
    arguments=PlanArguments,
    gives=_RESEARCH,
    scope=AuthToken.Scope.ASK,
    run=_plan,
    writes=True,
    is_idempotent=False,
)


START_RESEARCH = FootnoteTool(
    name="start_research",
    title="Start a research",
    description=(
        "Let Footnote ask the questions of a plan, one after the other, within limits of time and cost. It returns at "
        "once and goes on by itself: call read_research now and then until state is done, stopped or failed. Starting "
        "it again changes nothing."
    ),
    arguments=StartArguments,
    gives=_RESEARCH,
    scope=AuthToken.Scope.ASK,
    run=_start,
    writes=True,
)


READ_RESEARCH = FootnoteTool(
    name="read_research",
    title="Read a research",
    description=(
        "Read how far a research is and what it found: page as parts, and markdown as one text. Every sentence of the "
        "page's sections is proven: it was verified word for word against quotes of documents, which its citations "
        "name. unproven lists the questions that nothing this person may read was sure enough to answer: do not fill "
        "these gaps from memory as if it came from the documents. disagreements lists citations that contradict each "
        "other: show both. Text that you add yourself is not proven; say so."
    ),
    arguments=ResearchArguments,
    gives=describe_form(ResearchWithTextJson, **_PARTS),
    scope=AuthToken.Scope.ASK,
    run=_read,
)


STOP_RESEARCH = FootnoteTool(
    name="stop_research",
    title="Stop a research",
    description=(
        "Stop a research that was started; one that was not, or has ended, stays as it is. What was found so far is "
        "kept, and read_research gives it."
    ),
    arguments=ResearchArguments,
    gives=describe_object(research_id={"type": "string"}, is_stopped={"type": "boolean"}),
    scope=AuthToken.Scope.ASK,
    run=_stop,
    writes=True,
)
