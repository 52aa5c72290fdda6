"""The chain of the audit trail: each event's hash is taken over the one before, so that none can be changed in silence.

An event is written in the transaction of what it records, and added to the chain afterwards, in `seal`: transactions of
answers do not wait for each other. Whoever can write to the database could still recompute the chain from where they
changed it; a head that was kept elsewhere reveals it (`verify`).
"""

import csv
import datetime as dt
import hashlib
import io
import json
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from core.errors import AuditTrailError
from core.models import AuditEvent, User

logger = logging.getLogger(__name__)

FORMATS = ("jsonl", "csv")
COLUMNS = (
    "number",
    "created_at",
    "actor",
    "action",
    "object_type",
    "object_id",
    "details",
    "id",
    "previous",
    "digest",
)
_NOTHING_BEFORE = "0" * 64
_LOCK = 0x466F6F7441756469  # of the chain's end, in PostgreSQL's advisory locks
_AT_ONCE = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Head:
    """The end of the chain, or of a part of it that was kept."""

    number: int  # of the last event; 0: there is none
    digest: str

    def __str__(self) -> str:
        return f"{self.number}:{self.digest}"

    @classmethod
    def parse(cls, text: str) -> "Head":
        """Read a head as it was printed. ValueError for anything else."""
        number, _, digest = text.strip().partition(":")
        if len(digest) != len(_NOTHING_BEFORE):
            raise ValueError("write a head as NUMBER:DIGEST, with 64 hexadecimal digits")
        return cls(number=int(number), digest=digest)


@dataclass(frozen=True, kw_only=True, slots=True)
class ChainVerdict:
    """The result of checking the chain."""

    checked: int  # events
    head: Head
    broken_at: int | None = None  # the number of the first event that is not as it was
    event_id: str | None = None  # of that event, if it is there
    why: str = ""


def seal() -> int:
    """Add every committed event that is not in the chain yet, oldest first. Returns how many.

    Only one process does so at a time; the others wait, in short transactions.
    """
    sealed = 0
    while some := _seal_some():
        sealed += some
    if sealed:
        end = head()
        # In the log, which often goes to another machine: a copy of the head that the database cannot reach.
        logger.info("audit_sealed", extra={"events": sealed, "number": end.number, "digest": end.digest})
    return sealed


def head() -> Head:
    """Return the end of the chain."""
    last = AuditEvent.objects.exclude(number=None).order_by("-number").values_list("number", "digest").first()
    return Head(number=last[0] or 0, digest=last[1]) if last else Head(number=0, digest=_NOTHING_BEFORE)


def _seal_some() -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        events = list(AuditEvent.objects.filter(number=None).order_by("created_at", "pk")[:_AT_ONCE])
        end = head()
        number, previous = end.number, end.digest
        places: list[tuple[Any, int, str]] = []
        for event in events:
            number += 1
            previous = hash_content(_write_content(_collect_content(event, number, previous)))
            places.append((event.pk, number, previous))
        if places:
            ids, numbers, digests = zip(*places, strict=True)
            cursor.execute(
                "UPDATE core_auditevent AS event SET number = place.number, digest = place.digest"
                " FROM unnest(%s::uuid[], %s::bigint[], %s::text[]) AS place (id, number, digest)"
                " WHERE event.id = place.id",
                [list(ids), list(numbers), list(digests)],
            )
    return len(places)


def _collect_content(event: AuditEvent, number: int, previous: str) -> dict[str, Any]:
    """Return the fields of an event that its digest is taken over."""
    return {
        "number": number,
        "previous": previous,
        "id": str(event.pk),
        "created_at": event.created_at.astimezone(dt.UTC).isoformat(timespec="microseconds"),
        "actor": None if event.actor_id is None else str(event.actor_id),
        "action": event.action,
        "object_type": event.object_type,
        "object_id": event.object_id,
        "details": event.details,
    }


