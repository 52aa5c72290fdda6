"""Ask a question again, or for somebody else, and store nothing but an audit row. Re-exported by `core.api`."""

from typing import Any
from uuid import UUID

from core.api.audiences import require_audience
from core.infrastructure.database_errors import translate_database_errors
from core.types import Audience, Filters, Replay, Run, Trace, Trial


@translate_database_errors()
def replay(request_id: str, *, by: UUID | None = None) -> Replay:
    """Answer a logged question again, with the eyes of its asker as they are now. Nothing of it is stored but an audit.

    by: who wants it, for the audit trail; None: the command line. What they may see of it, `readable_run` says.

    NotFoundError for an unknown id; NotReplayableError, saying why, when its text or its end is missing.
    """
    from core.asking.dry_runs import replay as replays

    return replays.replay_question(request_id, by=by)


@translate_database_errors()
def answer_now(request_id: str) -> Run:
    """Answer a logged question again, with its asker's access of today. Nothing is stored.

    NotFoundError for an unknown id; NotReplayableError, saying why, when its text or its end is missing.
    """
    from core.asking.dry_runs import replay as replays

    return replays.answer_now(request_id)


@translate_database_errors()
def ask_as(request_id: str, *, audience: Audience, viewer: UUID, details: dict[str, Any] | None = None) -> Trial:
    """Ask a logged question now, for an audience, and return each decision on the way. Only an audit row is stored.

    audience: who is shown all of it, which whoever calls this makes sure of. viewer: who tries it; a question about a
    selected text can be tried by its asker alone. details: for the audit trail, whose eyes it were; ids, no text.

    NotFoundError for an unknown id; NotReplayableError, saying why, when its text or its end is missing.
    """
    require_audience(audience)
    from core.asking.dry_runs import replay as replays

    return replays.try_as(request_id, audience=audience, viewer=viewer, details=details or {})


@translate_database_errors()
def readable_run(run: Run, *, reads: Audience, is_asker: bool) -> tuple[Run, bool]:
    """Return of how a question ended what somebody may see, and whether anything is left out.

    is_asker: whether they asked it, which is who may see what is quoted from a selected text.
    """
    require_audience(reads)
    from core.asking.dry_runs import replay as replays

    return replays.readable_run(run, reads=reads, is_asker=is_asker)


@translate_database_errors()
def trace(question: str, *, audience: Audience, filters: Filters | None = None, person: UUID | None = None) -> Trace:
    """Return how a question is decided for an audience, step by step. Nothing of it is stored.

    person: whose budgets count, besides those of the installation. The caller has to add to the audience whoever will
    see the trace, unless they may see others' texts. InvalidQuestionError for a question that cannot be one.
    """
    from core.asking.dry_runs import running

    require_audience(audience)
    return running.trace_question(question, audience=audience, filters=filters or Filters(), person=person)
