"""Groups of admin permissions: the ready-made ones, and what each right means in words."""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.models import Group, Permission
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Count, Prefetch, Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from unfold.decorators import action

from adminsite.admin.audited import AuditedChanges
from adminsite.admin.base import AuditedDeletion, FootnoteAdmin, record
from adminsite.rights import READY_MADE, RIGHTS, make_ready_made_groups
from core.models import AuditEvent, User

admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(AuditedChanges, AuditedDeletion, DjangoGroupAdmin, FootnoteAdmin):
    """Groups of admin permissions, for administrators who are no superusers."""

    when_empty = (
        "Groups give permissions in this admin, such as changing grants. Add the ready-made groups, or one of your "
        "own, then choose it on a person's page."
    )
    called = "admin group"
    filter_horizontal = ()
    actions_list = ("show_rights", "add_ready_made")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return True for superusers: permissions are theirs to give."""
        return bool(request.user.is_superuser)

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        """Return True for superusers: permissions are theirs to give."""
        return bool(request.user.is_superuser)

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        """Return True for superusers: permissions are theirs to take."""
        return bool(request.user.is_superuser)

    def get_urls(self) -> list[Any]:
        """Return the pages of groups, with the one that says what rights mean."""
        rights = path("rights/", self.admin_site.admin_view(self.rights_view), name="auth_group_rights")
        return [rights, *super().get_urls()]

    def change_details(self, form: Any, formsets: Any, change: bool) -> dict[str, Any]:
        """Return the permissions that the group gains and loses, by their names in code."""
        details = super().change_details(form, formsets, change)
        if "permissions" not in form.changed_data:
            return details
        before, after = set(form.initial.get("permissions") or ()), set(form.cleaned_data["permissions"])
        told = {"given": _name_permissions(after - before), "taken": _name_permissions(before - after)}
        return {name: part for name, part in details.items() if name not in {"before", "after"}} | told

    def deletion_details(self, row: Group) -> dict[str, Any]:
        """Return the permissions that are lost with the group, and its members."""
        members = User.objects.filter(groups=row).values_list("pk", flat=True)
        return {"taken": _name_permissions(row.permissions.all()), "members": sorted(map(str, members))}

    @action(description="What each right means", permissions=["view"], icon="menu_book")
    def show_rights(self, request: HttpRequest) -> HttpResponse:
        """Lead to the page of rights in words."""
        return HttpResponseRedirect(reverse("admin:auth_group_rights"))

    @action(description="Add the ready-made groups", permissions=["add"], icon="group_add")
    def add_ready_made(self, request: HttpRequest) -> HttpResponse:
        """Make those that are not there."""
        with transaction.atomic():
            made = make_ready_made_groups()
            for group in Group.objects.filter(name__in=made):
                record(request, AuditEvent.Action.CREATE, group, given=_name_permissions(group.permissions.all()))
        said = f"Added: {', '.join(made)}." if made else "All of the ready-made groups are there already."
        self.message_user(request, said, messages.SUCCESS if made else messages.INFO)
        return HttpResponseRedirect(reverse("admin:auth_group_changelist"))

    def rights_view(self, request: HttpRequest) -> HttpResponse:
        """Show each right in words, and which groups and how many people have it."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        held = _find_holders()
        context = {
            **self.admin_site.each_context(request),
            "title": "What each right means",
            "opts": self.opts,
            "sections": [
                (title, [(right, *held.get(right.permission, ((), 0))) for right in rights]) for title, rights in RIGHTS
            ],
            "ready_made": READY_MADE,
            "superusers": User.objects.filter(is_superuser=True, is_active=True).count(),
        }
        return TemplateResponse(request, "adminsite/rights.html", context)


def _name_permissions(permissions: Iterable[Permission]) -> list[str]:
    return sorted(f"{permission.content_type.app_label}.{permission.codename}" for permission in permissions)


def _find_holders() -> dict[str, tuple[tuple[str, ...], int]]:
    """Find, by permission, the groups that give it and how many active people have it themselves. Two queries."""
    rows = (
        Permission.objects.select_related("content_type")
        .prefetch_related(Prefetch("group_set", Group.objects.order_by("name")))
        .annotate(n=Count("user", filter=Q(user__is_active=True)))
    )
    return {
        f"{row.content_type.app_label}.{row.codename}": (tuple(group.name for group in row.group_set.all()), row.n)
        for row in rows
    }
