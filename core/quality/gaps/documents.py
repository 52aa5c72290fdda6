"""The documents near to a gap: those that a viewer may read, and how many its askers may not."""

import datetime as dt
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from core.access.audiences import audience_of, readable_among
from core.library import embedding
from core.library.retrieval.dense import list_near_documents
from core.models import ContentGap, Document
from core.quality.gaps.assigning import UNANSWERED
from core.quality.gaps.grouping import middle_of
from core.types import Audience

NEAR = 0.4  # cosine similarity from which a document may have something to say: docs/decisions/0049
_QUESTIONS = 100
_TITLES = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class NearDocuments:
    """Documents that may have something to say about a gap."""

    readable: tuple[Document, ...]  # by the viewer, nearest first
    unread: int  # how many there are that not all who asked may read; for who decides who reads
    unread_readable: frozenset[UUID]  # those among `readable`


def find_near_documents(gap: ContentGap, *, viewer: Audience) -> NearDocuments:
    """Find the documents near to a gap. `unread` and `unread_readable` are only for people who decide who reads."""
    near, askers = _list_near(gap)
    if not near:
        return NearDocuments(readable=(), unread=0, unread_readable=frozenset())
    theirs = readable_among(near, audience_of(askers))
    own = readable_among(near, viewer)
    documents = Document.objects.visible_to(viewer).select_related("collection").in_bulk(list(own))
    return NearDocuments(
        readable=tuple(documents[pk] for pk in near if pk in documents)[:_TITLES],
        unread=len([pk for pk in near if pk not in theirs]),
        unread_readable=frozenset(own - theirs),
    )


def has_new_documents(gap: ContentGap, *, since: dt.datetime) -> bool:
    """Return True if a document near to a gap was added or replaced after that time and an asker may read it.

    When a gap is asked again is shown on its page: documents that none of them may read must not move that.
    """
    near, askers = _list_near(gap)
    new = list(Document.objects.filter(pk__in=near, ingested_at__gt=since).values_list("pk", flat=True))
    return bool(new) and any(readable_among(new, audience_of([asker])) for asker in askers)


def _list_near(gap: ContentGap) -> tuple[list[UUID], set[UUID]]:
    """Return the documents near to a gap, nearest first, and who asked; nothing where no question has an embedding."""
    provider = embedding.provider()
    questions = gap.questions.filter(embedding__isnull=False, embedding_model=provider.name, outcome__in=UNANSWERED)
    rows = list(questions.values_list("embedding", "query__user_id")[:_QUESTIONS])
    if not rows:
        return [], set()
    middle = middle_of(np.array([vector for vector, _ in rows], dtype=np.float32))
    near = list_near_documents(middle, model=provider.name, at_least=NEAR)
    return list(near), {user for _, user in rows}
