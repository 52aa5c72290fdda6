"""A research into a topic, as its asker sees it: the plan, how far it is, and the page that came of it. Pure."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from uuid import UUID

from core.types import Citation, ConfidenceLevel, Edition, Filters

MOST_QUESTIONS = 24  # of a plan, as its asker makes it
MOST_PLANNED = 12  # of a plan that is proposed
MOST_MINUTES = 120
LONGEST_HEADING = 120  # characters


class ResearchState(StrEnum):
    """The steps of a research; the last three are ends."""

    PLANNED = "planned"  # nothing is asked before its asker says so
    WAITING = "waiting"  # for the worker
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"  # by its asker, or by a limit: what was found is kept
    FAILED = "failed"


ENDED = (ResearchState.DONE, ResearchState.STOPPED, ResearchState.FAILED)


class StopReason(StrEnum):
    """The reason for which a research ended before all was asked."""

    ASKER = "asker"
    MINUTES = "minutes"  # its limit of time
    COST = "cost"  # its limit of cost
    BUDGET = "budget"  # a budget for models, which an administrator set
    ACCOUNT = "account"  # its asker's account is not active any more
    ERROR = "error"


class Outcome(StrEnum):
    """The result of one question of a plan."""

    OPEN = "open"  # not asked, or being asked
    ANSWERED = "answered"  # by sentences that were verified and that passages were sure enough for
    QUOTED = "quoted"  # it asks what a section says, whose own sentences are quoted
    UNPROVEN = "unproven"  # neither


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedQuestion:
    """Holds a question of a plan."""

    text: str  # 3 to 1,000 characters
    heading: str = ""  # of the section that its answer goes into
    filters: Filters = field(default_factory=Filters)
    made_of: tuple[Edition, ...] = ()  # whose words may be in its text or heading; none where its asker wrote it
    question_id: UUID | None = None  # of the stored question; None for a new one


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """Holds the limits of a research, which its asker sets. A limit that is reached keeps what was found."""

    most_minutes: int = 15  # 1 to MOST_MINUTES
    most_usd: Decimal | None = None  # of the answer model; None: no limit of its own


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """Holds what a research will probably take, by what questions took of late."""

    questions: int
    seconds: float
    cost_usd: Decimal | None  # None where nothing is known of the model's price; 0 for the key-free model
    model: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """Holds how far a research is, and what it took so far."""

    asked: int
    total: int
    seconds: float
    cost_usd: Decimal
    tokens: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ResearchQuestion:
    """Holds a question of a plan with what came of it, as its asker may see it now."""

    question_id: UUID
    number: int  # from 1, in the order of the plan
    heading: str
    text: str
    filters: Filters
    outcome: Outcome
    request_id: str  # of the stored result; empty before it is asked, and where it may not be seen any more


@dataclass(frozen=True, kw_only=True, slots=True)
class ProvenSentence:
    """Holds a sentence of a page, and the numbers of the citations that carry it."""

    text: str
    citations: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Paragraph:
    """Holds what one question brought."""

    question: str
    outcome: Outcome  # ANSWERED or QUOTED
    sentences: tuple[ProvenSentence, ...]
    level: ConfidenceLevel  # of an answer; a quotation has none
    document_name: str = ""  # of the one document that it is all from
    document_date: dt.date | None = None
    request_id: str = ""
    note: str = ""  # what is said below it: what of the question was not found, or that the document says more


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """Holds a section of a page."""

    heading: str
    paragraphs: tuple[Paragraph, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Unproven:
    """Holds a question that nothing in what its asker may read was sure enough to answer."""

    question: str
    was_asked: bool  # False: the research ended before
    closest: tuple[int, ...] = ()  # the numbers of the citations that come nearest


@dataclass(frozen=True, kw_only=True, slots=True)
class Disagreement:
    """Holds two citations that answer one question differently, the one to go by first."""

    question: str
    citations: tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class ResearchPage:
    """Holds what came of a research: sentences that were verified, each with its citations."""

    sections: tuple[Section, ...] = ()
    unproven: tuple[Unproven, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    citations: tuple[Citation, ...] = ()  # numbered from 1, in the order of the page

    @property
    def sentences(self) -> tuple[ProvenSentence, ...]:
        """Return the sentences of all sections."""
        return tuple(one for section in self.sections for part in section.paragraphs for one in part.sentences)


@dataclass(frozen=True, kw_only=True, slots=True)
class Research:
    """Holds a research as its asker may see it now."""

    research_id: UUID
    user_id: UUID  # of its asker
    topic: str
    state: ResearchState
    stop_reason: StopReason | None
    filters: Filters
    budget: Budget
    planned_by: str  # the model that wrote the plan; empty where rules made it
    questions: tuple[ResearchQuestion, ...]
    progress: Progress
    page: ResearchPage
    created_at: dt.datetime
    started_at: dt.datetime | None
    finished_at: dt.datetime | None

    @property
    def has_ended(self) -> bool:
        """Return True if nothing more will come."""
        return self.state in ENDED


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedResearch:
    """Holds a research in the list of its asker's."""

    research_id: UUID
    topic: str
    state: ResearchState
    questions: int
    asked: int
    created_at: dt.datetime


def group_by_heading(questions: Sequence[PlannedQuestion]) -> list[tuple[str, list[PlannedQuestion]]]:
    """Return the questions of a plan by their sections, in the order in which the sections begin."""
    grouped: dict[str, list[PlannedQuestion]] = {}
    for one in questions:
        grouped.setdefault(one.heading, []).append(one)
    return list(grouped.items())
