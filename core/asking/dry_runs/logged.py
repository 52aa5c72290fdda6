"""Read what was kept of a question, to ask it again."""

from dataclasses import dataclass
from uuid import UUID

from core.access.audiences import may_read_all
from core.asking.answering.preparation import Asking
from core.asking.history.retention import ERASED
from core.errors import NotFoundError, NotReplayableError
from core.filters import filters_from_json
from core.models import Answer, Query, QueryLog
from core.types import FINAL_STATES, Audience, QueryState


@dataclass(frozen=True, kw_only=True, slots=True)
class Logged:
    """All that was kept of a question."""

    log: QueryLog
    query: Query
    answer: Answer
    chunks: tuple[tuple[UUID, float], ...]  # that the model was shown, with their similarities, in their order

    @classmethod
    def of(cls, request_id: str) -> "Logged":
        """Load a logged question. NotFoundError for an unknown id, NotReplayableError when a part of it is missing."""
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

    def ask_again(self, audience: Audience) -> Asking:
        """Build the standalone question of then, for this audience now.

        It is the question as typed if the standalone words may come from documents that the audience may not read.
        """
        may_reword = may_read_all(self.query.named_editions, audience)
        return Asking(
            text=self.query.question_text,
            audience=audience,
            filters=filters_from_json(self.query.filters),
            selection=self.query.selected_text,
            today=self.query.created_at.date(),
            standing_alone=(may_reword and self.query.standalone_question) or self.query.question_text,
        )
