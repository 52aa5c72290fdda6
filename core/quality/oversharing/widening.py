"""Note every day how many people may read each source and collection, and find those that became more."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Count
from django.utils import timezone

from core.models import Document, OversharingRisk, ReachSnapshot, RoleDocumentAccess
from core.quality.oversharing.reach import Readership
from core.quality.oversharing.risks import Found, find_sensitivity, order_subjects
from core.values.oversharing import RiskKind, RiskState

DAYS = 30  # within which readers are compared
KEPT_DAYS = 400  # of which the figures stay
LEAST_MORE, LEAST_TIMES = 3, 1.25  # people

Place = tuple[UUID | None, UUID | None]  # a data source, or else a collection


@dataclass(slots=True)
class _Readers:
    """Collects who reads a source or collection now."""

    documents: int = 0
    by_role: dict[UUID, int] = field(default_factory=dict)  # documents


def note_reach(day: dt.date | None = None) -> int:
    """Note who may read each source and collection today, once a day; of how many that was noted."""
    today = day or timezone.localdate()
    ReachSnapshot.objects.filter(day__lt=today - dt.timedelta(days=KEPT_DAYS)).delete()
    readership = Readership()
    rows = []
    for (source, collection), one in _read_now().items():
        place = {"day": today, "data_source_id": source, "collection_id": collection}
        rows.append(ReachSnapshot(**place, people=readership.count(one.by_role), documents=one.documents))
        rows += [
            ReachSnapshot(**place, role_id=role, people=readership.count([role]), documents=n)
            for role, n in one.by_role.items()
        ]
    ReachSnapshot.objects.bulk_create(rows, ignore_conflicts=True)
    return len({(row.data_source_id, row.collection_id) for row in rows})


def find_widened(readership: Readership, sensitive: Mapping[UUID, set[str]]) -> Iterator[Found]:
    """Find the sources and collections that have more readers than within the last month.

    They are compared with the first day of it, or with the last day on which somebody found their readers right. What
    nobody read then was being set up.
    """
    today = timezone.localdate()
    now = _read_now()
    subjects = _list_subjects(sensitive)
    for place, before in _find_baselines(today).items():
        one = now.get(place)
        if one is None or before.people == 0:
            continue
        people = readership.count(one.by_role)
        if people < before.people + LEAST_MORE or people < before.people * LEAST_TIMES:
            continue
        source, collection = place
        found = subjects.get(place, set())
        yield Found(
            kind=RiskKind.WIDENED,
            sensitivity=find_sensitivity(found),
            reach=readership.measure(one.by_role),
            people=people,
            people_before=before.people,
            documents=one.documents,
            subjects=order_subjects(found),
            data_source_id=source,
            collection_id=collection,
            since=before.day,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Growth:
    """Holds how a role's part in the readers of a source or collection grew."""

    role_id: UUID
    people: int
    people_before: int
    documents: int
    documents_before: int


def list_growth(risk: OversharingRisk) -> list[Growth]:
    """List the roles by which a source or collection has more readers than on the day it is compared with."""
    if risk.since is None:
        return []
    place = (risk.data_source_id, risk.collection_id)
    rows = ReachSnapshot.objects.filter(
        day=risk.since, data_source=risk.data_source_id, collection=risk.collection_id, role__isnull=False
    )
    before = {row.role_id: row for row in rows}
    readership = Readership()
    found = []
    for role, documents in _read_now().get(place, _Readers()).by_role.items():
        was = before.get(role)
        growth = Growth(
            role_id=role,
            people=readership.count([role]),
            people_before=was.people if was else 0,
            documents=documents,
            documents_before=was.documents if was else 0,
        )
        if was is None or growth.people > growth.people_before:
            found.append(growth)
    return sorted(found, key=lambda one: one.people_before - one.people)


def list_readers(risk: OversharingRisk) -> frozenset[UUID]:
    """Return the roles that may read anything of a source or collection now."""
    return frozenset(_read_now().get((risk.data_source_id, risk.collection_id), _Readers()).by_role)


def _find_baselines(today: dt.date) -> dict[Place, ReachSnapshot]:
    """Return the day with which each source and collection is compared."""
    decided = {
        (row.data_source_id, row.collection_id): timezone.localtime(row.decided_at).date()
        for row in OversharingRisk.objects.filter(
            kind=RiskKind.WIDENED, state__in=(RiskState.ACCEPTED, RiskState.NARROWED), decided_at__isnull=False
        )
        if row.decided_at
    }
    found: dict[Place, ReachSnapshot] = {}
    first = today - dt.timedelta(days=DAYS)
    for row in ReachSnapshot.objects.filter(day__gte=first, day__lt=today, role=None).order_by("day"):
        place = (row.data_source_id, row.collection_id)
        if place not in found and row.day >= decided.get(place, first):
            found[place] = row
    return found


def _read_now() -> dict[Place, _Readers]:
    """Count the documents of each source and collection, and those that each role may read. Two queries."""
    found: defaultdict[Place, _Readers] = defaultdict(_Readers)
    whole = Document.objects.whole().filter(withdrawn_at=None).order_by()
    for source, collection, n in whole.values_list("data_source", "collection").annotate(n=Count("pk")):
        found[_place_of(source, collection)].documents += n
    grants = RoleDocumentAccess.objects.in_force().decided().filter(document__withdrawn_at=None).order_by()
    columns = grants.values_list("document__data_source", "document__collection", "role").annotate(n=Count("pk"))
    for source, collection, role, n in columns:
        by_role = found[_place_of(source, collection)].by_role
        by_role[role] = by_role.get(role, 0) + n
    return dict(found)


def _place_of(source: UUID | None, collection: UUID) -> Place:
    return (source, None) if source else (None, collection)


def _list_subjects(sensitive: Mapping[UUID, set[str]]) -> dict[Place, set[str]]:
    """Return the subjects that were found in the documents of each source and collection."""
    found: defaultdict[Place, set[str]] = defaultdict(set)
    rows = Document.objects.filter(pk__in=sensitive.keys()).values_list("pk", "data_source", "collection")
    for pk, source, collection in rows:
        found[_place_of(source, collection)] |= sensitive[pk]
    return found
