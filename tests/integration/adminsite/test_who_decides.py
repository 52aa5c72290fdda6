"""Test that only people who decide about readers can change readers, whatever they post; and that they are listed."""

import importlib
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from adminsite.admin.deciders import deciders
from adminsite.api.urls import VIEWS
from core.access.audiences import DECIDE_WHO_READS, may_decide_who_reads
from core.models import (
    AuthToken,
    ChannelSetting,
    CollectionRole,
    DataSource,
    Document,
    IngestionJob,
    IntranetHost,
    Role,
    SlackBot,
    SlackWorkspace,
    SourceGroup,
    SyncRun,
    User,
    UsergroupRole,
    UserRole,
)
from core.testing import Cast
from tests.integration.adminsite.conftest import World
from tests.integration.adminsite.posting import Post, Written, every_post

PEOPLE, DESK = "/admin/core/user/", "desk@example.com"
Fact = tuple[Any, ...]
READING = {"reads", "address", "channel", "workspace", "usergroup"}
READING |= {"no reader", "default role", "role", "job role", "place"}
READING |= {"source role", "source group", "source run", "host"}
TOKEN = {"name": "Own", "scopes": "ask", "days": "30"}
POWERS = {"power", "group", "password", "token"}  # superusers' alone


def facts() -> set[Fact]:
    """All that decides who reads a document, now or from the next ingestion or synchronisation on, and who decides."""
    found: set[Fact] = set()
    for user in User.objects.all():
        found.add(("address", user.pk, user.email, user.is_active))
        found.add(("power", user.pk, user.is_staff, user.is_superuser))
        found |= {("password", user.pk, user.password)} if user.has_usable_password() else set()
    held = User.objects.filter(is_active=True, roles__documents__isnull=False)
    found |= {("reads", *row) for row in held.values_list("email", "roles__documents")}
    for setting in ChannelSetting.objects.filter(uses_own_roles=True):
        sets = (frozenset(rows.values_list("pk", flat=True)) for rows in (setting.roles, setting.collections))
        found.add(("channel", setting.team_id, setting.channel_id, setting.enabled, *sets))
    decided = SlackWorkspace.objects.filter(decided_at__isnull=False)
    found |= {("workspace", *row) for row in decided.values_list("team_id", "roles")}
    found |= {("usergroup", *row) for row in UsergroupRole.objects.values_list("team_id", "usergroup_id", "role")}
    found |= {("no reader", pk) for pk in SlackBot.objects.filter(is_no_reader=True).values_list("pk", flat=True)}
    found |= {("default role", *row) for row in CollectionRole.objects.values_list("collection__name", "role")}
    found |= {("role", *row) for row in Role.objects.values_list("pk", "name")}
    found |= {("job role", *row) for row in IngestionJob.roles.through.objects.values_list("ingestionjob", "role")}
    found |= {("source role", *row) for row in DataSource.objects.values_list("name", "settings__path", "roles")}
    found |= {("source group", *row) for row in SourceGroup.objects.values_list("pk", "name", "role")}
    found |= {("source run", *row) for row in SyncRun.objects.values_list("pk", "state")}
    found |= {("host", *row) for row in IntranetHost.objects.values_list("name")}
    found |= {("place", *row) for row in Document.objects.values_list("pk", "collection", "source_url")}
    found |= {("group", *row) for row in Group.objects.values_list("pk", "permissions__codename")}
    found |= {("power", *row) for row in User.groups.through.objects.values_list("user", "group")}
    found |= {("power", *row) for row in User.user_permissions.through.objects.values_list("user", "permission")}
    # One's own token is one's own affair.
    found |= {("token", *row) for row in AuthToken.objects.exclude(user__email=DESK).values_list("user", "digest")}
    return found


def changed(before: set[Fact], after: set[Fact]) -> set[Fact]:
    """Return the facts added and removed, but for those without an effect on readers.

    A deleted document is read by nobody, a deleted token reads nothing, and an added person reads nothing.
    """
    people = {fact[1] for fact in before if fact[0] == "address"}
    here = {fact[1] for fact in after if fact[0] == "place"}
    gone = {fact for fact in before - after if fact[0] != "token"}
    gone = {fact for fact in gone if fact[0] not in {"reads", "place"} or fact[-1 if fact[0] == "reads" else 1] in here}
    new = {fact for fact in after - before if fact[0] not in {"address", "power"} or fact[1] in people}
    return gone | new


