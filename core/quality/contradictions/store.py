"""Keep the pairs that were found: each once, as places in two editions."""

import hashlib
from typing import Any

from django.db import transaction

from core.library.contradictions.following import digest_words, place_fields
from core.models import ContradictionWords, Document, SourceContradiction
from core.models.row_security import bypass_row_security
from core.quality.contradictions.finding import Pair, Side
from core.types import Edition


def keep_pair(pair: Pair) -> SourceContradiction | None:
    """Keep a pair; None where its words are known, or an edition is not the current one any more.

    Words that were decided, or are gone, stay so: they are found again with each later edition that has them.
    """
    editions = {edition for side in (pair.newer, pair.older) if (edition := side.passage.edition)}
    if len(editions) < 2:
        return None
    with transaction.atomic():
        if _lock_current(editions) != editions:
            return None
        row, is_new = SourceContradiction.objects.get_or_create(digest=digest_pair(pair), defaults=_list_fields(pair))
        if not is_new:
            return None
        with bypass_row_security():
            ContradictionWords.objects.create(contradiction=row, question=pair.question)
    return row


def digest_pair(pair: Pair) -> str:
    """Return what a pair is known by: both documents with their words, whichever of them is the newer one."""
    sides = sorted(f"{side.passage.document_id} {digest_words(_read_words(side))}" for side in (pair.newer, pair.older))
    return hashlib.sha256("\n".join(sides).encode()).hexdigest()


def _lock_current(editions: set[Edition]) -> set[Edition]:
    """Lock the documents, and return the editions that they hold now; those that are withdrawn hold none."""
    rows = Document.objects.select_for_update(of=("self",)).filter(
        pk__in=[one.document_id for one in editions], withdrawn_at=None
    )
    return {row.edition for row in rows.order_by("pk")}


def _list_fields(pair: Pair) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, side in (("newer", pair.newer), ("older", pair.older)):
        passage = side.passage
        fields |= {f"{name}_id": passage.document_id, f"{name}_digest": digest_words(_read_words(side))}
        fields |= place_fields(
            name,
            version=passage.document_version,
            chunk_id=passage.chunk_id,
            words=(side.start, side.end),
            says=side.says,
        )
    return fields


def _read_words(side: Side) -> str:
    return side.passage.content[side.start : side.end]
