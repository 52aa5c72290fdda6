"""Give and take away roles by hand. No other module does, so that each change leaves its audit row."""

from collections.abc import Iterable

from django.db import transaction

from core.models import AuditEvent, Role, User, UserRole


def change_members(role: Role, people: Iterable[User], *, give: bool, by: User | None) -> int:
    """Give people a role or take it from them, each change with its audit row. Returns how many changed.

    What somebody holds through a usergroup of Slack's is apart: it is neither a reason not to give the role nor taken.
    """
    chosen = {person.pk for person in people}
    with transaction.atomic():
        rows = UserRole.objects.filter(role=role, user__in=chosen, usergroup=None)
        held = set(rows.values_list("user_id", flat=True))
        changed = chosen - held if give else held
        if give:
            UserRole.objects.bulk_create((UserRole(role=role, user_id=pk) for pk in changed), ignore_conflicts=True)
        else:
            rows.delete()
        AuditEvent.objects.bulk_create(
            AuditEvent(
                actor=by,
                action=AuditEvent.Action.CHANGE_ROLES,
                object_type="user",
                object_id=str(pk),
                details={"given": [str(role.pk)] if give else [], "taken": [] if give else [str(role.pk)]},
            )
            for pk in sorted(changed)
        )
    return len(changed)
