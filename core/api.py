"""The door to Footnote. Slack, REST, MCP and the command line come in here and nowhere else."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from core.types import Answer, Asker, Audience, Citation, Filters, Refusal, RetrievalResult

Progress = Callable[[str], None]  # told the name of each step as it begins: "searching", "reading", "checking"


def ask(
    question: str,
    *,
    asker: Asker,
    audience: Audience,
    conversation: UUID | None = None,
    filters: Filters | None = None,
    selected_text: str | None = None,
    progress: Progress | None = None,
) -> Answer | Refusal:
    """Answer a question from what the whole audience may read, or say honestly that it cannot be answered.

    Whatever happens inside becomes an Answer or a Refusal; only DatabaseUnavailableError and faults of the caller
    (a TypeError for a wrong audience) are raised.
    """
    raise NotImplementedError


def search(query: str, *, audience: Audience, filters: Filters | None = None, k: int = 5) -> RetrievalResult:
    """The k passages that fit the query best among those the whole audience may read. k is 1..50."""
    raise NotImplementedError


def open_conversation(
    *, origin: str, asker: Asker, slack_team: str = "", slack_channel: str = "", slack_thread: str = ""
) -> UUID:
    """The conversation of a Slack thread while it is active, or else a new one."""
    raise NotImplementedError


def stored_result(request_id: str, *, audience: Audience) -> Answer | Refusal:
    """An earlier result as this audience may see it now. NotFoundError unless it may read every document cited."""
    raise NotImplementedError


def stored_citations(request_id: str, *, audience: Audience) -> tuple[Citation, ...]:
    """Those citations of an earlier answer that this audience may read now. Empty also when there is no answer."""
    raise NotImplementedError


def give_feedback(
    request_id: str, *, user_id: UUID, verdict: str, reasons: tuple[str, ...] = (), comment: str = ""
) -> None:
    """Store a person's verdict ("up" or "down") on an answer, replacing an earlier one of theirs.

    NotFoundError when there is no such request; the caller has checked that the person could see the answer.
    """
    raise NotImplementedError


def parse_filters(raw: dict[str, Any] | None) -> Filters:
    """Filters from their JSON form. InvalidFilterError names the part that cannot be used."""
    raise NotImplementedError
