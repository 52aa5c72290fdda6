"""Slack's side of the admin: usergroups, other bots, installations."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.test import Client
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings

from bot.models import Installation, SlackEvent
from core.infrastructure.queue import SYNCHRONISE_USERGROUPS, TAKE_STOCK
from core.models import (
    AuditEvent,
    ChannelSetting,
    SlackBot,
    SlackChannel,
    SlackUsergroup,
    SlackWorkspace,
    UsergroupRole,
    UserRole,
)
from core.testing import Cast
from tests.integration.adminsite.conftest import World

USERGROUPS = "/admin/core/usergrouprole/"
BOTS = "/admin/core/slackbot/"
WORKSPACES = "/admin/core/slackworkspace/"
INSTALLATIONS = "/admin/bot/installation/"


@pytest.fixture
def installation(db: None) -> Installation:
    return Installation.objects.create(
        team_id="T1", team_name="Harbour", bot_user_id="U3", installed_at=datetime.now(UTC), encrypted_token="gAAAA-x"
    )


@pytest.fixture
def lab(cast: Cast) -> UsergroupRole:
    """Charlie is staff through @lab."""
    usergroup = UsergroupRole.objects.create(team_id="T1", usergroup_id="S1", handle="lab", role=cast.staff)
    UserRole.objects.create(user=cast.charlie, role=cast.staff, usergroup=usergroup)
    return usergroup


def jobs() -> list[str]:
    return [job.args["team"] for job in ProcrastinateJob.objects.filter(task_name=SYNCHRONISE_USERGROUPS)]


def audit(action: str) -> AuditEvent:
    return AuditEvent.objects.get(action=action)


class TestUsergroups:
    """Tests of the roles that usergroups give."""

    def test_one_is_named_and_asked_for_its_members(self, root: Client, cast: Cast) -> None:
        """A row, its audit row, and a job; the same row again is refused in words."""
        form = {"team_id": "T1", "usergroup_id": "S1", "role": str(cast.staff.pk)}
        assert root.post(f"{USERGROUPS}add/", form).status_code == 302
        row = UsergroupRole.objects.get()
        assert jobs() == ["T1"]
        assert audit("create").details == {"team": "T1", "usergroup": "S1", "role": str(cast.staff.pk)}
        again = root.post(f"{USERGROUPS}add/", form)
        assert again.status_code == 200
        assert "already exists" in again.content.decode()
        assert UsergroupRole.objects.get() == row

    def test_it_is_synchronised_now(self, root: Client, lab: UsergroupRole) -> None:
        """The action queues one job for a team, however often it is chosen."""
        for _ in range(2):
            root.post(USERGROUPS, {"action": "synchronise", "_selected_action": [str(lab.pk)]})
        assert jobs() == ["T1"]

    def test_the_last_error_is_shown(self, root: Client, lab: UsergroupRole) -> None:
        """On the list, beside how many hold the role through it."""
        UsergroupRole.objects.update(error_code="missing_scope")
        shown = root.get(USERGROUPS).content.decode()
        assert "missing_scope" in shown
        assert "@lab" in shown

    def test_deleting_it_takes_its_roles(self, root: Client, lab: UsergroupRole, cast: Cast) -> None:
        """The audit row names from whom."""
        root.post(f"{USERGROUPS}{lab.pk}/delete/", {"post": "yes"})
        assert not UserRole.objects.filter(user=cast.charlie).exists()
        assert audit("delete").details == {"role": str(cast.staff.pk), "taken": [str(cast.charlie.pk)]}

    def test_roles_through_usergroups_stand_apart(self, root: Client, lab: UsergroupRole, cast: Cast) -> None:
        """They are seen with the person and the role, and cannot be taken there; a role held twice is named once."""
        UserRole.objects.create(user=cast.charlie, role=cast.staff)
        for page in (f"/admin/core/user/{cast.charlie.pk}/change/", f"/admin/core/role/{cast.staff.pk}/change/"):
            response = root.get(page)
            (by_hand,) = (formset.formset.queryset for formset in response.context["inline_admin_formsets"])
            assert {row.usergroup for row in by_hand} == {None}
            assert "staff (@lab)" in response.content.decode() or "@lab: 1" in response.content.decode()
        people = root.get("/admin/core/user/").content.decode()
        assert "staff, staff" not in people
        (role,) = (row for row in root.get("/admin/core/role/").context["cl"].queryset if row == cast.staff)
        assert role.members == 3

    def test_the_same_role_by_hand_twice_is_refused(self, root: Client, lab: UsergroupRole, cast: Cast) -> None:
        """Once beside the usergroup's is right; a second time is an error of the form, not of the database."""
        page = f"/admin/core/user/{cast.charlie.pk}/change/"
        form = {"email": cast.charlie.email, "display_name": "Charlie", "is_active": "on"}
        form |= {"user_roles-TOTAL_FORMS": "2", "user_roles-INITIAL_FORMS": "0"}
        one = {"user_roles-0-role": str(cast.staff.pk), "user_roles-0-user": str(cast.charlie.pk)}
        two = {"user_roles-1-role": str(cast.staff.pk), "user_roles-1-user": str(cast.charlie.pk)}
        refused = root.post(page, form | one | two)
        assert "already has this role" in refused.content.decode()
        assert root.post(page, form | one).status_code == 302
        assert "already has this role" in root.post(page, form | one).content.decode()
        assert UserRole.objects.filter(user=cast.charlie, role=cast.staff).count() == 2


