"""Look into a topic by many questions, and show what was proven. Re-exported by `core.api`.

A research is its asker's alone. Each question is asked under the rights of its asker, and of whoever their program asks
for besides, at that moment, and what came of it is shown by the rights of whoever looks, at every look.
"""

from collections.abc import Sequence
from uuid import UUID

from core.access.audiences import audience_of
from core.api.audiences import require_audience
from core.infrastructure.database_errors import translate_database_errors
from core.types import Asker, Audience, Filters, Origin
from core.values.research import Budget, Estimate, ListedResearch, PlannedQuestion, Research
from core.values.token_audience import TokenAudience


@translate_database_errors()
def plan_research(
    topic: str, *, asker: Asker, audience: Audience, origin: Origin, filters: Filters | None = None
) -> UUID:
    """Propose a plan for a page about a topic, store it, and return the research's id. Nothing is asked yet.

    topic: 3 to 1,000 characters, such as "how our travel rules changed since 2023". The key-free model's plan is the
    sections of documents that speak of it; another model writes an outline.

    InvalidQuestionError for what can be no topic, NotFoundError where nothing that the audience may read speaks of it.
    """
    require_audience(audience)
    from core.asking.research import keeping

    return keeping.plan_research(topic, asker=asker, audience=audience, origin=origin, filters=filters or Filters())


@translate_database_errors()
def change_plan(
    research_id: UUID, questions: Sequence[PlannedQuestion], *, user_id: UUID, asks_for: TokenAudience | None = None
) -> None:
    """Replace the questions of a plan, in their order. Those with the id of a planned question keep its filters.

    NotFoundError for another's research, InvalidQuestionError for a plan that cannot be asked or has begun.
    """
    from core.asking.research import keeping, viewing

    keeping.change_plan(viewing.find_research(research_id, user_id=user_id, asks_for=asks_for), questions)


@translate_database_errors()
def plan_again(research_id: UUID, *, user_id: UUID, asks_for: TokenAudience | None = None) -> UUID:
    """Store the plan of a research as that of a new one, and return its id. NotFoundError for another's."""
    from core.asking.research import keeping, viewing

    return keeping.plan_again(viewing.find_research(research_id, user_id=user_id, asks_for=asks_for))


@translate_database_errors()
def start_research(
    research_id: UUID, *, user_id: UUID, budget: Budget | None = None, asks_for: TokenAudience | None = None
) -> None:
    """Let the worker ask the plan's questions, within a budget. Starting it again changes nothing.

    NotFoundError for another's research, InvalidQuestionError for a budget that cannot be.
    """
    from core.asking.research import keeping, viewing

    found = viewing.find_research(research_id, user_id=user_id, asks_for=asks_for)
    keeping.start_research(found, budget or Budget())


@translate_database_errors()
def run_research_here(research_id: UUID, *, user_id: UUID, budget: Budget | None = None) -> None:
    """Ask the plan's questions in this process instead of the worker, within a budget; returns at the end.

    It tells of each question as the worker does (core.signals.research_moved); stop_research stops it from a thread.

    NotFoundError for another's research, InvalidQuestionError for a budget that cannot be, and for one that has begun.
    """
    from core.asking.research import keeping, running, viewing

    found = viewing.find_research(research_id, user_id=user_id)
    keeping.start_here(found, budget or Budget())
    running.run_research(found.pk)


@translate_database_errors()
def stop_research(research_id: UUID, *, user_id: UUID, asks_for: TokenAudience | None = None) -> None:
    """Stop a research; what was found is kept. NotFoundError for another's."""
    from core.asking.research import keeping, viewing

    keeping.stop_research(viewing.find_research(research_id, user_id=user_id, asks_for=asks_for))


@translate_database_errors()
def delete_research(research_id: UUID, *, user_id: UUID, asks_for: TokenAudience | None = None) -> None:
    """Delete a research, and erase the texts of its questions and answers. NotFoundError for another's."""
    from core.asking.research import keeping, viewing

    keeping.delete_research(viewing.find_research(research_id, user_id=user_id, asks_for=asks_for))


@translate_database_errors()
def read_research(
    research_id: UUID, *, user_id: UUID, audience: Audience, asks_for: TokenAudience | None = None
) -> Research:
    """Return a person's research with its plan and page, as this audience may see them now.

    audience: everyone who is shown it, the person among them. NotFoundError for another's.
    """
    require_audience(audience)
    from core.asking.research import viewing

    found = viewing.find_research(research_id, user_id=user_id, asks_for=asks_for)
    return viewing.read_research(found, audience=audience)


@translate_database_errors()
def list_researches(
    user_id: UUID,
    *,
    audience: Audience | None = None,
    asks_for: TokenAudience | None = None,
    limit: int = 20,
    offset: int = 0,
) -> tuple[ListedResearch, ...]:
    """List a person's researches, the newest first: topics are their own words.

    audience: everyone who is shown the list; None: the person alone. Of a plan those questions are counted that they
    may all see now.
    """
    readers = audience_of([user_id]) if audience is None else audience
    require_audience(readers)
    from core.asking.research import viewing

    return viewing.list_researches(user_id, audience=readers, asks_for=asks_for, limit=limit, offset=offset)


@translate_database_errors()
def count_researches(user_id: UUID, *, asks_for: TokenAudience | None = None) -> int:
    """Return how many researches list_researches has of a person."""
    from core.asking.research import viewing

    return viewing.select_own(user_id, asks_for=asks_for).count()


@translate_database_errors()
def estimate_research(questions: int, *, user_id: UUID) -> Estimate:
    """Return what a plan of so many questions will probably take, by what a person's own last questions took."""
    from core.asking.research import viewing

    return viewing.estimate(questions, user_id=user_id)


def write_research(research: Research, *, form: str) -> bytes:
    """Write a research as a document whose citations open. form: "markdown" or "docx"; ValueError for another."""
    from core.asking.research import writing

    return writing.write_research(research, form=form)
