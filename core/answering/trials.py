"""A logged question asked now for another audience, and what of it the one who tries it may see.

What somebody else would get may cite what the one who tries it may not read: that they are told that there is an
answer, and how sure it is, and not a word of it.
"""

from dataclasses import replace
from typing import Any
from uuid import UUID

from core.access.audiences import readable_among
from core.answering.logged import Logged, find_verified_for, search_now
from core.answering.unstored import answer_unstored
from core.errors import NotReplayableError
from core.history.results import renumber
from core.llm.client import model_settings
from core.models import AuditEvent
from core.types import Audience, Citation, Filters, Run, Trial


def try_as(request_id: str, *, audience: Audience, reads: Audience, viewer: UUID, details: dict[str, Any]) -> Trial:
    """The question for an audience as it is now; see core.api.ask_as."""
    logged = Logged.of(request_id)
    is_asker = logged.query.user_id == viewer
    if logged.query.selected_text is not None and not is_asker:
        raise NotReplayableError("The question is about a selected text, which is its asker's alone.")
    understood = logged.understand_again(audience)
    found = search_now(logged, audience, understood)
    match = find_verified_for(logged, understood, audience)
    run = answer_unstored(understood, found.passages, model_settings(), audience, match=match)
    AuditEvent.objects.create(
        actor_id=viewer,
        action=AuditEvent.Action.REPLAY,
        object_type="query_log",
        object_id=str(logged.log.pk),
        details=details,
    )
    documents = {passage.document_id for passage in found.passages} | set(logged.query.named_documents)
    readable = readable_among(documents, reads)
    shown = tuple(one for one in found.passages if one.document_id is None or one.document_id in readable)
    # Its filters may be the names of documents and collections that were found for that audience.
    own_words = readable.issuperset(logged.query.named_documents)
    seen, is_hidden = readable_run(run, reads=reads, is_asker=is_asker)
    return Trial(
        request_id=request_id,
        asked=understood.question if own_words else "",
        filters=understood.filters if audience == reads else Filters(),
        passages=shown,
        hidden=len(found.passages) - len(shown),
        strategy=found.strategy,
        run=seen,
        is_hidden=is_hidden,
    )


def readable_run(run: Run, *, reads: Audience, is_asker: bool) -> tuple[Run, bool]:
    """How a question ended, as far as somebody may see it; see core.api.readable_run."""
    readable = readable_among((one.document_id for one in (*run.citations, *run.closest)), reads)

    def may_read(citation: Citation) -> bool:
        return is_asker if citation.document_id is None else citation.document_id in readable

    if not all(may_read(one) for one in run.citations):
        return replace(run, text=None, citations=()), True
    closest = renumber(one for one in run.closest if may_read(one))
    return replace(run, closest=closest), len(closest) < len(run.closest)
