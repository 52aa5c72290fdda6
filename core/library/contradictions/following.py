"""Follow pairs into new editions: while both have the words, what was decided stays; else the pair is gone."""

import hashlib
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.models import ContradictionWords, SourceContradiction
from core.models.masking import read_unmasked
from core.models.row_security import bypass_row_security
from core.values.secrets import mask_secrets

SIDES = ("newer", "older")
State = SourceContradiction.State


def digest_words(words: str) -> str:
    """Return what the words of a side are found again by."""
    return hashlib.sha256(words.encode()).hexdigest()


def place_fields(
    side: str, *, version: int, chunk_id: UUID | None, words: tuple[int, int], says: tuple[int, int]
) -> dict[str, Any]:
    """Return the fields of a row that say where a side stands. words, says: offsets into its passage."""
    return {
        f"{side}_version": version,
        f"{side}_chunk_id": chunk_id,
        f"{side}_start": words[0],
        f"{side}_end": words[1],
        f"{side}_says_start": says[0],
        f"{side}_says_end": says[1],
    }


def follow_editions(document_ids: Iterable[UUID] | None = None) -> int:
    """Follow the pairs whose documents have changed or were withdrawn; return how many are gone by that.

    document_ids: only pairs with a side of these; None: all. A pair that is gone is never opened again.
    """
    rows = SourceContradiction.objects.exclude(state=State.GONE).exclude(
        pk__in=SourceContradiction.objects.up_to_date().filter(newer__withdrawn_at=None, older__withdrawn_at=None)
    )
    if document_ids is not None:
        ids = list(document_ids)
        rows = rows.filter(Q(newer__in=ids) | Q(older__in=ids))
    return sum(_follow(pk) for pk in rows.order_by("pk").values_list("pk", flat=True))


def _follow(pk: UUID) -> bool:
    """Follow one pair; True if it is gone."""
    with transaction.atomic():
        rows = SourceContradiction.objects.select_for_update(of=("self",)).select_related("newer", "older")
        row = rows.filter(pk=pk).exclude(state=State.GONE).first()
        if row is None:
            return False
        fields = [_find_place(row, side) for side in SIDES]
        places = {name: value for found in fields if found for name, value in found.items()}
        if all(found is not None for found in fields):
            SourceContradiction.objects.filter(pk=pk).update(**places)
            return False
        SourceContradiction.objects.filter(pk=pk).update(state=State.GONE, gone_at=timezone.now())
        with bypass_row_security():
            ContradictionWords.objects.filter(contradiction=pk).delete()
    return True


def _find_place(row: SourceContradiction, side: str) -> dict[str, Any] | None:
    """Find where a side's words stand in the edition of now: {} where nothing changed, None where they are gone."""
    document = getattr(row, side)
    start, end = getattr(row, f"{side}_start"), getattr(row, f"{side}_end")
    digest = getattr(row, f"{side}_digest")
    if document.withdrawn_at is not None:
        return None
    if getattr(row, f"{side}_version") == document.version:
        return {}
    with bypass_row_security():
        rows = document.chunks.order_by("chunk_index")
        chunks = list(rows.annotate(raw=read_unmasked("content")).values_list("pk", "content", "raw"))
    for chunk_id, content, raw in chunks:
        # As it is shown, as it is with every secret masked, and as words were digested before secrets were.
        texts = dict.fromkeys((content, mask_secrets(raw), raw))
        found = next((at for at in (_find_words(one, digest, end - start) for one in texts) if at is not None), None)
        if found is not None:
            moved = found - start
            says = (getattr(row, f"{side}_says_start") + moved, getattr(row, f"{side}_says_end") + moved)
            return place_fields(
                side, version=document.version, chunk_id=chunk_id, words=(found, found + end - start), says=says
            )
    return None


def _find_words(text: str, digest: str, length: int) -> int | None:
    """Find the words with this digest in a passage. Nothing else is known of them but their length."""
    for start in range(len(text) - length + 1):
        begins = start == 0 or not text[start - 1].isalnum()
        if begins and digest_words(text[start : start + length]) == digest:
            return start
    return None
