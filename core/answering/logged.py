"""A question that was logged, and answering it again: what was kept of it, and what an audience gets for it today."""

from contextlib import nullcontext
from dataclasses import dataclass
from uuid import UUID

from core.access.audiences import may_read_all
from core.answering.searches import Searching
from core.answering.understanding import understand, understand_selection
from core.answering.unstored import find_verified
from core.errors import NotFoundError, NotReplayableError
from core.filters import filters_from_json
from core.history.retention import ERASED
from core.models import Answer, Query, QueryLog
from core.query_understanding.plan import Understood
from core.types import FINAL_STATES, Audience, QueryState, RetrievalResult
from core.verified_answers.matching import Match


@dataclass(frozen=True, kw_only=True, slots=True)
class Logged:
    """All that was kept of a question."""

    log: QueryLog
    query: Query
    answer: Answer
    chunks: tuple[tuple[UUID, float], ...]  # that the model was shown, with their similarities, in their order

    @classmethod
    def of(cls, request_id: str) -> "Logged":
        """What was kept. NotFoundError for an unknown id, NotReplayableError when a part of it is missing."""
        query = Query.objects.select_related("log", "answer", "conversation").filter(request_id=request_id).first()
        if query is None:
            if QueryLog.objects.filter(request_id=request_id).exists():
                raise NotReplayableError(
                    "The question was refused before it was stored, or it has been deleted. Only its figures are left."
                )
            raise NotFoundError("There is no question with this request id.")
        if query.erased_at is not None:
            raise NotReplayableError(ERASED)
        if query.state not in FINAL_STATES or not hasattr(query, "log") or not hasattr(query, "answer"):
            raise NotReplayableError("This question is still being answered.")
        shown = zip(query.log.chunk_ids, query.log.similarity_scores, strict=True)
        chunks = tuple((pk, similarity) for pk, similarity in shown if pk is not None)
        if query.state == QueryState.FAILED and not chunks and query.selected_text is None:
            raise NotReplayableError(
                f"This question failed ({query.answer.refusal_reason.replace('_', ' ')}) before any passage was found."
            )
        return cls(log=query.log, query=query, answer=query.answer, chunks=chunks)

    def understand_again(self, audience: Audience) -> Understood:
        """What the question asks for, in the words that stood alone then, for this audience now.

        In its own words, where the others may be those of documents that the audience may not read.
        """
        may_reword = may_read_all(self.query.named_editions, audience)
        asked = (may_reword and self.query.standalone_question) or self.query.question_text
        given, day = filters_from_json(self.query.filters), self.query.created_at.date()
        if self.query.selected_text is not None:
            return understand_selection(asked, given=given, today=day)
        return understand(asked, given=given, audience=audience, today=day)


def search_now(logged: Logged, audience: Audience, understood: Understood) -> RetrievalResult:
    """What a search would find today."""
    searching = Searching(audience=audience, selection=logged.query.selected_text, timed=lambda step: nullcontext())
    return searching.all_aspects(understood, embedded=lambda: None)


def find_verified_for(logged: Logged, understood: Understood, audience: Audience) -> Match | None:
    """The verified answer that fits the question now; none for a question about a selected text."""
    if logged.query.selected_text is not None:
        return None
    return find_verified(understood, audience, filters_from_json(logged.query.filters))
