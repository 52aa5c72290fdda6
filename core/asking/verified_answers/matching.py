"""The verified answer that fits a question, among those of which the whole audience may read every source.

Only those are compared at all: one that somebody of the audience may not have changes nothing, not even the time taken.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from django.utils import timezone
from pgvector.django import CosineDistance

from core.asking.verification.same_question import asks_the_same
from core.asking.verified_answers.staleness import find_outdated
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
        match = _load(pk, audience, filters, today)
        if match and not match.outdated:
            return match
        outdated = outdated or match
    return outdated


def still_holds(match: Match, audience: Audience) -> bool:
    """Return True if a match is unchanged: its readers, its text, and that it is not outdated."""
    again = _load(match.row.pk, audience, Filters(), timezone.localdate())
    if again is None or again.citations != match.citations or again.outdated != match.outdated:
        return False
    return (again.row.cited_text, again.row.verified_at) == (match.row.cited_text, match.row.verified_at)


def _find_near(question: str, vector: np.ndarray, model: str, audience: Audience) -> Sequence[UUID]:
    """The active answers with a phrasing that means the same, the nearest first."""
    active = VerifiedAnswer.objects.visible_to(audience).filter(state=VerifiedAnswer.State.ACTIVE)
    phrasings = VerifiedPhrasing.objects.filter(embedding_model=model, verified_answer__in=active.values("pk"))
    nearest = phrasings.annotate(distance=CosineDistance("embedding", vector.tolist())).order_by("distance", "pk")
    found = nearest.values_list("verified_answer_id", "text", "distance")[:_COMPARED]
    same = [pk for pk, text, distance in found if 1 - distance >= SAME_MEANING and asks_the_same(question, text)]
    return list(dict.fromkeys(same))


def _load(pk: UUID, audience: Audience, filters: Filters, today: dt.date) -> Match | None:
    """An active answer with its citations, if the audience may have it and the filters leave all of its sources."""
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
