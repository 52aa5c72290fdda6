"""Find the answers that a change of a document concerns, and limit how many are asked again and announced.

Their quotes no longer occur in the document's text. The limits are per hour, and per channel and day; the newest
answers come first. Those over the limits are in the report alone: a new edition of everything sends no flood, and costs
no more than that of one document.
"""

import datetime as dt
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from core.asking.history.answer_sources import note_change
from core.asking.verification.quote_normalisation import fold, fold_quote
from core.infrastructure import queue
from core.models import ChannelSetting, Document, FootnoteChange, RoleDocumentAccess, SourceChange
from core.models.masking import read_unmasked
from core.models.row_security import bypass_row_security
from core.types import Origin
from core.values.secrets import mask_secrets

logger = logging.getLogger(__name__)

_GAP = "\x00"  # between chunks that do not follow each other; in no quote
_NEAR = 2  # characters between two chunks that are white space alone

_LOCK = 0x466F6F746E6F7465  # of whoever counts what is queued, in PostgreSQL's advisory locks

_State, _Silence = FootnoteChange.State, FootnoteChange.Silence
_Place = tuple[str, str]  # a team of Slack and a channel


def check_document(document_id: UUID, *, last_readers: Sequence[UUID] = ()) -> None:
    """Find the answers that a change of a document concerns, and queue as many announcements as the limits allow.

    last_readers: as of core.infrastructure.queue.check_footnotes. What was deleted was noted when it was.
    """
    if not settings.FOOTNOTES_DAYS:
        return
    with transaction.atomic():
        document = Document.objects.select_for_update().filter(pk=document_id).first()
        if document is not None:
            if last_readers and not RoleDocumentAccess.objects.in_force().filter(document=document).exists():
                note_change(document, SourceChange.Kind.WITHDRAWN, last_readers=last_readers)
            else:
                note_change(document, SourceChange.Kind.REPLACED, stands=_look_in(document))
    for change in SourceChange.objects.filter(document_id=document_id).order_by("checked_at"):
        queued = queue_within_limits(change)
        logger.info("footnotes_checked", extra={"source_change": str(change.pk), "queued": queued})


def _look_in(document: Document) -> Callable[[str], bool]:
    """Build a function that tests if words occur in the document now, as verification would find them.

    The words of an answer are those that were shown then: with secrets, or with these masked.
    """
    with bypass_row_security():
        rows = document.chunks.order_by("chunk_index")
        chunks = list(rows.values_list(read_unmasked("content"), "start_offset", "end_offset"))
    text, end = "", 0
    for content, start, its_end in chunks:
        text += ("\n" if start <= end + _NEAR else _GAP) + content
        end = its_end
    texts = [fold(one)[0] for one in dict.fromkeys((text, mask_secrets(text)))]
    return lambda quote: any(fold_quote(quote) in folded for folded in texts)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    """A change that is not yet announced, and the place of its answer."""

    change: UUID
    place: _Place | None  # None outside of Slack


def queue_within_limits(source_change: SourceChange) -> int:
    """Queue the announcements that the limits allow, record why others are not made, and return their number."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        sorted_out: dict[str, list[UUID]] = {}
        for change, task, silence in _sort_out(_list_found(source_change)):
            sorted_out.setdefault(silence, []).append(change)
            if task:
                queue.enqueue(task, change=str(change))
        now = timezone.now()
        for silence, changes in sorted_out.items():
            ended = {"state": _State.SILENT, "silence": silence, "ended_at": now}
            FootnoteChange.objects.filter(pk__in=changes).update(
                **(ended if silence else {"state": _State.QUEUED, "queued_at": now})
            )
    return len(sorted_out.get("", ()))


def _list_found(source_change: SourceChange) -> list[_Found]:
    """List the changes not yet decided: those of Slack first, the newest first within each."""
    rows = source_change.changes.filter(state=_State.FOUND).order_by("-answer__created_at", "pk")
    asked = "answer__query__conversation"
    found = [
        _Found(change=pk, place=(team, channel) if origin == Origin.SLACK else None)
        for pk, origin, team, channel in rows.values_list(
            "pk", f"{asked}__origin", f"{asked}__slack_team", f"{asked}__slack_channel"
        )
    ]
    return sorted(found, key=lambda one: one.place is None)


def _sort_out(found: list[_Found]) -> Iterator[tuple[UUID, str, str]]:
    """Yield each change with the task to queue for it, or else the reason for not announcing it."""
    now, asked = timezone.now(), "answer__query__conversation"
    queued = FootnoteChange.objects.filter(queued_at__isnull=False)
    in_hour = queued.filter(queued_at__gt=now - dt.timedelta(hours=1)).count()
    of_day = queued.filter(queued_at__gt=now - dt.timedelta(days=1))
    in_channel = Counter(of_day.values_list(f"{asked}__slack_team", f"{asked}__slack_channel"))
    turned_off = set(
        ChannelSetting.objects.filter(Q(enabled=False) | Q(tells_of_changes=False)).values_list("team_id", "channel_id")
    )
    for one in found:
        is_full = one.place is not None and in_channel[one.place] >= settings.FOOTNOTES_PER_CHANNEL_AND_DAY
        if one.place in turned_off:
            yield one.change, "", _Silence.TURNED_OFF
        elif is_full or in_hour >= settings.FOOTNOTES_PER_HOUR:
            yield one.change, "", _Silence.OVER_LIMIT
        else:
            in_hour += 1
            if one.place is not None:
                in_channel[one.place] += 1
            yield one.change, queue.TELL_FOOTNOTE if one.place else queue.RECHECK_FOOTNOTE, ""
