"""Let programs look into a topic, over REST and MCP: for their person, and for everyone else whom their token names.

A research that was planned for others is shown to who asks for the very same others, and to its person.
"""

from collections.abc import Sequence
from typing import TypedDict
from uuid import UUID

from core import api
from core.access.token_audiences import Readers
from core.programs.asking import Program, find_known_readers
from core.programs.research_json import ListedResearchJson, ResearchJson, listed_as_json, research_as_json
from core.types import Filters
from core.values.research import Budget, PlannedQuestion, Research, ResearchState


class ResearchWithTextJson(ResearchJson):
    """Holds a research, and its page as one text."""

    markdown: str


class ResearchesJson(TypedDict):
    """Holds a page of a person's researches."""

    count: int
    researches: list[ListedResearchJson]


def plan(program: Program, topic: str, *, filters: Filters) -> ResearchJson:
    """Propose a plan and store it; see core.api.plan_research. Nothing is asked yet.

    NotFoundError where nothing that all may read who are shown it speaks of the topic.
    """
    readers = find_known_readers(program)
    research_id = api.plan_research(
        topic,
        asker=program.asker,
        audience=readers.audience,
        origin=program.origin,
        filters=readers.narrow(filters),
    )
    return read(program, research_id)


def read(program: Program, research_id: UUID) -> ResearchJson:
    """Return a research of the person's own, as all who are shown it may see it now.

    NotFoundError for every other, and for what was planned for others than the program asks for now.
    """
    research, readers = _find(program, research_id)
    return _write_json(research, readers)


def read_with_text(program: Program, research_id: UUID) -> ResearchWithTextJson:
    """Return a research as read does, and its page as one text besides."""
    research, readers = _find(program, research_id)
    return {**_write_json(research, readers), "markdown": api.write_research(research, form="markdown").decode()}


def list_own(program: Program, *, limit: int, offset: int = 0) -> ResearchesJson:
    """Return the person's researches that the program may be shown, the newest first. NotFoundError as for read."""
    readers = find_known_readers(program)
    user_id, asks_for = program.person.pk, program.asks_for
    found = api.list_researches(user_id, audience=readers.audience, asks_for=asks_for, limit=limit, offset=offset)
    return {
        "count": api.count_researches(user_id, asks_for=asks_for),
        "researches": [listed_as_json(one) for one in found],
    }


def change_plan(program: Program, research_id: UUID, questions: Sequence[PlannedQuestion]) -> ResearchJson:
    """Replace the questions of a plan; see core.api.change_plan. NotFoundError as for read."""
    find_known_readers(program)
    api.change_plan(research_id, questions, user_id=program.person.pk, asks_for=program.asks_for)
    return read(program, research_id)


def start(program: Program, research_id: UUID, budget: Budget) -> ResearchJson:
    """Let the worker ask the plan's questions. NotFoundError as for read."""
    find_known_readers(program)
    api.start_research(research_id, user_id=program.person.pk, budget=budget, asks_for=program.asks_for)
    return read(program, research_id)


def stop(program: Program, research_id: UUID) -> None:
    """Stop a research; what was found is kept. It works whoever reads by now. NotFoundError for another's."""
    api.stop_research(research_id, user_id=program.person.pk, asks_for=program.asks_for)


def delete(program: Program, research_id: UUID) -> None:
    """Delete a research with the texts of its questions and answers. NotFoundError for another's."""
    api.delete_research(research_id, user_id=program.person.pk, asks_for=program.asks_for)


def write(program: Program, research_id: UUID, *, form: str) -> bytes:
    """Write a research as a document, "markdown" or "docx", as all who are shown it may see it now.

    NotFoundError as for read.
    """
    research, _ = _find(program, research_id)
    return api.write_research(research, form=form)


def _find(program: Program, research_id: UUID) -> tuple[Research, Readers]:
    """Return a research with who is shown it. NotFoundError as for read."""
    readers = find_known_readers(program)
    user_id, asks_for = program.person.pk, program.asks_for
    return api.read_research(research_id, user_id=user_id, audience=readers.audience, asks_for=asks_for), readers


def _write_json(research: Research, readers: Readers) -> ResearchJson:
    is_planned = research.state is ResearchState.PLANNED
    estimate = api.estimate_research(len(research.questions), user_id=research.user_id) if is_planned else None
    return research_as_json(research, estimate=estimate, audience=readers.as_json())
