"""Show the agent's steps for an answer: tools, findings, durations and errors."""

from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.decorators import display

from adminsite import figures
from adminsite.admin.base import ReadOnlyInline, viewer_audience
from adminsite.figures import time_in_words, tools_in_words
from core import api
from core.models import AgentStep, Answer, Chunk
from core.models.row_security import as_audience
from core.types import Audience

_ERRORS = {
    "RepairRequestedError": "sent back: some statements were not supported by their quotes",
    "AgentParsingError": "the reply could not be read",
    "AgentToolCallError": "the tool was called with wrong arguments",
    "AgentToolExecutionError": "the tool could not be used that way",
    "ValueError": "the reply did not have the requested form",
}


class AgentStepInline(ReadOnlyInline):
    """The steps of an answer, with links to those documents alone that the viewer may read."""

    model = AgentStep
    fields: ClassVar = ("number", "show_tool", "show_found", "show_time", "show_error")
    verbose_name_plural = "what the agent did"

    def get_queryset(self, request: HttpRequest) -> QuerySet[AgentStep]:
        """Return the steps, in order; remembers for whom the page is made."""
        self._audience: Audience = viewer_audience(request)
        rows: QuerySet[AgentStep] = super().get_queryset(request)
        return rows.order_by("number")

    @display(description="What")
    def show_tool(self, step: AgentStep) -> str:
        """Return the tools of the step, in words."""
        return tools_in_words(step.tool)

    @display(description="Found")
    def show_found(self, step: AgentStep) -> SafeString | str:
        """Return the documents of the passages that it found, each with how many."""
        if not step.chunk_ids:
            return "–"
        counts: dict[tuple[UUID, str], int] = {}
        readable = self._find_readable(step.chunk_ids)
        for document in readable:
            counts[document] = counts.get(document, 0) + 1
        links = format_html_join(
            SafeString("<br>"),
            '<a href="{}" class="text-link">{}</a> ({})',
            ((reverse("admin:core_document_change", args=[pk]), title, n) for (pk, title), n in counts.items()),
        )
        hidden = len(step.chunk_ids) - len(readable)
        if not hidden:
            return links
        return format_html("{}{}{} withheld or gone", links, SafeString("<br>") if links else "", hidden)

    @display(description="Time")
    def show_time(self, step: AgentStep) -> str:
        """Format the step's duration, the model's call included."""
        return time_in_words(step.took_ms)

    @display(description="Outcome")
    def show_error(self, step: AgentStep) -> str:
        """Describe the step's error in words."""
        return outcome_in_words(step)

    def _find_readable(self, chunk_ids: list[UUID]) -> list[tuple[UUID, str]]:
        """Find the id and title of the document of each of these chunks that the viewer may read, in their order."""
        with as_audience(self._audience):
            rows = Chunk.objects.visible_to(self._audience).filter(pk__in=chunk_ids)
            known = {
                pk: (document, title) for pk, document, title in rows.values_list("pk", "document", "document__title")
            }
        return [known[pk] for pk in chunk_ids if pk in known]


def outcome_in_words(step: AgentStep) -> str:
    """Describe a step's outcome in words: its error, if any."""
    return _ERRORS.get(step.error, step.error) or "done"


def mode_in_words(answer: Answer) -> str:
    """Say in words who led the agent for an answer, and why."""
    log: Any = getattr(answer.query, "log", None)
    if log is None:
        return "–"
    # The setting AGENT_MODE says nothing of the model; without one nobody led.
    is_key_free = log.agent_mode_reason == "setting" and log.model_provider == "extractive"
    reason = "extractive" if is_key_free else log.agent_mode_reason
    return figures.mode_in_words(log.agent_mode, reason)


def reasons_in_words(answer: Answer) -> str:
    """Count the dropped statements by reason, in words."""
    log: Any = getattr(answer.query, "log", None)
    reasons = log.dropped_reasons if log else {}
    return "; ".join(f"{api.why_dropped(reason)}: {count}" for reason, count in sorted(reasons.items())) or "none"