def test_a_bot_is_cleared_by_an_administrator(root: Client, cast: Cast) -> None:
    """The one thing that can be changed of it; the audit trail says so."""
    bot = SlackBot.objects.create(team_id="T1", slack_user_id="U2", name="Hubot")
    assert "no answers" in root.get(BOTS).content.decode()
    root.post(f"{BOTS}{bot.pk}/change/", {"is_no_reader": "on", "team_id": "T2", "slack_user_id": "U9"})
    bot.refresh_from_db()
    assert (bot.is_no_reader, bot.team_id, bot.slack_user_id) == (True, "T1", "U2")
    assert (audit("change").object_id, audit("change").details) == (str(bot.pk), {"is_no_reader": True})


class TestWorkspaces:
    """Tests of the access of everyone in a workspace."""

    @pytest.fixture
    def harbour(self, db: None) -> SlackWorkspace:
        SlackWorkspace.objects.meet("T1", "Harbour")
        return SlackWorkspace.objects.get()

    def test_it_is_asked_for_until_it_is_decided(self, root: Client, harbour: SlackWorkspace, cast: Cast) -> None:
        """On the first page and above the installations, with a link; also for nothing it is decided but once."""
        page = f"{WORKSPACES}{harbour.pk}/change/"
        for asking in ("/admin/", INSTALLATIONS):
            shown = root.get(asking).content.decode()
            assert "Everyone in the workspace Harbour can read its public channels" in shown
            assert page in shown
        assert "to be decided" in root.get(WORKSPACES).content.decode()
        root.post(page, {})
        for asking in ("/admin/", INSTALLATIONS):
            assert "can read its public channels" not in root.get(asking).content.decode()
        assert SlackWorkspace.objects.roles_of_everyone("T1") == frozenset()

    def test_it_is_audited(self, root: Client, harbour: SlackWorkspace, cast: Cast) -> None:
        """With the roles that everyone holds from then on; the team of a row stays what it is."""
        root.post(f"{WORKSPACES}{harbour.pk}/change/", {"roles": [str(cast.staff.pk)], "team_id": "T2"})
        assert SlackWorkspace.objects.roles_of_everyone("T1") == {cast.staff.pk}
        row = audit("change")
        assert (row.object_type, row.object_id) == ("slackworkspace", str(harbour.pk))
        assert row.details == {"team": "T1", "roles": [str(cast.staff.pk)], "searches_messages": False}
        root.post(f"{WORKSPACES}{harbour.pk}/delete/", {"post": "yes"})
        assert audit("delete").details == {"team": "T1", "roles": [str(cast.staff.pk)], "searches_messages": False}
        assert SlackWorkspace.objects.roles_of_everyone("T1") == frozenset()

    def test_the_search_is_switched_on_and_audited(self, root: Client, harbour: SlackWorkspace) -> None:
        """Its page says what Slack's terms allow; nothing is decided about public channels by that."""
        page = f"{WORKSPACES}{harbour.pk}/change/"
        shown = root.get(page).content.decode()
        assert "forbid to store or copy" in shown
        assert not SlackWorkspace.objects.may_search("T1")
        root.post(page, {"searches_messages": "on"})
        assert SlackWorkspace.objects.may_search("T1")
        assert audit("change").details == {"team": "T1", "roles": [], "searches_messages": True}
        assert SlackWorkspace.objects.undecided().exists()

    def test_who_may_not_decide_switches_no_search_on(
        self, staff: Callable[..., Client], harbour: SlackWorkspace
    ) -> None:
        """As with the roles of everyone."""
        page = f"{WORKSPACES}{harbour.pk}/change/"
        assert staff("core.view_slackworkspace").post(page, {"searches_messages": "on"}).status_code == 403
        assert not SlackWorkspace.objects.may_search("T1")

    def test_who_may_not_decide_is_not_asked(self, staff: Callable[..., Client], harbour: SlackWorkspace) -> None:
        """Nor does the page take their decision."""
        desk = staff("core.view_slackworkspace")
        assert "Decide now" not in desk.get("/admin/").content.decode()
        assert desk.post(f"{WORKSPACES}{harbour.pk}/change/", {}).status_code == 403
        assert SlackWorkspace.objects.undecided().exists()

    def test_one_may_be_added_before_anybody_asks(self, root: Client, cast: Cast) -> None:
        """By its team: it is decided then."""
        root.post(f"{WORKSPACES}add/", {"team_id": "T1", "roles": [str(cast.staff.pk)]})
        assert SlackWorkspace.objects.roles_of_everyone("T1") == {cast.staff.pk}
        assert audit("create").details == {"team": "T1", "roles": [str(cast.staff.pk)], "searches_messages": False}


