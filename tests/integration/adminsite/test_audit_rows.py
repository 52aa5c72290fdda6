"""Test the audit rows of saved forms: of each page, with each of its inlines."""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.auth.models import Group, Permission
from django.db import connection, transaction
from django.db.models import Model
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.urls import resolve, reverse

from adminsite.rights import READY_MADE
from core.models import (
    AuditEvent,
    Collection,
    CollectionRole,
    DataSource,
    Role,
    SourceGroup,
    User,
    UserRole,
)
from core.testing import Cast
from tests.integration.adminsite.conftest import World
from tests.integration.adminsite.posting import PASSWORD, Written, every_post
from tests.integration.adminsite.test_who_decides import Fact, changed, facts

# Runs that stop or go with their source are told of by it.
APART = {"reads", "source run"}


def tell(known: set[Any]) -> list[tuple[str, str, str, dict[str, Any]]]:
    """The audit rows that are new."""
    new = AuditEvent.objects.exclude(pk__in=known).order_by("created_at")
    return [(event.action, event.object_type, event.object_id, event.details) for event in new]


def named_in(found: set[Fact]) -> set[str]:
    """The rows that facts name by their ids, and permissions by their names."""
    values = {value for fact in found if fact[0] not in APART for value in (*fact[1:],)}
    sets = {one for value in values if isinstance(value, frozenset) for one in value}
    codes = {fact[2] for fact in found if fact[0] == "group" and fact[2]}
    return {str(value) for value in values | sets if isinstance(value, UUID)} | codes


def contents(model: type[Model], request: HttpRequest) -> set[str]:
    """The rows of a page's model, with those of its inlines and what they are related to."""
    page: Any = admin.site._registry[model]
    inlines = [inline.model for row in model._default_manager.all()[:1] for inline in page.get_inlines(request, row)]
    through = [field.remote_field.through for field in model._meta.many_to_many]
    rows = ((one, row) for one in {model, *inlines, *through} for row in one._default_manager.values())
    return {f"{one._meta.label} {row}" for one, row in rows}


def writable_inlines(request: HttpRequest) -> Iterator[tuple[type[Model], type[Model]]]:
    """The models whose rows can be changed on the page of another one."""
    for model, page in admin.site._registry.items():
        for row in model._default_manager.all()[:1]:
            for inline in page.get_inline_instances(request, row):
                may = (inline.has_add_permission, inline.has_change_permission, inline.has_delete_permission)
                if any(has(request, row) for has in may):
                    yield model, inline.model


def test_each_form_that_changes_something_is_told(root: Client, administrator: User, town: World) -> None:
    """With every role, person, group and permission that it gives or takes; and an empty list of fields says nothing.

    Each page is tried with each of its fields, inlines, actions and addresses.
    """
    request = RequestFactory().get("/")
    request.user = administrator
    untold, kinds = list[str](), set[str]()
    posts = [post for post in every_post(root, by=administrator) if not post.is_of_one_field]
    # As each request finds them: what one changes is undone before the next.
    known, before = set(AuditEvent.objects.values_list("pk", flat=True)), facts()
    found: dict[Any, set[str]] = {}
    for post in posts:
        page = getattr(resolve(post.address).func, "model_admin", None)
        cookies = deepcopy(root.cookies)  # a new password renews the session, which is undone as well
        with transaction.atomic():
            if page is not None and page.model not in found:
                found[page.model] = contents(page.model, request)
            for file in post.form.get("files", ()):
                file.seek(0)
            with connection.execute_wrapper(written := Written()):
                root.post(post.address, post.form)
            after = facts() if written.any else before
            told = tell(known)
            is_changed = written.any and page is not None and contents(page.model, request) != found[page.model]
            news = changed(before, after) - {fact for fact in before | after if fact[0] in APART}
            came, went = named_in(news & after), named_in(news & before)
            missing = {one for one in came ^ went if one not in json.dumps(told)}
            if (news or is_changed) and (missing or not told or any(row[3].get("fields") == [] for row in told)):
                untold.append(f"{post.address} {sorted(missing)} {told}")
            kinds |= {str(fact[0]) for fact in news}
            transaction.set_rollback(True)
        root.cookies = cookies
    assert facts() == before
    assert untold == []
    assert kinds >= {"source group", "source role", "default role", "role", "group", "power", "channel", "job role"}
    assert set(writable_inlines(request)) == {
        (User, UserRole),
        (Role, UserRole),
        (Collection, CollectionRole),
        (DataSource, SourceGroup),
    }


