"""Look through documents for secrets and for words that look confidential: soon after they came, and by night.

Each edition is looked through once by the same rules and reader. What is stopped, or not reached in time, comes next
time. Only places are kept, no words.
"""

import logging
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from uuid import UUID

import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef

from core.asking.reading import reader
from core.errors import StoppedError
from core.library.embedding import PACKAGED, PACKAGED_NAME, load_provider
from core.library.ingestion.chunking import embedded_text
from core.library.ingestion.question_priority import Room
from core.llm.stopping import stoppable
from core.models import Chunk, Document, SensitivePlace, SensitivityLook, fingerprint_of, read_unmasked
from core.models.querysets import DocumentQuerySet
from core.models.row_security import bypass_row_security
from core.quality.oversharing.reading import Place, find_places
from core.quality.oversharing.rules import PassageText
from core.quality.oversharing.weighing import load_weights
from core.values.secrets import find_secrets, mask_found

logger = logging.getLogger(__name__)

VERSION = "1"  # of the signs; others look through every document again
SOON_S, BY_NIGHT_S = 120.0, 2 * 3600.0  # for one run
MOST_PLACES = 30  # of one subject in one document: the page shows some, and more do not make it riskier


def look_soon() -> int:
    """Look through documents that were not looked through as they are, the newest first; how many that were."""
    return _look(within_s=SOON_S)


def look_by_night() -> int:
    """Look as `look_soon`, with the time of a night."""
    return _look(within_s=BY_NIGHT_S)


def look_now(waiting: Iterable[tuple[UUID, int]], *, done: Callable[[int], None]) -> int:
    """Look through documents here, however long it takes; how many that were.

    waiting: ids and editions, as of `select_waiting`. done: is called with how many more were looked through.
    """
    return _look_at(waiting, math.inf, done)


def select_waiting() -> DocumentQuerySet:
    """Return the documents and parts of documents that were not looked through as they are, the newest first."""
    looked = SensitivityLook.objects.filter(
        document=OuterRef("pk"), document_version=OuterRef("version"), rules=_name_rules()
    )
    return Document.objects.filter(~Exists(looked), withdrawn_at=None, chunk_count__gt=0).order_by("-ingested_at", "pk")


def _name_rules() -> str:
    """Name what documents are looked through with, so that other rules or another reader look through all again."""
    return f"{VERSION}.{load_weights().version}/{reader.name() if reader.is_on() else 'none'}"[:80]


def _look(*, within_s: float) -> int:
    if not settings.OVERSHARING_ENABLED:
        return 0
    waiting = list(select_waiting().values_list("pk", "version"))
    ends = time.monotonic() + within_s
    with stoppable(lambda: time.monotonic() > ends):
        looked = _look_at(waiting, ends)
    if waiting:
        logger.info("oversharing_looked_for", extra={"documents": looked, "of": len(waiting)})
    return looked


def _look_at(waiting: Iterable[tuple[UUID, int]], ends: float, done: Callable[[int], None] = lambda count: None) -> int:
    looked = 0
    with Room() as room:
        for pk, version in waiting:
            if time.monotonic() > ends:
                break
            began = time.monotonic()
            try:
                look_through(pk, version)
            except StoppedError:
                if not looked:  # what alone takes longer than a run would else be begun for ever
                    _keep(pk, version, [])
                break
            looked += 1
            done(1)
            if room.is_given:
                room.give_way(time.monotonic() - began)
    return looked


def look_through(document_id: UUID, version: int) -> None:
    """Look through one document, or part of one, and keep the places in this edition in place of earlier ones."""
    with bypass_row_security():
        rows = list(
            Chunk.objects.filter(document=document_id, document__version=version)
            .order_by("chunk_index")
            .annotate(raw=read_unmasked("content"))
            .values_list("pk", "chapter_name", "section_title", "raw", "embedding_model", "embedding")
        )
    if not rows:
        return  # replaced or deleted since
    ids = [pk for pk, *_ in rows]
    found_secrets = [find_secrets(raw) for _, _, _, raw, *_ in rows]
    secrets = [
        SensitivePlace(
            document_id=document_id,
            document_version=version,
            subject=one.kind,
            chunk_id=pk,
            start=one.start,
            end=one.end,
            strength=1.0,
            fingerprint=fingerprint_of(raw[one.start : one.end]),
        )
        for (pk, _, _, raw, *_), found in zip(rows, found_secrets, strict=True)
        for one in found
    ]
    title = Document.objects.filter(pk=document_id).values_list("title", flat=True).first() or ""
    passages = [
        PassageText(heading=" > ".join(part for part in (title, chapter, section) if part), text=mask_found(raw, found))
        for (_, chapter, section, raw, *_), found in zip(rows, found_secrets, strict=True)
    ]
    is_near = all(model == PACKAGED_NAME for *_, model, _ in rows)
    vectors = np.asarray([vector for *_, vector in rows]) if is_near else _embed(passages)
    places = find_places(passages, vectors)
    _keep(document_id, version, [*secrets, *(_build(document_id, version, ids[one.passage], one) for one in places)])


def _embed(passages: Sequence[PassageText]) -> np.ndarray:
    """Embed passages by the packaged model, for which the weights were fitted: the library's is another one."""
    return load_provider(PACKAGED).embed([embedded_text(one.heading, one.text) for one in passages])


def _build(document_id: UUID, version: int, chunk_id: UUID, place: Place) -> SensitivePlace:
    return SensitivePlace(
        document_id=document_id,
        document_version=version,
        subject=place.topic,
        chunk_id=chunk_id,
        start=place.start,
        end=place.end,
        strength=place.strength,
    )


def _keep(document_id: UUID, version: int, places: Iterable[SensitivePlace]) -> None:
    """Keep the places of an edition, unless the document has another one by now or is gone."""
    counts: Counter[str] = Counter()
    kept = []
    for one in sorted(places, key=lambda place: -place.strength):
        counts[one.subject] += 1
        if counts[one.subject] <= MOST_PLACES:
            kept.append(one)
    with transaction.atomic():
        if not Document.objects.select_for_update(no_key=True).filter(pk=document_id, version=version).exists():
            return
        SensitivePlace.objects.filter(document=document_id).delete()
        SensitivePlace.objects.bulk_create(kept)
        SensitivityLook.objects.update_or_create(
            document_id=document_id, defaults={"document_version": version, "rules": _name_rules()}
        )