def _write_content(content: dict[str, Any]) -> str:
    """Write the fields of an event in one form: keys in order, no spaces."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def hash_content(content: str) -> str:
    """Return the digest of an event, whose content is written in one form: SHA-256, as hexadecimal."""
    return hashlib.sha256(content.encode()).hexdigest()


def read_content(event: AuditEvent) -> str:
    """Return what the digest of an event is taken over, in one form. AuditTrailError before it is in the chain."""
    if event.number is None:
        raise AuditTrailError
    before = AuditEvent.objects.filter(number=event.number - 1).values_list("digest", flat=True).first()
    return _write_content(_collect_content(event, event.number, before or _NOTHING_BEFORE))


def verify(
    *, start: int = 1, kept: Head | None = None, done: Callable[[int], None] = lambda number: None
) -> ChainVerdict:
    """Compute the chain anew and compare, up to the first event that is not as it was.

    start: the number from which to check; what is before is taken for right. kept: a head of before, which must still
    be part of the chain. done: called with 1 for each event.
    """
    number, previous = start - 1, _NOTHING_BEFORE
    if start > 1:
        before = AuditEvent.objects.filter(number=number).values_list("digest", flat=True).first()
        if before is None:
            return _report_break(0, number, previous, None, "the event is missing")
        previous = before
    checked = 0
    for event in _iterate_chain(start):
        number += 1
        if event.number != number:
            return _report_break(checked, number, previous, None, "the event is missing")
        digest = hash_content(_write_content(_collect_content(event, number, previous)))
        if digest != event.digest:
            return _report_break(checked, number, previous, event, "the event was changed after it was written")
        if kept and kept.number == number and kept.digest != digest:
            return _report_break(checked, number, previous, event, "this is not the chain whose head was kept")
        previous = digest
        checked += 1
        done(1)
    if kept and kept.number > number:
        return _report_break(checked, number + 1, previous, None, "the chain ends before the head that was kept")
    return ChainVerdict(checked=checked, head=Head(number=number, digest=previous))


def _report_break(checked: int, number: int, previous: str, event: AuditEvent | None, why: str) -> ChainVerdict:
    end = Head(number=max(number - 1, 0), digest=previous)
    return ChainVerdict(
        checked=checked, head=end, broken_at=number, event_id=None if event is None else str(event.pk), why=why
    )


def _iterate_chain(start: int) -> Iterator[AuditEvent]:
    return AuditEvent.objects.filter(number__gte=start).order_by("number").iterator(chunk_size=_AT_ONCE)


def export(form: str, *, start: int = 1, by: User | None) -> Iterator[str]:
    """Export the chain from an event on, as lines of JSON or CSV. The export is an event itself, the last of the lines.

    form: one of FORMATS. by: who takes it; None: the command line. The event is written at once, before the first
    line is asked for. The last line's number and digest are the head to keep elsewhere.
    """
    AuditEvent.objects.create(
        actor=by, action=AuditEvent.Action.EXPORT, object_type="auditevent", details={"format": form, "from": start}
    )
    seal()
    return _write_lines(form, start, head().number)


def _write_lines(form: str, start: int, end: int) -> Iterator[str]:
    previous = AuditEvent.objects.filter(number=start - 1).values_list("digest", flat=True).first() or _NOTHING_BEFORE
    if form == "csv":
        yield _write_csv_line(COLUMNS)
    for event in _iterate_chain(start):
        if event.number is None or event.number > end:
            return
        row = {**_collect_content(event, event.number, previous), "digest": event.digest}
        if form == "csv":
            row["details"] = json.dumps(row["details"], sort_keys=True, ensure_ascii=False)
            yield _write_csv_line([row[column] for column in COLUMNS])
        else:
            yield json.dumps(row, sort_keys=True, ensure_ascii=False) + "\n"
        previous = event.digest


def _write_csv_line(cells: Sequence[Any]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()
