"""Find the verified answer that fits a question, by the embeddings of the ways to ask for each.

Only answers are compared of which the whole audience may read every source: one that somebody of it may not have
changes nothing, not even the time taken.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from django.db import transaction
from django.utils import timezone
from pgvector.django import CosineDistance

from core.asking.verification.same_question import asks_the_same
from core.asking.verified_answers.staleness import find_outdated
from core.language.nlp.text import one_line
from core.library import embedding
from core.library.embedding import EmbeddingProvider
from core.library.embedding.similarity import vectors_of
from core.library.retrieval.access_filter import (
    narrows_chunks,
    narrows_documents,
    select_permitted_chunks,
    select_permitted_documents,
)
from core.library.retrieval.chunk_lookup import contents_of
from core.models import VerifiedAnswer, VerifiedPhrasing, VerifiedSource, VerifiedSourceWords
from core.models.row_security import as_audience, showing_quotes_to
from core.types import Audience, Citation, Filters, Outdated, Verification

# Cosine similarity from which the rules are asked, which decide: no wrong pair passes, decision 0050.
SAME_MEANING = 0.7
_COMPARED = 10  # of the nearest phrasings

_AT_ONCE = 200  # phrasings that are embedded in one transaction
MOST_PHRASINGS = 50  # of one answer


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """A verified answer for an audience."""

    row: VerifiedAnswer
    citations: tuple[Citation, ...]
    outdated: Outdated | None

    @property
    def verification(self) -> Verification:
        """By whom and when it was verified."""
        by = self.row.verified_by
        return Verification(
            verified_by=by.name_without_address if by else "",
            verified_at=self.row.verified_at or self.row.updated_at,
            outdated=self.outdated,
        )


def find_match(
    question: str, vector: np.ndarray, *, model: str, audience: Audience, filters: Filters, today: dt.date
) -> Match | None:
    """Find the verified answer to a standalone question: the nearest that is not outdated, or else that is.

    vector: the question's embedding, of unit length. model: its model's name. filters: as given with the question;
    an answer whose sources lie outside of them is none.
    """
    outdated: Match | None = None
    for pk in _find_near(question, vector, model, audience):
        match = _load_match(pk, audience, filters, today)
        if match and not match.outdated:
            return match
        outdated = outdated or match
    return outdated


def still_holds(match: Match, audience: Audience) -> bool:
    """Return True if a match is unchanged: its readers, its text, and that it is not outdated."""
    again = _load_match(match.row.pk, audience, Filters(), timezone.localdate())
    if again is None or again.citations != match.citations or again.outdated != match.outdated:
        return False
    return (again.row.cited_text, again.row.verified_at) == (match.row.cited_text, match.row.verified_at)


def _find_near(question: str, vector: np.ndarray, model: str, audience: Audience) -> Sequence[UUID]:
    """Return the active answers with a phrasing that means the same, the nearest first."""
    active = VerifiedAnswer.objects.visible_to(audience).filter(state=VerifiedAnswer.State.ACTIVE)
    phrasings = VerifiedPhrasing.objects.filter(embedding_model=model, verified_answer__in=active.values("pk"))
    nearest = phrasings.annotate(distance=CosineDistance("embedding", vector.tolist())).order_by("distance", "pk")
    found = nearest.values_list("verified_answer_id", "text", "distance")[:_COMPARED]
    same = [pk for pk, text, distance in found if 1 - distance >= SAME_MEANING and asks_the_same(question, text)]
    return list(dict.fromkeys(same))


def _load_match(pk: UUID, audience: Audience, filters: Filters, today: dt.date) -> Match | None:
    """Load an active answer with its citations, if the audience may have it and filters leave all its sources."""
    active = VerifiedAnswer.objects.visible_to(audience).filter(state=VerifiedAnswer.State.ACTIVE)
    row = active.select_related("verified_by").filter(pk=pk).first()
    if row is None:
        return None
    sources = list(row.sources.order_by("number"))
    if not _are_within(sources, audience, filters):
        return None
    with showing_quotes_to(audience):
        words = VerifiedSourceWords.objects.in_bulk([source.pk for source in sources])
    if len(words) < len(sources):
        return None
    citations = tuple(words[source.pk].as_value(source) for source in sources)
    contents = contents_of((citation.chunk_id for citation in citations), audience=audience)
    return Match(row=row, citations=citations, outdated=find_outdated(row, citations, contents, today=today))


def _are_within(sources: Sequence[VerifiedSource], audience: Audience, filters: Filters) -> bool:
    """Return True if the filters leave every source."""
    if narrows_documents(filters):
        documents = {source.document_id for source in sources}
        if select_permitted_documents(audience, filters).filter(pk__in=documents).count() < len(documents):
            return False
    if narrows_chunks(filters):
        chunks = {source.chunk_id for source in sources}
        with as_audience(audience):
            return select_permitted_chunks(audience, filters).filter(pk__in=chunks - {None}).count() == len(chunks)
    return True


def write_phrasings(row: VerifiedAnswer, others: Iterable[str]) -> None:
    """Put the question and other ways to ask it in the place of those that an answer has. One query or none each."""
    texts = list(dict.fromkeys(one_line(text) for text in (row.question, *others)))[: MOST_PHRASINGS + 1]
    model = embedding.provider()
    vectors = vectors_of(model, texts)
    with transaction.atomic():
        row.phrasings.all().delete()
        VerifiedPhrasing.objects.bulk_create(
            VerifiedPhrasing(verified_answer=row, text=text, embedding=vector, embedding_model=model.name)
            for text, vector in zip(texts, vectors, strict=True)
        )


def list_other_phrasings(row: VerifiedAnswer) -> list[str]:
    """Return the ways to ask besides the question itself."""
    question = one_line(row.question)
    return [text for text in row.phrasings.values_list("text", flat=True) if text != question]


def embed_again(model: EmbeddingProvider) -> int:
    """Embed the phrasings that another model has embedded; how many. Until then they match no question."""
    rows = VerifiedPhrasing.objects.exclude(embedding_model=model.name).order_by("pk")
    done = 0
    while batch := list(rows[:_AT_ONCE]):
        for row, vector in zip(batch, model.embed([row.text for row in batch]), strict=True):
            row.embedding, row.embedding_model = vector, model.name
        VerifiedPhrasing.objects.bulk_update(batch, ["embedding", "embedding_model"])
        done += len(batch)
    return done