def found_by(browser: Client, posts: list[Post]) -> dict[str, list[str]]:
    """Return the changes that the requests make, each undone before the next: kinds of facts, and the posts."""
    before, found = facts(), dict[str, list[str]]()
    for post in posts:
        cookies = deepcopy(browser.cookies)  # a new password renews the session, which is undone as well
        with transaction.atomic():
            for file in post.form.get("files", ()):
                file.seek(0)
            with connection.execute_wrapper(written := Written()):
                answer = browser.post(post.address, post.form)
            was_refused = answer.status_code in {400, 403, 405}
            # To look at all the facts takes as long as the request: after one that wrote nothing they are as before.
            for fact in changed(before, facts()) if written.any and not was_refused else ():
                found.setdefault(fact[0], []).append(f"{post.address} {post.form}")
            transaction.set_rollback(not was_refused)
        browser.cookies = cookies
    for fact in changed(before, facts()):
        found.setdefault(fact[0], []).append("a request that was refused")
    return found


def all_permissions_but_deciding() -> list[Permission]:
    """Every permission that there is, without the one."""
    return list(Permission.objects.exclude(codename=DECIDE_WHO_READS.split(".")[1]))


@pytest.fixture
def desk(cast: Cast) -> User:
    """An administrator who may do everything but decide who reads."""
    user = User.objects.create_user(DESK, is_staff=True, display_name="Desk")
    user.user_permissions.set(all_permissions_but_deciding())
    return user


def test_who_may_not_decide_changes_no_reader_whatever_they_post(
    root: Client, desk: User, town: World, cast: Cast
) -> None:
    """Each form with each field, each inline, each action, each address. A superuser changes every kind by the same."""
    posts = list(every_post(root, by=desk))
    assert len(posts) > 150
    browser = Client()
    browser.force_login(desk)
    assert found_by(browser, posts) == {}
    assert set(found_by(root, [post for post in posts if not post.is_of_one_field])) == READING | POWERS


def test_who_may_not_decide_changes_no_reader_over_rest(desk: User, town: World, cast: Cast) -> None:
    """Every path, by every method that writes, with the names of what would change it."""
    before = facts()
    caller = APIClient()
    caller.force_authenticate(desk)
    body = {"roles": [str(cast.owners.pk)], "user": str(desk.pk), "email": "alice@example.com", "is_staff": True}
    for route in VIEWS:
        address = "/api/v1/" + route.replace("<uuid:conversation_id>", str(desk.pk)).replace("<str:request_id>", "r")
        for method in (caller.post, caller.put, caller.patch, caller.delete):
            method(address, {**body, "question": "When does it open?", "query": "canteen"}, format="json")
    assert changed(before, facts()) == set()


def test_who_decides_does_it_without_being_a_superuser(desk: User, town: World, cast: Cast) -> None:
    """Grants, roles, addresses; and neither passwords, tokens nor powers of others, nor more power for themselves."""
    desk.user_permissions.add(Permission.objects.get(codename="decide_who_reads"))
    browser = Client()
    browser.force_login(desk)
    before = facts()
    page = f"{PEOPLE}{cast.bob.pk}/change/"
    inline = {"user_roles-TOTAL_FORMS": "0", "user_roles-INITIAL_FORMS": "0"}
    form = {"email": "robert@example.com", "display_name": "Bob", "is_active": "on", "is_superuser": "on", **inline}
    assert browser.post(page, form).status_code == 302
    powers = [
        (f"{PEOPLE}{desk.pk}/change/", {**form, "email": desk.email, "is_staff": "on"}),
        (f"{PEOPLE}{cast.alice.pk}/password/", {"password1": "another-long-one", "password2": "another-long-one"}),
        (f"{PEOPLE}{cast.alice.pk}/create_token/", TOKEN),
        (f"{PEOPLE}add/", {"email": "new@example.com", "password1": "a-long-word-1", "password2": "a-long-word-1"}),
    ]
    for address, given in powers:
        browser.post(address, {**inline, **given})
    seen = changed(before, facts())
    assert {fact[0] for fact in seen} == {"reads", "address"}
    assert not User.objects.get(email="robert@example.com").is_superuser


def test_a_token_of_ones_own_needs_no_superuser(desk: User) -> None:
    """It reads what its person reads."""
    browser = Client()
    browser.force_login(desk)
    assert browser.post(f"{PEOPLE}{desk.pk}/create_token/", TOKEN).context_data["token"]  # type: ignore[attr-defined]
    assert AuthToken.objects.get().user == desk


