"""Narrow who reads what a risk is of, by one button: suggest which roles to take away, say what follows, and do it."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.access.changes import apply_change, plan_change
from core.models import AuditEvent, Document, OversharingRisk, Role, RoleDocumentAccess, User
from core.quality.change_checks.submitting import is_held_by_limit
from core.quality.oversharing.deciding import RiskDecisionError, write_risk_audit
from core.quality.oversharing.reach import Readership, find_roles
from core.quality.oversharing.refreshing import refresh_document
from core.quality.oversharing.widening import list_growth, list_readers
from core.values.oversharing import RiskKind, RiskState

_WIDE = 3  # the reach from which a role is suggested to be taken away


@dataclass(frozen=True, kw_only=True, slots=True)
class RoleOption:
    """Holds a role by which a risk's documents are read, as it can be taken away or left."""

    role_id: UUID
    name: str
    people: int  # active people who hold it
    documents: int  # of the risk's that are read by it
    is_suggested: bool  # to be taken away


@dataclass(frozen=True, kw_only=True, slots=True)
class Narrowing:
    """Holds what can be taken away for a risk, and what is suggested."""

    options: tuple[RoleOption, ...]  # the most people first
    people: int  # who read it now
    people_after: int  # when what is suggested, or chosen in its place, is taken away
    reason: str = ""  # why nothing can be taken away here, and where it can; then there are no options

    @property
    def suggested(self) -> frozenset[UUID]:
        """The roles that are suggested to be taken away."""
        return frozenset(option.role_id for option in self.options if option.is_suggested)


def plan_narrowing(risk: OversharingRisk, chosen: Collection[UUID] | None = None) -> Narrowing:
    """Plan how a risk can be narrowed: the roles of its documents, and which of them to take away.

    chosen: the roles that somebody wants to take away; None: what is suggested.

    Of a document the widest go until few are left who read it, and the narrowest stays unless it is wide itself; of an
    odd role, that role; of a usergroup, its mapping; of more readers, the roles that came or grew.
    """
    readership = Readership()
    if reason := _find_obstacle(risk):
        return Narrowing(options=(), people=risk.people, people_after=risk.people, reason=reason)
    roles = _list_roles(risk)
    names = dict(Role.objects.filter(pk__in=roles).values_list("pk", "name"))
    ordered = sorted(roles, key=lambda role: (-readership.count([role]), names[role]))
    suggested = _suggest(risk, ordered, readership)
    everyone = frozenset(list_readers(risk) if risk.kind == RiskKind.WIDENED else ordered)
    is_usergroup = risk.kind == RiskKind.ODD_GROUP
    taken = suggested if chosen is None else suggested.intersection(chosen) if is_usergroup else frozenset(chosen)
    left = risk.people_before or 0 if taken else risk.people
    return Narrowing(
        options=tuple(
            RoleOption(
                role_id=role,
                name=names[role],
                people=readership.count([role]),
                documents=roles[role],
                is_suggested=role in suggested,
            )
            for role in ordered
        ),
        people=risk.people if is_usergroup else readership.count(everyone),
        people_after=left if is_usergroup else readership.count(everyone - taken),
    )


def narrow(risk: OversharingRisk, roles: Collection[UUID], *, by: User | None) -> int:
    """Take roles away from what a risk is of; how many grants, or people, lost it. The audit trail has each.

    roles: some of those in the plan; of a usergroup, its role. by: None for who runs the server, on the shell.
    RiskDecisionError where that cannot be done here, or none is chosen.
    """
    plan = plan_narrowing(risk)
    if plan.reason:
        raise RiskDecisionError(plan.reason)
    chosen = set(roles)
    if not chosen:
        raise RiskDecisionError("Choose at least one role to take away.")
    if not chosen <= {option.role_id for option in plan.options}:
        raise RiskDecisionError("The roles have changed since: look at them again.")
    with transaction.atomic():
        row = OversharingRisk.objects.select_for_update().get(pk=risk.pk)
        if row.state in (RiskState.NARROWED, RiskState.GONE):
            raise RiskDecisionError("This risk is over by now: there is nothing to narrow.")
        taken = _end_usergroup(row, by) if row.kind == RiskKind.ODD_GROUP else _revoke(row, chosen, by)
        write_risk_audit(AuditEvent.Action.NARROW_RISK, row, by, roles=sorted(map(str, chosen)), taken=taken)
        row.state, row.decided_by, row.decided_at, row.reason = RiskState.NARROWED, by, timezone.now(), ""
        row.save()
    if row.document_id and row.kind in (RiskKind.CONFIDENTIAL, RiskKind.SECRET):
        refresh_document(row.document_id)  # it is open again where many are left who read it
    return taken


