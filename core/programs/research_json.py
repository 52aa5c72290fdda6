"""The JSON forms of a research: the same for REST, MCP and the command line."""

import math
from decimal import Decimal
from typing import Any, TypedDict

from core.filters import filters_as_json
from core.serialization import FOR_PERSON, AudienceJson, CitationJson, Day, Id, Moment, citation_as_json, write_moment
from core.values.research import (
    Estimate,
    ListedResearch,
    Outcome,
    Paragraph,
    Research,
    ResearchPage,
    ResearchQuestion,
    Section,
)


class ResearchBudgetJson(TypedDict):
    """Holds the limits of a research, as its asker set them."""

    most_minutes: int
    most_usd: float | None


class EstimateJson(TypedDict):
    """Holds what the plan will probably take."""

    questions: int
    seconds: float
    cost_usd: float | None
    model: str


class ResearchProgressJson(TypedDict):
    """Holds how far a research is, and what it took."""

    asked: int
    total: int
    seconds: int
    cost_usd: float
    tokens: int


class ResearchQuestionJson(TypedDict):
    """Holds a question of the plan, and what came of it."""

    question_id: Id
    number: int
    heading: str | None
    text: str
    filters: dict[str, Any]
    outcome: str
    request_id: str | None


class ProvenSentenceJson(TypedDict):
    """Holds a sentence, and the numbers of the citations that prove it."""

    text: str
    citations: list[int]


class ParagraphJson(TypedDict):
    """Holds what one question brought."""

    question: str
    outcome: str
    sentences: list[ProvenSentenceJson]
    confidence_level: str | None
    document_name: str | None
    document_date: Day | None
    request_id: str | None


class ResearchSectionJson(TypedDict):
    """Holds a section of the page."""

    heading: str | None
    paragraphs: list[ParagraphJson]


class UnprovenJson(TypedDict):
    """Holds a question without a proven answer, and the numbers of the citations that come nearest."""

    question: str
    was_asked: bool
    closest: list[int]


class DisagreementJson(TypedDict):
    """Holds the numbers of two citations that answer a question differently, the one to go by first."""

    question: str
    citations: list[int]


class ResearchPageJson(TypedDict):
    """Holds what came of a research."""

    sections: list[ResearchSectionJson]
    unproven: list[UnprovenJson]
    disagreements: list[DisagreementJson]
    citations: list[CitationJson]


class ResearchJson(TypedDict):
    """Holds a research: its plan, its progress and its page."""

    research_id: Id
    topic: str
    state: str
    stop_reason: str | None
    filters: dict[str, Any]
    budget: ResearchBudgetJson
    planned_by: str | None
    questions: list[ResearchQuestionJson]
    estimate: EstimateJson | None
    progress: ResearchProgressJson
    page: ResearchPageJson
    created_at: Moment
    started_at: Moment | None
    finished_at: Moment | None
    audience: AudienceJson


class ListedResearchJson(TypedDict):
    """Holds a research in the list of its asker's."""

    research_id: Id
    topic: str
    state: str
    questions: int
    asked: int
    created_at: Moment


def research_as_json(
    research: Research, *, estimate: Estimate | None = None, audience: AudienceJson = FOR_PERSON
) -> ResearchJson:
    """Build the JSON form of a research. estimate: of a plan that was not started. audience: for whom it is."""
    progress = research.progress
    return {
        "research_id": str(research.research_id),
        "topic": research.topic,
        "state": research.state.value,
        "stop_reason": research.stop_reason.value if research.stop_reason else None,
        "filters": filters_as_json(research.filters),
        "budget": {"most_minutes": research.budget.most_minutes, "most_usd": _write_usd(research.budget.most_usd)},
        "planned_by": research.planned_by or None,
        "questions": [_write_question(one) for one in research.questions],
        "estimate": _write_estimate(estimate) if estimate else None,
        "progress": {
            "asked": progress.asked,
            "total": progress.total,
            "seconds": math.ceil(progress.seconds),  # rounded up, as all times that are published
            "cost_usd": float(progress.cost_usd),
            "tokens": progress.tokens,
        },
        "page": _write_page(research.page),
        "created_at": write_moment(research.created_at),
        "started_at": write_moment(research.started_at) if research.started_at else None,
        "finished_at": write_moment(research.finished_at) if research.finished_at else None,
        "audience": audience,
    }


def listed_as_json(listed: ListedResearch) -> ListedResearchJson:
    """Build the JSON form of a research in a list."""
    return {
        "research_id": str(listed.research_id),
        "topic": listed.topic,
        "state": listed.state.value,
        "questions": listed.questions,
        "asked": listed.asked,
        "created_at": write_moment(listed.created_at),
    }


def _write_usd(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount)


def _write_estimate(estimate: Estimate) -> EstimateJson:
    return {
        "questions": estimate.questions,
        "seconds": estimate.seconds,
        "cost_usd": _write_usd(estimate.cost_usd),
        "model": estimate.model,
    }


def _write_question(one: ResearchQuestion) -> ResearchQuestionJson:
    return {
        "question_id": str(one.question_id),
        "number": one.number,
        "heading": one.heading or None,
        "text": one.text,
        "filters": filters_as_json(one.filters),
        "outcome": one.outcome.value,
        "request_id": one.request_id or None,
    }


def _write_page(page: ResearchPage) -> ResearchPageJson:
    stated: dict[int, list[str]] = {}
    for sentence in page.sentences:
        for number in sentence.citations:
            stated.setdefault(number, []).append(sentence.text)
    return {
        "sections": [_write_section(section) for section in page.sections],
        "unproven": [
            {"question": one.question, "was_asked": one.was_asked, "closest": list(one.closest)}
            for one in page.unproven
        ],
        "disagreements": [{"question": one.question, "citations": list(one.citations)} for one in page.disagreements],
        "citations": [citation_as_json(one, statements=stated.get(one.number, ())) for one in page.citations],
    }


def _write_section(section: Section) -> ResearchSectionJson:
    return {"heading": section.heading or None, "paragraphs": [_write_paragraph(part) for part in section.paragraphs]}


def _write_paragraph(part: Paragraph) -> ParagraphJson:
    is_answer = part.outcome is Outcome.ANSWERED
    return {
        "question": part.question,
        "outcome": part.outcome.value,
        "sentences": [{"text": one.text, "citations": list(one.citations)} for one in part.sentences],
        "confidence_level": part.level.value if is_answer else None,  # nobody answers in a quotation
        "document_name": part.document_name or None,
        "document_date": part.document_date.isoformat() if part.document_date else None,
        "request_id": part.request_id or None,
    }