def test_which_group_stands_for_which_role_is_told_before_and_after(root: Client, world: World, cast: Cast) -> None:
    """By their ids, in the row of the source; a page that was saved unchanged leaves none."""
    source, group = DataSource.objects.get(), SourceGroup.objects.get()
    address = f"/admin/core/datasource/{source.pk}/change/"
    form = {
        "name": "Handbook",
        "setting_path": "/handbook",
        "readers_hours": "72",
        "is_enabled": "on",
        "requests_per_minute": "120",
        "most_withdrawn_percent": "10",
        "erase_days": "30",
        "groups-TOTAL_FORMS": "1",
        "groups-INITIAL_FORMS": "1",
        "groups-0-id": str(group.pk),
        "groups-0-source": str(source.pk),
        "groups-0-role": str(cast.staff.pk),
        "runs-TOTAL_FORMS": "0",
        "runs-INITIAL_FORMS": "0",
    }
    owners, staff = str(cast.owners.pk), str(cast.staff.pk)
    details = []
    for change in ({}, {"groups-0-role": owners}, {"groups-0-role": "", "erase_days": "31", "name": "Manual"}):
        known = set(AuditEvent.objects.values_list("pk", flat=True))
        form |= change
        assert root.post(address, form).status_code == 302
        details += [
            told
            for action, kind, key, told in tell(known)
            if (action, kind, key) == ("change", "datasource", str(source.pk))
        ]
    row, none = {"id": str(group.pk), "fields": ["role"]}, {"credentials": "none", "destination_changed": False}
    assert details == [
        {**none, "groups": [{**row, "before": {"role": staff}, "after": {"role": owners}}]},
        {
            **none,
            "fields": ["erase_days", "name"],
            "before": {"erase_days": 30},
            "after": {"erase_days": 31},
            "groups": [{**row, "before": {"role": owners}, "after": {"role": None}}],
        },
    ]


def test_powers_are_told_before_and_after(root: Client, cast: Cast) -> None:
    """Of a person: flags and groups; of a group: its permissions, and who loses them with it. No name is recorded."""
    desk = Group.objects.create(name="Desk")
    view, add = (Permission.objects.get(codename=f"{may}_role") for may in ("view", "add"))
    desk.permissions.add(view)
    person, inline = str(cast.bob.pk), {"user_roles-TOTAL_FORMS": "0", "user_roles-INITIAL_FORMS": "0"}
    powers = {"is_active": "on", "is_staff": "on", "gets_risk_digest": "on", "groups": [str(desk.pk)]}
    about = {"email": "bob@example.com", "display_name": "canary", **inline}
    root.post(f"/admin/core/user/{person}/change/", about | powers)
    root.post(
        f"/admin/core/user/{person}/password/",
        {"password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"},
    )
    root.post(f"/admin/auth/group/{desk.pk}/change/", {"name": "canary desk", "permissions": [str(add.pk)]})
    root.post(f"/admin/auth/group/{desk.pk}/delete/", {"post": "yes"})
    told = [(action, kind, details) for action, kind, _, details in tell(set()) if action != "sign_in"]
    assert told == [
        (
            "change",
            "user",
            {
                "fields": ["display_name", "is_staff", "groups"],
                "before": {"is_staff": False, "groups": []},
                "after": {"is_staff": True, "groups": [str(desk.pk)]},
            },
        ),
        ("change", "user", {"fields": ["password"]}),
        (
            "change",
            "group",
            {"fields": ["name", "permissions"], "given": ["core.add_role"], "taken": ["core.view_role"]},
        ),
        ("delete", "group", {"taken": ["core.add_role"], "members": [person]}),
    ]
    assert "canary" not in json.dumps(told)


def test_the_ready_made_groups_are_told_with_what_they_give(root: Client) -> None:
    """One row for each that was made."""
    Group.objects.all().delete()
    root.post(reverse("admin:auth_group_add_ready_made"))
    made = {(kind, key): details["given"] for action, kind, key, details in tell(set()) if action == "create"}
    assert {key for _, key in made} == {str(pk) for pk in Group.objects.values_list("pk", flat=True)}
    assert len([given for given in made.values() if given]) == len(READY_MADE)
