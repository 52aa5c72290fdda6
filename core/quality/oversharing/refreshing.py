"""Make risks of what was found in documents, of the grants, and of how readers became more; and end what is no more.

It is set-based and stores figures alone, so it runs every ten minutes and after each decision about one document.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from core.models import OversharingRisk, SensitivePlace, ShownSecret
from core.quality.oversharing.looking import look_by_night, look_soon
from core.quality.oversharing.odd_rights import find_odd_groups, find_odd_roles
from core.quality.oversharing.reach import Readership, find_roles
from core.quality.oversharing.reading import LEAST_SURE
from core.quality.oversharing.risks import Found, rank_document
from core.quality.oversharing.widening import find_widened, note_reach
from core.values.oversharing import SECRETS, RiskKind, RiskState

logger = logging.getLogger(__name__)

LEAST_SCORE = 8  # of a document that looks confidential: below, few read it
_GROWS_BY = 3  # people more than were found right
_GROWS_TO = 1.2  # times as many
_ENDED = (RiskState.NARROWED, RiskState.GONE)
_LOCK = 0x6F766572  # of PostgreSQL's advisory locks: "over"


@dataclass(slots=True)
class _Document:
    """Collects what was found in the current edition of a document."""

    version: int
    confidential: set[str] = field(default_factory=set)
    secrets: set[str] = field(default_factory=set)


def run_soon() -> int:
    """Look through what came, and bring all risks up to date; how many are new or open again."""
    look_soon()
    return refresh_all()


def run_by_night() -> int:
    """Do as `run_soon` with the time of a night, and note how many people may read each source."""
    look_by_night()
    if settings.OVERSHARING_ENABLED:
        note_reach()
    return refresh_all()


def refresh_all() -> int:
    """Bring all risks up to date; how many are new or open again."""
    if not settings.OVERSHARING_ENABLED:
        return 0
    readership = Readership()
    documents = _read_documents(None)
    found = [*_rank(documents, readership)]
    sensitive = {pk: one.confidential | one.secrets for pk, one in documents.items()}
    found += find_odd_roles(readership, sensitive)
    found += find_odd_groups(readership, sensitive)
    found += find_widened(readership, sensitive)
    opened = _store(found, OversharingRisk.objects.all())
    if opened:
        logger.info("oversharing_risks_opened", extra={"risks": opened})
    return opened


def refresh_document(document_id: UUID) -> None:
    """Bring the risks of what one document holds up to date."""
    found = _rank(_read_documents([document_id]), Readership())
    kinds = (RiskKind.CONFIDENTIAL, RiskKind.SECRET)
    _store(list(found), OversharingRisk.objects.filter(document=document_id, kind__in=kinds))


def _read_documents(ids: Sequence[UUID] | None) -> dict[UUID, _Document]:
    """Return what was found in the current editions of documents. ids: of those that are meant; None: all."""
    rows = SensitivePlace.objects.filter(
        document__version=F("document_version"), document__withdrawn_at=None, strength__gte=LEAST_SURE
    )
    rows = rows if ids is None else rows.filter(document__in=ids)
    rows = rows.exclude(fingerprint__in=ShownSecret.objects.values("fingerprint"))
    found: dict[UUID, _Document] = {}
    for pk, version, subject in rows.values_list("document_id", "document_version", "subject").distinct():
        one = found.setdefault(pk, _Document(version))
        (one.secrets if subject in SECRETS else one.confidential).add(subject)
    return found


def _rank(documents: dict[UUID, _Document], readership: Readership) -> Iterable[Found]:
    roles = find_roles(documents.keys())
    for pk, one in documents.items():
        read_by = roles.get(pk, frozenset())
        for kind, subjects in ((RiskKind.CONFIDENTIAL, one.confidential), (RiskKind.SECRET, one.secrets)):
            if not subjects:
                continue
            found = rank_document(pk, one.version, kind, subjects, read_by, readership)
            if kind == RiskKind.SECRET or found.score >= LEAST_SCORE:
                yield found


def _store(found: Sequence[Found], among: QuerySet[OversharingRisk]) -> int:
    """Write risks as they are now, and end those of the others that are not found any more; how many were opened."""
    now = timezone.now()
    opened = 0
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        known = {row.key: row for row in among.select_for_update()}
        for one in found:
            row = known.pop(one.key, None)
            is_new = row is None
            if row is None:
                row = OversharingRisk(key=one.key, opened_at=now)
            if is_new or _opens_again(row, one):
                row.state, row.opened_at, row.gone_at = RiskState.OPEN, now, None
                row.decided_by, row.decided_at, row.reason = None, None, ""
                opened += 1
            for name, value in one.as_columns().items():
                setattr(row, name, value)
            row.save()
        gone = [row.pk for row in known.values() if row.state not in _ENDED]
        OversharingRisk.objects.filter(pk__in=gone).update(state=RiskState.GONE, gone_at=now)
    return opened


def _opens_again(row: OversharingRisk, found: Found) -> bool:
    """Return True if a risk that was decided about, or was gone, is there again, or grew since it was found right."""
    if row.state in _ENDED:
        return True
    if row.state != RiskState.ACCEPTED:
        return False
    people, score = row.accepted_people or 0, row.accepted_score or 0
    grew = found.people >= people + _GROWS_BY and found.people >= people * _GROWS_TO
    return grew or found.score > score or not set(found.subjects) <= set(row.subjects)
