"""Ask a logged question now for another audience, and cut a run to the parts that a viewer may see.

A trial reveals nothing that the audience may not read: the viewer sees what that audience would.
"""

from dataclasses import replace
from typing import Any
from uuid import UUID

from core.access.audiences import readable_editions
from core.asking.dry_runs.logged import Logged
from core.asking.dry_runs.running import run_dry
from core.asking.history.results import renumber
from core.errors import NotReplayableError
from core.models import AuditEvent
from core.types import Audience, Citation, Run, Trial


def try_as(request_id: str, *, audience: Audience, viewer: UUID, details: dict[str, Any]) -> Trial:
    """The question for an audience as it is now; see core.api.ask_as."""
    logged = Logged.of(request_id)
    if logged.query.selected_text is not None and logged.query.user_id != viewer:
        raise NotReplayableError("The question is about a selected text, which is its asker's alone.")
    dry = run_dry(logged.ask_again(audience))
    AuditEvent.objects.create(
        actor_id=viewer,
        action=AuditEvent.Action.REPLAY,
        object_type="query_log",
        object_id=str(logged.log.pk),
        details=details,
    )
    return Trial(
        request_id=request_id,
        asked=dry.progress.asked,
        filters=dry.progress.filters,
        passages=dry.progress.found.passages if dry.progress.found else (),
        strategy=dry.progress.found.strategy if dry.progress.found else "",
        run=dry.run,
    )


def readable_run(run: Run, *, reads: Audience, is_asker: bool) -> tuple[Run, bool]:
    """Return a run as far as a viewer may see it; see core.api.readable_run."""
    readable = readable_editions((one.edition for one in (*run.citations, *run.closest)), reads)

    def may_read(citation: Citation) -> bool:
        return is_asker if citation.edition is None else citation.edition in readable

    if not all(may_read(one) for one in run.citations):
        return replace(run, text=None, citations=()), True
    closest = renumber(one for one in run.closest if may_read(one))
    return replace(run, closest=closest), len(closest) < len(run.closest)