def _find_obstacle(risk: OversharingRisk) -> str:
    """Return why nothing can be taken away here, and what to do instead; "" where it can."""
    document = risk.document
    if document is not None and document.part_of_id is not None:
        return (
            "These are sections with readers of their own: change their readers on the page of the document's sections."
        )
    source = risk.data_source if document is None else document.data_source
    if source is not None and source.takes_readers:
        return (
            f"The source {source.name} says who reads its documents, and would give it back: narrow it there, or map"
            " its groups to other roles."
        )
    return ""


def _list_roles(risk: OversharingRisk) -> dict[UUID, int]:
    """Return the roles that can be taken away, each with the documents that it reads of the risk's."""
    if risk.kind == RiskKind.ODD_GROUP:
        return {risk.role_id: risk.documents} if risk.role_id else {}
    if risk.kind == RiskKind.WIDENED:
        return {one.role_id: one.documents for one in list_growth(risk)}
    if risk.document_id is None:
        return {}
    return dict.fromkeys(find_roles([risk.document_id]).get(risk.document_id, ()), 1)


def _suggest(risk: OversharingRisk, ordered: list[UUID], readership: Readership) -> frozenset[UUID]:
    """Return the roles to take away. ordered: the most people first."""
    if risk.kind == RiskKind.ODD_ROLE:
        return frozenset(role for role in ordered if role == risk.role_id)
    if risk.kind == RiskKind.ODD_GROUP:
        return frozenset(ordered)
    if risk.kind == RiskKind.WIDENED:  # a role that read before goes on doing so, and its people are looked at
        return frozenset(one.role_id for one in list_growth(risk) if not one.documents_before)
    left = list(ordered)
    while left and readership.measure(left) >= _WIDE:
        left.pop(0)
    return frozenset(ordered) - frozenset(left)


def _revoke(risk: OversharingRisk, roles: Collection[UUID], by: User | None) -> int:
    """Take roles away from documents. What a limit holds is not done here: it is checked before it is live."""
    pairs = [
        (role.pk, document)
        for role in Role.objects.filter(pk__in=roles)
        for document in _select_documents(risk, role).values_list("pk", flat=True)
    ]
    change = plan_change(gives=False, documents=pairs)
    if is_held_by_limit(change):
        raise RiskDecisionError(
            f"This takes {change.grants} grants away, and a limit holds such a change until it is checked: take the"
            " roles away on Who reads what, which asks last month's questions first."
        )
    return apply_change(change, by=by)


def _select_documents(risk: OversharingRisk, role: Role) -> QuerySet[Document]:
    """Return the documents that a role is to lose: of more readers, what it got since, if it read nothing before."""
    if risk.document_id is not None:
        return Document.objects.filter(pk=risk.document_id)
    documents = Document.objects.whole().filter(data_source=risk.data_source_id)
    if risk.collection_id is not None:
        documents = documents.filter(collection=risk.collection_id)
    growth = next((one for one in list_growth(risk) if one.role_id == role.pk), None)
    if growth is None or growth.documents_before:
        return documents
    since = RoleDocumentAccess.objects.filter(role=role, granted_at__date__gte=risk.since)
    return documents.filter(pk__in=since.values("document_id"))


def _end_usergroup(risk: OversharingRisk, by: User | None) -> int:
    """End the mapping of a usergroup to its role, so that nobody holds the role through it; how many people did."""
    mapping = risk.usergroup
    if mapping is None:
        raise RiskDecisionError("The usergroup gives no role any more.")
    people = sorted(str(pk) for pk in mapping.user_roles.values_list("user_id", flat=True))
    AuditEvent.objects.create(
        actor=by,
        action=AuditEvent.Action.DELETE,
        object_type="usergrouprole",
        object_id=str(mapping.pk),
        details={"usergroup": mapping.usergroup_id, "role": str(mapping.role_id), "taken": people},
    )
    mapping.delete()
    risk.usergroup = None
    return len(people)
