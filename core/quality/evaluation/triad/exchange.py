"""Build what is scored: a question, its answer, and the passages that the model last saw."""

from dataclasses import dataclass
from uuid import UUID

from core.library import embedding
from core.library.retrieval.selected import split
from core.models import Query, QueryLog, RetrievedChunk
from core.models.row_security import bypass_row_security


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """A text, and a reference to it for places where no text may go."""

    reference: str
    content: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """An answered question with the passages that the model last saw, best first."""

    question: Text  # a follow-up in its standalone words
    passages: tuple[Text, ...]
    answer: Text


class AbstainedError(Exception):
    """There is no answer to score: the question was refused."""


class UnscorableError(Exception):
    """Raised when the stored texts of an answer are no longer complete; the message says what is missing."""


def exchange_of(log: QueryLog) -> Exchange:
    """The exchange of one log row. AbstainedError without an answer, UnscorableError when parts of it are gone."""
    query = log.query
    if query is None or query.erased_at is not None:
        raise UnscorableError("The text was erased before the answer was scored.")
    answer = query.answer
    if answer.answer_text is None:
        raise AbstainedError
    return Exchange(
        question=Text(reference=f"query:{query.pk}", content=query.standalone_question or query.question_text),
        passages=_read_passages(query, log.chunk_ids),
        answer=Text(reference=f"answer:{answer.pk}", content=answer.answer_text),
    )


def _read_passages(query: Query, seen: list[UUID | None]) -> tuple[Text, ...]:
    if query.selected_text is not None:
        pieces = split(query.selected_text, embedding.provider())
        return tuple(Text(reference=f"selection:{query.pk}:{offset}", content=piece) for offset, piece in pieces)
    rows = RetrievedChunk.objects.filter(query=query).order_by("rank").select_related("chunk__document")
    with bypass_row_security():
        passages = tuple(Text(reference=f"chunk:{row.chunk_id}", content=_as_read(row)) for row in rows)
    if len(passages) < len(seen) or not passages:
        raise UnscorableError("A document was replaced or deleted before the answer was scored.")
    return passages


def _as_read(row: RetrievedChunk) -> str:
    """Return the chunk under its heading: an answer may rest on the document's name or date as much as on its text."""
    chunk = row.chunk
    heading = (chunk.document.title, chunk.document.document_date, chunk.chapter_name, chunk.section_title)
    return f"{', '.join(str(part) for part in heading if part)}\n{chunk.content}"
