"""Find the answers that a change of a document concerns: their quotes no longer occur in its text."""

import logging
from collections.abc import Callable, Sequence
from uuid import UUID

from django.conf import settings
from django.db import transaction

from core.asking.history.answer_sources import note_change
from core.asking.verification.quote_normalisation import fold, fold_quote
from core.models import Document, RoleDocumentAccess, SourceChange
from core.models.row_security import bypass_row_security
from core.quality.footnotes.limits import queue_within_limits

logger = logging.getLogger(__name__)

_GAP = "\x00"  # between chunks that do not follow each other; in no quote
_NEAR = 2  # characters between two chunks that are white space alone


def check_document(document_id: UUID, *, last_readers: Sequence[UUID] = ()) -> None:
    """Find the answers that a change of a document concerns, and queue as many announcements as the limits allow.

    last_readers: as of core.infrastructure.queue.check_footnotes. What was deleted was noted when it was.
    """
    if not settings.FOOTNOTES_DAYS:
        return
    with transaction.atomic():
        document = Document.objects.select_for_update().filter(pk=document_id).first()
        if document is not None:
            _note(document, last_readers)
    for change in SourceChange.objects.filter(document_id=document_id).order_by("checked_at"):
        queued = queue_within_limits(change)
        logger.info("footnotes_checked", extra={"source_change": str(change.pk), "queued": queued})


def _note(document: Document, last_readers: Sequence[UUID]) -> None:
    if last_readers and not RoleDocumentAccess.objects.in_force().filter(document=document).exists():
        note_change(document, SourceChange.Kind.WITHDRAWN, last_readers=last_readers)
    else:
        note_change(document, SourceChange.Kind.REPLACED, stands=_look_in(document))


def _look_in(document: Document) -> Callable[[str], bool]:
    """Build a function that tests if words occur in the document now, as verification would find them."""
    with bypass_row_security():
        chunks = list(document.chunks.order_by("chunk_index").values_list("content", "start_offset", "end_offset"))
    text, end = "", 0
    for content, start, its_end in chunks:
        text += ("\n" if start <= end + _NEAR else _GAP) + content
        end = its_end
    folded = fold(text)[0]
    return lambda quote: fold_quote(quote) in folded
