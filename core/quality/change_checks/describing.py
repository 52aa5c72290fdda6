"""Describe the change of a check: roles, documents, thresholds or a model, as far as a viewer may know of them."""

import datetime as dt
from dataclasses import dataclass
from uuid import UUID

from core.models import ChangeCheck, Role
from core.quality.change_checks.listing import Viewer, find_titles
from core.values.change_checks import ChangeKind

SHOWN = 100  # documents of one role that are named


@dataclass(frozen=True, kw_only=True, slots=True)
class RoleChange:
    """Holds the documents that one role is given, or that are taken from it."""

    role: UUID
    name: str  # "" where the viewer may not see roles, or the role has been deleted
    documents: tuple[tuple[UUID, str], ...]  # the first ones, by title, as far as the viewer may know of them


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeView:
    """Holds the change of a check as a viewer may see it; what its kind does not have is empty."""

    kind: ChangeKind
    gives: bool | None = None  # grants, or takes them away
    until: dt.datetime | None = None  # when the grants end by themselves
    roles: tuple[RoleChange, ...] = ()
    answer_from: float | None = None  # None, of thresholds: those of the settings
    closest_from: float | None = None
    model: str = ""
    source: UUID | None = None  # whose run it is
    job: UUID | None = None  # of an upload


def describe_change(check: ChangeCheck, viewer: Viewer) -> ChangeView:
    """Return what a check is about, as far as the viewer may know of it now."""
    kind = ChangeKind(check.kind)
    match kind:
        case ChangeKind.GRANTS:
            return _describe_grants(check, viewer)
        case ChangeKind.THRESHOLDS:
            kept = check.change
            return ChangeView(kind=kind, answer_from=kept["answer_from"], closest_from=kept["closest_from"])
        case ChangeKind.MODEL:
            return ChangeView(kind=kind, model=check.examination.model if check.examination else "")
        case ChangeKind.EDITIONS:
            return ChangeView(kind=kind, source=check.run.source_id if check.run else None, job=check.job_id)


def _describe_grants(check: ChangeCheck, viewer: Viewer) -> ChangeView:
    chosen = {UUID(role): {UUID(pk) for pk in documents} for role, documents in check.change["documents"].items()}
    titles = find_titles(set().union(*chosen.values()), viewer)
    names: dict[UUID, str] = {}
    if viewer.sees_roles:
        names = dict(Role.objects.filter(pk__in=chosen).values_list("pk", "name"))
    until = check.change["until"]
    return ChangeView(
        kind=ChangeKind.GRANTS,
        gives=check.change["gives"],
        until=dt.datetime.fromisoformat(until) if until else None,
        roles=tuple(
            RoleChange(
                role=role,
                name=names.get(role, ""),
                documents=tuple((pk, title) for pk, title in titles.items() if pk in documents)[:SHOWN],
            )
            for role, documents in sorted(chosen.items())
        ),
    )
