"""Roles and rights in the admin: reviews, unused grants, roles for many people, rights in words."""

import re
from collections.abc import Callable

import pytest
from django.apps import apps
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import Group, Permission
from django.test import Client
from django.urls import reverse

from adminsite.rights import READY_MADE, RIGHTS, make_at_first, make_ready_made_groups
from core.models import AuditEvent, Role, RoleDocumentAccess, UserRole
from core.testing import Cast
from tests.integration.adminsite.conftest import CANARIES, World
from tests.integration.core.test_unused_and_reviews import make_old


def test_the_path_above_the_page_has_the_name_as_it_is(root: Client, cast: Cast) -> None:
    """A role called "staff" is not called "Staff" there."""
    shown = root.get(f"/admin/core/role/{cast.staff.pk}/change/").content.decode()
    assert re.search(rf'href="/admin/core/role/{cast.staff.pk}/change/"[^>]*>\s*staff\s*</a\s*>', shown)


def test_a_review_is_asked_for_and_said_on_one_page(root: Client, cast: Cast) -> None:
    """The dashboard and the list say that it is due; pressing the button ends that."""
    Role.objects.filter(pk=cast.staff.pk).update(review_days=91)
    assert "1 role is due for a review" in root.get(reverse("admin:index")).content.decode()
    due = root.get(reverse("admin:core_role_changelist"), {"review": "due"})
    assert [role.name for role in due.context["cl"].result_list] == ["staff"]
    page = f"/admin/core/role/{cast.staff.pk}/review/"
    assert "2 active people" in root.get(page).content.decode()
    assert AuditEvent.objects.filter(action="review").count() == 0
    root.post(page)
    assert "due for a review" not in root.get(reverse("admin:index")).content.decode()
    assert AuditEvent.objects.get(action="review").object_id == str(cast.staff.pk)


def test_only_who_decides_reviews(staff: Callable[..., Client], cast: Cast) -> None:
    """And others are not asked to."""
    Role.objects.update(review_days=91)
    browser = staff("core.view_role", "core.change_role")
    assert browser.post(f"/admin/core/role/{cast.staff.pk}/review/").status_code == 403
    assert "due for a review" not in browser.get(reverse("admin:index")).content.decode()


def test_unused_grants_are_taken_away_from_the_report(root: Client, world: World, cast: Cast) -> None:
    """By role and collection, then document by document; the next page is the one before each change."""
    report = reverse("admin:core_role_unused")
    assert "No grant is 90 days old yet, so none is listed." in root.get(report).content.decode()
    make_old(world.vault, world.canteen)
    assert "1 of 1" in root.get(report).content.decode()  # Bob's role; the vault was asked for
    listed = root.get(report, {"role": str(cast.staff.pk)}).content.decode()
    assert world.canteen.title in listed
    assert world.vault.title not in listed
    assert [canary for canary in CANARIES if canary in listed] == []
    chosen = {"action": "revoke", "cell": f"{cast.staff.pk}:document:{world.canteen.pk}", "confirmed": "1"}
    root.post(reverse("admin:core_role_change_access"), chosen)
    assert not RoleDocumentAccess.objects.filter(document=world.canteen).exists()
    assert "Every grant that is 90 days old was used." in root.get(report).content.decode()


def test_the_report_needs_the_lists_that_it_joins(staff: Callable[..., Client]) -> None:
    """Roles, documents and collections."""
    browser = staff("core.view_role", "core.view_document")
    assert browser.get(reverse("admin:core_role_unused")).status_code == 403


@pytest.mark.parametrize("action", ["give_role", "take_role"])
def test_roles_are_given_to_and_taken_from_many(root: Client, cast: Cast, action: str) -> None:
    """After a page that says to whom, and what the role reads."""
    chosen = {"action": action, ACTION_CHECKBOX_NAME: [str(cast.bob.pk), str(cast.charlie.pk)]}
    asked = root.post(reverse("admin:core_user_changelist"), chosen).content.decode()
    assert "2 people" in asked
    assert "staff – 1 of them have it now" in asked
    root.post(reverse("admin:core_user_changelist"), chosen | {"apply": "1", "roles": [str(cast.staff.pk)]})
    holding = set(UserRole.objects.filter(role=cast.staff).values_list("user__display_name", flat=True))
    assert holding == ({"Alice", "Bob", "Charlie"} if action == "give_role" else {"Alice"})


def test_who_does_not_decide_gives_nobody_a_role(staff: Callable[..., Client], cast: Cast) -> None:
    """The action is not offered, and not done."""
    browser = staff("core.view_user", "core.change_user")
    chosen = {"action": "give_role", ACTION_CHECKBOX_NAME: [str(cast.charlie.pk)], "apply": "1"}
    browser.post(reverse("admin:core_user_changelist"), chosen | {"roles": [str(cast.owners.pk)]})
    assert not UserRole.objects.filter(user=cast.charlie).exists()


def test_every_right_of_our_own_is_said_in_words(db: None) -> None:
    """No permission that a model declares is missing, and none that is named does not exist."""
    named = {right.permission for _, rights in RIGHTS for right in rights}
    there = {
        f"{row.content_type.app_label}.{row.codename}" for row in Permission.objects.select_related("content_type")
    }
    declared = {
        f"{model._meta.app_label}.{codename}"
        for label in ("core", "bot")
        for model in apps.get_app_config(label).get_models()
        for codename, _ in model._meta.permissions
    }
    assert named <= there
    assert declared <= named
    assert {permission for group in READY_MADE for permission in group.permissions} <= named


def test_the_ready_made_groups_are_there_once(root: Client) -> None:
    """At first by themselves; later only when somebody asks, and never changed."""
    Group.objects.all().delete()
    make_at_first()
    assert set(Group.objects.values_list("name", flat=True)) == {group.name for group in READY_MADE}
    for group in READY_MADE:
        assert Group.objects.get(name=group.name).permissions.count() == len(group.permissions)
    Group.objects.exclude(name="Auditors").delete()
    Group.objects.get().permissions.clear()
    make_at_first()
    assert Group.objects.count() == 1
    assert len(make_ready_made_groups()) == len(READY_MADE) - 1
    assert Group.objects.get(name="Auditors").permissions.count() == 0
    said = root.get(reverse("admin:auth_group_rights")).content.decode()
    assert "Granters" in said
    assert "Hand in documents" in said