def test_a_person_who_is_added_can_be_nobody_but_themselves(desk: User) -> None:
    """A user who is no superuser adds people without a password."""
    browser = Client()
    browser.force_login(desk)
    inline = {"user_roles-TOTAL_FORMS": "0", "user_roles-INITIAL_FORMS": "0"}
    assert 'name="password' not in browser.get(f"{PEOPLE}add/").content.decode().split("<form")[-1]
    browser.post(f"{PEOPLE}add/", {"email": "Dora@example.com", "display_name": "Dora", **inline})
    assert not User.objects.get(email="dora@example.com").has_usable_password()


def test_a_channel_without_roles_of_its_own_can_be_set_by_others(desk: User, town: World) -> None:
    """Its language, say; the roles are shown and not taken."""
    browser = Client()
    browser.force_login(desk)
    setting = ChannelSetting.objects.get(channel_id="C1")
    form = {"team_id": "T1", "channel_id": "C1", "name": "general", "language": "de", "uses_own_roles": "on"}
    assert browser.post(f"/admin/core/channelsetting/{setting.pk}/change/", form).status_code == 302
    setting.refresh_from_db()
    assert (setting.language, setting.uses_own_roles) == ("de", False)


class TestThePage:
    """Tests of the page of people who decide about readers, by every path."""

    address = "/admin/core/user/deciders/"

    def test_everyone_who_can_is_listed_with_the_path(self, administrator: User, cast: Cast) -> None:
        """Superusers, holders, members of groups; tokens in force; and those who cannot use it for now."""
        permission = Permission.objects.get(codename="decide_who_reads")
        group = Group.objects.create(name="Granting desk")
        group.permissions.add(permission)
        cast.alice.groups.add(group)
        cast.bob.user_permissions.add(permission)
        cast.bob.groups.add(group)
        User.objects.filter(pk=cast.bob.pk).update(is_active=False, is_staff=True)
        Group.objects.create(name="Readers").permissions.add(Permission.objects.get(codename="view_user"))
        cast.charlie.groups.add(Group.objects.get(name="Readers"))
        AuthToken.objects.create(cast.alice)
        listed = {row.person.email: (row.paths, row.account, row.tokens) for row in deciders()}
        assert listed == {
            "root@example.com": (("superuser",), "administrator", 0),
            "alice@example.com": (("admin group “Granting desk”",), "may not use the admin", 1),
            "bob@example.com": (("permission of their own", "admin group “Granting desk”"), "inactive", 0),
        }

    def test_nobody_who_can_is_missing(self, administrator: User, desk: User, cast: Cast) -> None:
        """Whoever the one check lets through is on the page."""
        desk.user_permissions.add(Permission.objects.get(codename="decide_who_reads"))
        can = {user for user in User.objects.all() if may_decide_who_reads(user)}
        assert {row.person for row in deciders()} == can == {administrator, User.objects.get(pk=desk.pk)}

    def test_who_may_look_at_people_sees_it(self, staff: Callable[..., Client], administrator: User) -> None:
        """From the sidebar; to others it is closed."""
        browser = staff("core.view_user")
        assert self.address in browser.get(PEOPLE).content.decode()
        shown = browser.get(self.address).content.decode()
        assert "root@example.com" in shown
        assert "superuser" in shown
        User.objects.get(email="desk@example.com").user_permissions.clear()
        assert browser.get(self.address).status_code == 403
        assert reverse("admin:core_user_deciders") == self.address


@pytest.mark.parametrize("through", ["user", "group", "both"])
def test_who_could_grant_before_can_decide(through: str, cast: Cast) -> None:
    """Migration 0015 gives the permission to who held both of those that granting took, and to nobody else."""
    give = importlib.import_module("core.migrations.0017_decide_who_reads").give_to_those_who_could_grant
    add, delete = (Permission.objects.get(codename=f"{may}_roledocumentaccess") for may in ("add", "delete"))
    group = Group.objects.create(name="Desk")
    group.permissions.set({"user": [], "group": [add, delete], "both": [add]}[through])
    cast.alice.groups.add(group)
    cast.alice.user_permissions.set({"user": [add, delete], "group": [], "both": [delete]}[through])
    cast.bob.user_permissions.add(add)
    UserRole.objects.create(user=cast.charlie, role=cast.staff)
    give(apps, None)
    give(apps, None)
    assert {user for user in User.objects.all() if may_decide_who_reads(user)} == {cast.alice}