class TestInstallations:
    """The workspaces that the app is installed in."""

    def test_the_token_is_not_shown(self, root: Client, installation: Installation) -> None:
        """Neither on the list nor on the page, not even encrypted."""
        for page in (INSTALLATIONS, f"{INSTALLATIONS}{installation.pk}/change/"):
            shown = root.get(page).content.decode()
            assert "Harbour" in shown
            assert "gAAAA" not in shown

    def test_one_is_ended(self, root: Client, installation: Installation) -> None:
        """Its token is erased, its usergroups are looked at, the audit trail says who did it."""
        root.post(INSTALLATIONS, {"action": "deactivate", "_selected_action": [str(installation.pk)]})
        installation.refresh_from_db()
        assert (installation.is_active, installation.encrypted_token) == (False, "")
        assert jobs() == ["T1"]
        row = audit("end_installation")
        assert (row.object_type, row.object_id) == ("installation", "T1")
        assert row.actor is not None

    def test_who_may_only_look_ends_nothing(self, staff: Callable[..., Client], installation: Installation) -> None:
        """The action needs the permission to change installations."""
        desk = staff("bot.view_installation")
        assert desk.get(INSTALLATIONS).status_code == 200
        desk.post(INSTALLATIONS, {"action": "deactivate", "_selected_action": [str(installation.pk)]})
        installation.refresh_from_db()
        assert installation.is_active

    def test_the_way_to_install_is_there_with_oauth(self, root: Client, settings: Settings, db: None) -> None:
        """A button leads to the page that begins it; without OAuth there is none."""
        assert "Install in a workspace" not in root.get(INSTALLATIONS).content.decode()
        settings.SLACK_CLIENT_ID = settings.SLACK_CLIENT_SECRET = "set"
        assert "Install in a workspace" in root.get(INSTALLATIONS).content.decode()


def test_a_channel_is_chosen_by_its_name(root: Client, cast: Cast) -> None:
    """Its team, id and name come along; one that has settings already is not offered; Slack is asked anew."""
    known = SlackChannel.objects.create(team_id="T1", channel_id="C9", name="quay")
    SlackChannel.objects.create(team_id="T1", channel_id="C1", name="general")
    ChannelSetting.objects.create(team_id="T1", channel_id="C1")
    page = root.get("/admin/core/channelsetting/add/").content.decode()
    assert "#quay" in page
    assert "#general" not in page
    assert ProcrastinateJob.objects.get(task_name=TAKE_STOCK).args == {"team": ""}
    assert root.post("/admin/core/channelsetting/add/", {"known": str(known.pk), "enabled": "on"}).status_code == 302
    made = ChannelSetting.objects.get(channel_id="C9")
    assert (made.team_id, made.name) == ("T1", "quay")


def test_a_channel_answers_unasked_or_only_when_mentioned(root: Client, cast: Cast) -> None:
    """Both at once is refused in words, on a new page and on one that is there."""
    form = {"team_id": "T1", "channel_id": "C1", "enabled": "on", "answers_unasked": "on"}
    both = form | {"mention_only": "on"}
    assert "Choose one." in root.post("/admin/core/channelsetting/add/", both).content.decode()
    assert root.post("/admin/core/channelsetting/add/", form).status_code == 302
    made = ChannelSetting.objects.get()
    assert (made.answers_unasked, made.mention_only) == (True, False)
    assert "Choose one." in root.post(f"/admin/core/channelsetting/{made.pk}/change/", both).content.decode()
    assert not ChannelSetting.objects.get().mention_only


def test_events_begin_with_slacks_id(root: Client, world: World) -> None:
    """The key of the row says nothing to people, and took the place of a column."""
    listed = root.get("/admin/bot/slackevent/").content.decode()
    event = SlackEvent.objects.first()
    assert event is not None
    assert event.event_id in listed
    assert f">{event.pk}<" not in "".join(listed.split())


def test_a_usergroup_is_chosen_by_its_handle(root: Client, cast: Cast) -> None:
    """A group that Slack has not listed is chosen by its ids; none at all is refused in words."""
    known = SlackUsergroup.objects.create(team_id="T1", usergroup_id="S9", handle="divers")
    assert "@divers" in root.get(f"{USERGROUPS}add/").content.decode()
    assert "Choose one from the list" in root.post(f"{USERGROUPS}add/", {"role": str(cast.owners.pk)}).content.decode()
    root.post(f"{USERGROUPS}add/", {"known": str(known.pk), "role": str(cast.owners.pk)})
    root.post(f"{USERGROUPS}add/", {"team_id": "T2", "usergroup_id": "S7", "role": str(cast.owners.pk)})
    made = UsergroupRole.objects.filter(role=cast.owners).values_list("team_id", "usergroup_id")
    assert set(made) == {("T1", "S9"), ("T2", "S7")}
