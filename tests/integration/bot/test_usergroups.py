"""Roles held through usergroups: exactly by whom Slack names now, and never at the cost of roles given by hand."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings
from slack_bolt import BoltResponse

from bot.identity import usergroups
from bot.identity.people import IDENTITY_LIFE
from bot.models import Installation
from bot.slack.errors import SlackUnavailableError
from bot.tasks import synchronise_all_usergroups, synchronise_usergroups
from core.access.audiences import audience_of
from core.infrastructure.queue import SYNCHRONISE_USERGROUPS
from core.models import AuditEvent, Role, SlackIdentity, User, UsergroupRole, UserRole
from core.testing import Cast
from tests.integration.bot.conftest import ALICE, BOB, CHARLIE, STRANGER, event_body
from tests.integration.bot.slack_server import BOT_USER, TEAM, Failure, SlackServer

pytestmark = pytest.mark.django_db

GROUP = "S0LAB"
Send = Callable[..., BoltResponse]


@pytest.fixture
def lab(workspace: SlackServer, cast: Cast) -> UsergroupRole:
    """Bob and Charlie are in @lab, and so are a stranger, a guest and a bot; its members hold the role of the lab."""
    workspace.add_user("U0GUEST", "alice@example.com", is_ultra_restricted=True)
    workspace.add_usergroup(GROUP, "lab", BOB, CHARLIE, STRANGER, "U0GUEST", BOT_USER, "U0GONE")
    role = Role.objects.create(name="lab")
    return UsergroupRole.objects.create(team_id=TEAM, usergroup_id=GROUP, role=role)


def holders(role: Role) -> set[str]:
    return set(User.objects.filter(user_roles__role=role).values_list("display_name", flat=True))


def test_members_hold_the_role(lab: UsergroupRole, cast: Cast) -> None:
    """Those of them who are known do; guests, bots, strangers and closed accounts do not. The handle is learned."""
    usergroups.synchronise(TEAM)
    assert holders(lab.role) == {"Bob", "Charlie"}
    assert lab.role_id in next(iter(audience_of([cast.charlie.pk]).role_sets))
    lab.refresh_from_db()
    assert (lab.handle, lab.error_code) == ("lab", "")
    assert lab.synchronised_at is not None
    audit = AuditEvent.objects.get(action="change_members")
    assert (audit.object_id, audit.actor) == (str(lab.role_id), None)
    assert set(audit.details["given"]) == {str(cast.bob.pk), str(cast.charlie.pk)}
    assert audit.details["taken"] == []


def test_who_leaves_loses_it(lab: UsergroupRole, workspace: SlackServer, cast: Cast) -> None:
    """And who comes has it; without a change there is no audit row."""
    usergroups.synchronise(TEAM)
    usergroups.synchronise(TEAM)
    assert AuditEvent.objects.filter(action="change_members").count() == 1
    workspace.usergroup_users[GROUP] = [ALICE, BOB]
    usergroups.synchronise(TEAM)
    assert holders(lab.role) == {"Alice", "Bob"}
    last = AuditEvent.objects.filter(action="change_members").latest("created_at").details
    assert (last["given"], last["taken"]) == ([str(cast.alice.pk)], [str(cast.charlie.pk)])


def test_a_role_given_by_hand_stays(lab: UsergroupRole, workspace: SlackServer, cast: Cast) -> None:
    """Charlie was given the role by an administrator, too: leaving the usergroup takes only what it gave."""
    UserRole.objects.create(user=cast.charlie, role=lab.role)
    usergroups.synchronise(TEAM)
    assert UserRole.objects.filter(user=cast.charlie, role=lab.role).count() == 2
    workspace.usergroup_users[GROUP] = []
    usergroups.synchronise(TEAM)
    assert holders(lab.role) == {"Charlie"}
    lab.delete()
    assert holders(lab.role) == {"Charlie"}


def test_one_of_two_usergroups_is_enough(lab: UsergroupRole, workspace: SlackServer) -> None:
    """Two usergroups give the same role; it goes with the last of them."""
    workspace.add_usergroup("S0NIGHT", "night", BOB)
    UsergroupRole.objects.create(team_id=TEAM, usergroup_id="S0NIGHT", role=lab.role)
    usergroups.synchronise(TEAM)
    workspace.usergroup_users[GROUP] = []
    usergroups.synchronise(TEAM)
    assert holders(lab.role) == {"Bob"}


@pytest.mark.parametrize("ended", ["switched off", "unknown", "deleted here"])
def test_a_usergroup_that_ends_takes_its_roles_away(ended: str, lab: UsergroupRole, workspace: SlackServer) -> None:
    """Switched off in Slack, not there at all, or deleted by an administrator."""
    usergroups.synchronise(TEAM)
    if ended == "switched off":
        workspace.usergroups[GROUP]["date_delete"] = 1700000000
    elif ended == "unknown":
        del workspace.usergroups[GROUP]
    else:
        lab.delete()
    usergroups.synchronise(TEAM)
    assert holders(lab.role) == set()
    codes = set(UsergroupRole.objects.values_list("error_code", flat=True))
    assert codes == {"switched off": {""}, "unknown": {"no_such_usergroup"}, "deleted here": set()}[ended]


@pytest.mark.parametrize("method", ["usergroups.list", "usergroups.users.list", "users.info"])
@pytest.mark.parametrize(
    "failure", [Failure(error="missing_scope"), Failure(error="ratelimited", status=429, headers={"Retry-After": "7"})]
)
def test_what_slack_does_not_tell_changes_nothing(
    method: str, failure: Failure, lab: UsergroupRole, workspace: SlackServer
) -> None:
    """A refused call is noted with the usergroup; one that may succeed later is raised, for the job to come again."""
    usergroups.synchronise(TEAM)
    workspace.usergroup_users[GROUP] = [ALICE]
    workspace.fail(method, failure)
    if failure.status == 429:
        with pytest.raises(SlackUnavailableError) as caught:
            synchronise_usergroups(team=TEAM)
        assert caught.value.retry_after_s == 7
    else:
        synchronise_usergroups(team=TEAM)
    assert holders(lab.role) == {"Bob", "Charlie"}
    lab.refresh_from_db()
    assert lab.error_code == failure.error
    synchronise_usergroups(team=TEAM)
    assert holders(lab.role) == {"Alice"}
    lab.refresh_from_db()
    assert lab.error_code == ""


def test_a_large_usergroup_is_asked_in_pages(lab: UsergroupRole, workspace: SlackServer) -> None:
    """Twenty-five members cost no call for each of them; who is not listed is asked for."""
    members = [BOB]
    for number in range(25):
        user = User.objects.create_user(f"member{number}@example.com", display_name=f"Member {number}")
        members.append(workspace.add_user(f"U1{number:03d}", user.email))
    workspace.usergroup_users[GROUP] = [*members, "U0GONE"]
    workspace.page_size = 20
    usergroups.synchronise(TEAM)
    assert holders(lab.role) == {"Bob", *(f"Member {number}" for number in range(25))}
    assert [call["user"] for call in workspace.called("users.info")] == ["U0GONE"]


def test_a_team_that_is_not_connected_gives_no_roles(lab: UsergroupRole, settings: Settings) -> None:
    """Once the app is removed from a workspace nobody knows who is in its usergroups: the job takes the roles."""
    usergroups.synchronise(TEAM)
    settings.SLACK_BOT_TOKEN = ""
    settings.SLACK_CLIENT_ID = settings.SLACK_CLIENT_SECRET = "set"
    Installation.objects.create(team_id=TEAM, bot_user_id=BOT_USER, installed_at=timezone.now())
    assert Installation.objects.all().end() == [TEAM]
    job = ProcrastinateJob.objects.get(task_name=SYNCHRONISE_USERGROUPS)
    synchronise_usergroups(**job.args)
    assert holders(lab.role) == set()
    lab.refresh_from_db()
    assert lab.error_code == "not_connected"


def changed(kind: str, **fields: Any) -> dict[str, Any]:
    """An event about a usergroup or an account."""
    return event_body(kind, text="") | {"event": {"type": kind, **fields}}


def jobs() -> list[dict[str, Any]]:
    return list(ProcrastinateJob.objects.filter(task_name=SYNCHRONISE_USERGROUPS).values_list("args", flat=True))


def test_events_queue_one_job(lab: UsergroupRole, send: Send) -> None:
    """However many come before it runs; a usergroup that gives no role queues none."""
    assert send(changed("subteam_updated", subteam={"id": "S0OTHER"})).status == 200
    assert jobs() == []
    assert send(changed("subteam_updated", subteam={"id": GROUP})).status == 200
    assert send(changed("subteam_members_changed", subteam_id=GROUP)).status == 200
    assert jobs() == [{"team": TEAM}]


def test_every_team_is_synchronised_hourly(lab: UsergroupRole) -> None:
    """One job for each team that has such usergroups."""
    UsergroupRole.objects.create(team_id="T0OTHER", usergroup_id="S0X", role=lab.role)
    synchronise_all_usergroups(timestamp=0)
    synchronise_all_usergroups(timestamp=3600)
    assert sorted(job["team"] for job in jobs()) == ["T0OTHER", TEAM]


@pytest.mark.parametrize(
    ("change", "queued"),
    [
        ({"deleted": True}, True),
        ({"is_restricted": True}, True),
        ({"profile": {"email": "bob.new@example.com"}}, True),
        ({"profile": {"email": "BOB@example.com", "status_text": "on holiday"}}, False),
    ],
    ids=["closed", "a guest now", "another address", "a new status"],
)
def test_a_changed_account_asks_the_usergroups_again(
    change: dict[str, Any], queued: bool, lab: UsergroupRole, workspace: SlackServer, cast: Cast, send: Send
) -> None:
    """The account is another person's now, and is forgotten; and no earlier check is believed in any case."""
    SlackIdentity.objects.create(team_id=TEAM, slack_user_id=BOB, user=cast.bob, checked_at=timezone.now())
    send(changed("user_change", user=workspace.users[BOB] | change))
    assert jobs() == [{"team": TEAM}] * queued
    assert SlackIdentity.objects.exists() is not queued
    assert not SlackIdentity.objects.filter(checked_at__gt=timezone.now() - IDENTITY_LIFE).exists()
