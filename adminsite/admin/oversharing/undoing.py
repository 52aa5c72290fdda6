"""Links to where a narrowing is undone: each revocation by its row of the audit trail, a usergroup by its mapping."""

import datetime as dt
from collections.abc import Sequence

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from core.access.changes import plan_undoing
from core.errors import NotFoundError
from core.models import AuditEvent, OversharingRisk, Role, User
from core.values.oversharing import RiskKind

_LONGEST = dt.timedelta(minutes=5)  # between the first revocation of a narrowing and its own row: one transaction


def link_back(by: User, risk: OversharingRisk) -> SafeString | str:
    """Link to what undoes the last narrowing of a risk, as far as it is not undone; "" for who may not see that."""
    if risk.kind == RiskKind.ODD_GROUP:
        return link_usergroups(by)
    if not by.has_perm("core.view_auditevent"):
        return ""
    narrowed = AuditEvent.objects.filter(
        action=AuditEvent.Action.NARROW_RISK, object_type="oversharing_risk", object_id=str(risk.pk)
    )
    last = narrowed.order_by("-created_at").first()
    if last is None:
        return ""
    revoked = AuditEvent.objects.filter(
        actor=last.actor,
        action=AuditEvent.Action.REVOKE,
        object_type="role",
        object_id__in=last.details.get("roles", []),
        created_at__range=(last.created_at - _LONGEST, last.created_at),
    )
    latest = {event.object_id: event for event in revoked.order_by("created_at")}
    return link_revocations([event for event in latest.values() if _is_in_force(event)])


def _is_in_force(event: AuditEvent) -> bool:
    """Return True if grants that were taken away have not been given back."""
    try:
        return plan_undoing(event).grants > 0
    except NotFoundError:  # the role has been deleted
        return False


def link_revocations(events: Sequence[AuditEvent]) -> SafeString | str:
    """Link to the page that undoes each of some revocations, by the name of its role; "" for none."""
    names = {
        str(pk): name
        for pk, name in Role.objects.filter(pk__in=[one.object_id for one in events]).values_list("pk", "name")
    }
    links = format_html_join(
        ", ",
        '<a class="fn-underlined" href="{}">{}</a>',
        (
            (reverse("admin:core_role_undo", args=[event.pk]), f"Undo it for {names.get(event.object_id, 'a role')}")
            for event in events
        ),
    )
    return format_html("{}.", links) if events else ""


def link_usergroups(by: User) -> SafeString | str:
    """Say how the end of a usergroup's mapping is undone, with a link for who may see the mappings."""
    said = "To undo it, map the usergroup to the role again"
    if not by.has_perm("core.view_usergrouprole"):
        return f"{said}."
    address = reverse("admin:core_usergrouprole_changelist")
    return format_html('{}: <a class="fn-underlined" href="{}">Usergroups</a>.', said, address)
