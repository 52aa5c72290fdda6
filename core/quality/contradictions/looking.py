"""Look for contradictions: soon after a text came, and by night in what was not looked at yet.

Each document is looked at once for each of its editions. What is stopped, or not reached in time, comes next time.
"""

import datetime as dt
import logging
import time
from collections.abc import Iterable
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.utils import timezone

from core.asking.reading import reader
from core.errors import StoppedError
from core.library.contradictions.following import follow_editions
from core.library.ingestion.question_priority import Room
from core.llm.stopping import stoppable
from core.models import ContradictionLook, Document
from core.models.querysets import DocumentQuerySet
from core.quality.contradictions.finding import find_pairs
from core.quality.contradictions.store import keep_pair

logger = logging.getLogger(__name__)

MOST_PAIRS = 20  # of one document: more are no contradictions, but two ways of counting
SOON = dt.timedelta(days=1)  # since it was ingested; older documents wait for the night
SOON_S, BY_NIGHT_S = 120.0, 4 * 3600.0  # for one run


def look_soon() -> int:
    """Look at the texts that came within a day, the newest first; how many pairs are new."""
    return _look(_select_waiting().filter(ingested_at__gte=timezone.now() - SOON), within_s=SOON_S)


def look_by_night() -> int:
    """Look at all that was not looked at yet, the newest first; how many pairs are new."""
    return _look(_select_waiting(), within_s=BY_NIGHT_S)


def _select_waiting() -> DocumentQuerySet:
    """Return the documents whose edition was not looked at, the last ingested first."""
    looked = ContradictionLook.objects.filter(document=OuterRef("pk"), document_version=OuterRef("version"))
    return Document.objects.filter(~Exists(looked), withdrawn_at=None).order_by("-ingested_at", "pk")


def _look(waiting: DocumentQuerySet, *, within_s: float) -> int:
    """Look at one document after another, until the time is over."""
    follow_editions()
    if not settings.CONTRADICTIONS_ENABLED or not reader.is_on():
        return 0
    documents = list(waiting.values_list("pk", "version"))
    ends = time.monotonic() + within_s
    with stoppable(lambda: time.monotonic() > ends):
        found, looked = _look_at(documents, ends)
    if documents:
        logger.info("contradictions_looked_for", extra={"documents": looked, "of": len(documents), "new": found})
    return found


def _look_at(documents: Iterable[tuple[UUID, int]], ends: float) -> tuple[int, int]:
    """Look at documents while there is time; how many pairs are new, and how many documents were looked at."""
    found = looked = 0
    with Room() as room:
        for pk, version in documents:
            if time.monotonic() > ends:
                break
            try:
                found += _look_at_one(pk, room)
            except StoppedError:
                if not looked:  # what alone takes longer than a run would else be begun for ever
                    _note(pk, version)
                break
            _note(pk, version)
            looked += 1
    return found, looked


def _look_at_one(pk: UUID, room: Room) -> int:
    """Keep the pairs of a document; how many are new. StoppedError once the time is over."""
    found, began = 0, time.monotonic()
    for pair in find_pairs([pk], most=MOST_PAIRS):
        found += keep_pair(pair) is not None
        began = _give_way(room, began)
    _give_way(room, began)
    return found


def _give_way(room: Room, began: float) -> float:
    """Pause for questions as ingestion does, and return from when on the work counts."""
    if room.is_given:
        room.give_way(time.monotonic() - began)
    return time.monotonic()


def _note(document_id: UUID, version: int) -> None:
    """Note that an edition was looked at, unless the document is gone."""
    if Document.objects.filter(pk=document_id).exists():
        ContradictionLook.objects.update_or_create(document_id=document_id, defaults={"document_version": version})
