"""One installation in an organisation of Enterprise Grid: its workspaces stay apart in all that is decided."""

import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography.fernet import Fernet
from django.test import Client
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings
from slack_bolt import App, BoltContext, BoltRequest, BoltResponse

from bot.delivery.engine import deliver
from bot.identity import audiences, directory, people, usergroups
from bot.identity.people import AccountKind
from bot.installations.organisations import queue_all, take_workspaces
from bot.listeners.teams import place
from bot.models import ChannelKind, Installation, OrganisationWorkspace, Reply, SlackEvent
from bot.slack.encryption import encrypt
from bot.slack.errors import SlackUnavailableError
from bot.slack.workspace import UnknownTeamError, find_client
from core.infrastructure.queue import LIST_WORKSPACES, SYNCHRONISE_USERGROUPS
from core.models import AuditEvent, Role, SlackChannel, SlackIdentity, SlackWorkspace, User, UsergroupRole, UserRole
from core.testing import Cast, make_document
from core.types import Audience
from tests.integration.bot.conftest import ALICE, BOB, CHARLIE, SECRET, event_body
from tests.integration.bot.grid_server import EAST, NORTH, ORG_TOKEN, ORGANISATION, SOUTH, GridServer
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.bot.slack_server import BOT_USER, Failure

pytestmark = pytest.mark.django_db

OF_NORTH, OF_SOUTH, OF_BOTH = "C0NORTH", "C0SOUTH", "C0BOTH"
OPEN = {"is_private": False}

Send = Callable[..., BoltResponse]


@pytest.fixture
def slack(settings: Settings) -> Iterator[GridServer]:
    """An organisation of three workspaces that has added the app to two."""
    with GridServer() as server:
        settings.LOCAL_PAGE = False
        settings.SLACK_API_URL = server.url
        settings.SLACK_SIGNING_SECRET = SECRET
        settings.SLACK_BOT_TOKEN, settings.GUEST_ROLE = "", ""
        settings.SLACK_CLIENT_ID, _, settings.SLACK_CLIENT_SECRET = server.client.partition(":")
        settings.SLACK_TOKEN_KEYS = [Fernet.generate_key().decode()]
        settings.SECURE_SSL_REDIRECT = False
        server.tokens = {ORG_TOKEN: ORGANISATION}
        server.granted = {NORTH: "North", SOUTH: "South"}
        server.page_size = 1
        for user, email, *teams in (
            (ALICE, "alice@example.com", NORTH, SOUTH),
            (BOB, "bob@example.com", NORTH),
            (CHARLIE, "charlie@example.com", SOUTH),
        ):
            add_account(server, user, email, *teams)
        for channel, *teams in ((OF_NORTH, NORTH), (OF_SOUTH, SOUTH), (OF_BOTH, NORTH, SOUTH)):
            server.members[channel] = [ALICE, BOT_USER]
            server.channels[channel] = {
                "context_team_id": teams[0],
                "shared_team_ids": list(teams),
                "is_org_shared": len(teams) > 1,
            }
        yield server


def add_account(slack: GridServer, user: str, email: str, *teams: str) -> None:
    """Add an account of the organisation that is in these workspaces."""
    slack.add_user(user, email, team_id=teams[0], enterprise_user={"enterprise_id": ORGANISATION, "teams": list(teams)})


@pytest.fixture
def whole(slack: GridServer) -> Installation:
    """The installation, after Slack was asked for its workspaces."""
    row = Installation.objects.create(
        team_id=ORGANISATION,
        is_organisation=True,
        bot_user_id=BOT_USER,
        encrypted_token=encrypt(ORG_TOKEN),
        installed_at=timezone.now(),
    )
    take_workspaces(ORGANISATION)
    slack.calls.clear()
    return row


def served() -> set[str]:
    """Return the workspaces that are served."""
    return set(OrganisationWorkspace.objects.values_list("team_id", flat=True))


def queued(task: str) -> list[Any]:
    """Return the arguments of the jobs of a task that wait."""
    return [next(iter(job.args.values())) for job in ProcrastinateJob.objects.filter(task_name=task)]


def decide(team: str, *roles: Role) -> None:
    """Say as an administrator what everyone in a workspace may be shown."""
    SlackWorkspace.objects.filter(team_id=team).update(decided_at=timezone.now())
    SlackWorkspace.objects.get(team_id=team).roles.set(roles)


def audience(team: str, channel: str, user: str = ALICE) -> Audience:
    """Return who reads what is posted in a channel when somebody asks there in a workspace."""
    return audiences.find_channel_audience(find_client(team), team_id=team, channel_id=channel, slack_user_id=user)


def of_organisation(body: dict[str, Any], team: str | None) -> dict[str, Any]:
    """Return an event as an organisation's installation gets it: its authorization names no team."""
    authorization = {"enterprise_id": ORGANISATION, "team_id": None, "user_id": BOT_USER, "is_bot": True}
    whole = {"enterprise_id": ORGANISATION, "authorizations": [authorization | {"is_enterprise_install": True}]}
    return body | {"team_id": team} | whole


def told(kind: str, *, team: str | None = None, at: float | None = None, **fields: Any) -> dict[str, Any]:
    """Return an event about the installation itself."""
    body = event_body(kind, text="") | {"event": {"type": kind, **fields}, "event_time": int(at or time.time())}
    return of_organisation(body, team)


class TestInstalling:
    """From the administrator's browser to the workspaces that are served."""

    def test_an_organisation_is_installed_once(self, slack: GridServer) -> None:
        """The page says what is next; a job asks Slack for the workspaces, and puts each before the administrators."""
        browser = Client()
        browser.force_login(User.objects.create_superuser("root@example.com"))
        slack.add_organisation_code("code")
        state = parse_qs(urlsplit(browser.get("/slack/install")["Location"]).query)["state"][0]
        page = browser.get("/slack/oauth_redirect", {"state": state, "code": "code"}).content.decode()
        assert "installed in the organisation Harbours" in page
        row = Installation.objects.get()
        assert (row.team_id, row.team_name, row.is_organisation) == (ORGANISATION, "Harbours", True)
        assert (served(), queued(LIST_WORKSPACES)) == (set(), [ORGANISATION])
        assert not SlackWorkspace.objects.exists()
        take_workspaces(ORGANISATION)
        assert served() == {NORTH, SOUTH}
        undecided = SlackWorkspace.objects.undecided().values_list("team_id", "name")
        assert set(undecided) == {(NORTH, "North"), (SOUTH, "South")}
        assert "North, South" in browser.get("/admin/bot/installation/").content.decode()

    def test_a_workspace_that_has_its_own_installation_keeps_it(self, slack: GridServer, whole: Installation) -> None:
        """It is answered with its own token, which is no organisation's."""
        slack.tokens["xoxb-north"] = NORTH
        Installation.objects.create(
            team_id=NORTH, bot_user_id="U0", encrypted_token=encrypt("xoxb-north"), installed_at=timezone.now()
        )
        assert (find_client(NORTH).token, find_client(SOUTH).token) == ("xoxb-north", ORG_TOKEN)

    @pytest.mark.parametrize("team", [EAST, ORGANISATION, "T0ELSEWHERE", ""])
    def test_nothing_else_is_served(self, team: str, whole: Installation, send: Send) -> None:
        """Not a workspace that the app was not added to, nor the organisation as if it were one."""
        with pytest.raises(UnknownTeamError):
            find_client(team)
        send(of_organisation(event_body("message", text="Hello?", channel="D0", channel_type="im"), team))
        assert not SlackEvent.objects.exists()


class TestAccess:
    """Workspaces that are added and taken away."""

    def test_a_workspace_is_added(self, slack: GridServer, whole: Installation, send: Send) -> None:
        """Slack is asked: an event alone adds nothing, and one that comes late no more than what is so now."""
        slack.granted[EAST] = "East"
        assert send(told("team_access_granted", team_ids=[EAST, "T0LIE"])).status == 200
        assert (served(), queued(LIST_WORKSPACES)) == ({NORTH, SOUTH}, [ORGANISATION])
        take_workspaces(ORGANISATION)
        assert served() == {NORTH, SOUTH, EAST}

    def test_a_workspace_is_taken_away_at_once(
        self, slack: GridServer, whole: Installation, cast: Cast, send: Send
    ) -> None:
        """Nobody is known there any more, its usergroups give no roles, and its events are not taken. Others stay."""
        for team in (NORTH, SOUTH):
            SlackIdentity.objects.create(team_id=team, slack_user_id=ALICE, user=cast.alice, checked_at=timezone.now())
            ChannelKind.objects.create(team_id=team, channel_id="C1", read_by="members", checked_at=timezone.now())
        assert send(told("team_access_revoked", team_ids=[SOUTH])).status == 200
        assert served() == {NORTH}
        assert set(SlackIdentity.objects.values_list("team_id", flat=True)) == {NORTH}
        assert set(ChannelKind.objects.values_list("team_id", flat=True)) == {NORTH}
        assert (queued(SYNCHRONISE_USERGROUPS), queued(LIST_WORKSPACES)) == ([SOUTH], [ORGANISATION])
        with pytest.raises(UnknownTeamError):
            find_client(SOUTH)

    def test_what_slack_lists_counts(self, slack: GridServer, whole: Installation, cast: Cast) -> None:
        """Whatever events were lost: what it does not list is taken away as well."""
        SlackIdentity.objects.create(team_id=SOUTH, slack_user_id=ALICE, user=cast.alice, checked_at=timezone.now())
        del slack.granted[SOUTH]
        queue_all()
        assert queued(LIST_WORKSPACES) == [ORGANISATION]
        take_workspaces(ORGANISATION)
        assert served() == {NORTH}
        assert not SlackIdentity.objects.exists()

    @pytest.mark.parametrize(
        ("code", "ends"), [("token_revoked", True), ("account_inactive", True), ("access_denied", False)]
    )
    def test_what_slack_refuses(self, slack: GridServer, whole: Installation, code: str, ends: bool) -> None:
        """It changes nothing, unless the token is over; and when Slack is away it is tried again."""
        slack.fail("auth.teams.list", Failure(error="", hang_up=True), Failure(error=code))
        with pytest.raises(SlackUnavailableError):
            take_workspaces(ORGANISATION)
        take_workspaces(ORGANISATION)
        assert served() == (set() if ends else {NORTH, SOUTH})
        whole.refresh_from_db()
        assert (whole.is_active, whole.ended_because) == (not ends, code if ends else "")
        assert AuditEvent.objects.filter(action="end_installation", object_id=ORGANISATION).count() == int(ends)

    @pytest.mark.parametrize(("kind", "fields"), [("app_uninstalled", {}), ("tokens_revoked", {"tokens": {"bot": []}})])
    @pytest.mark.parametrize("team", [None, NORTH])
    def test_the_organisation_ends_it(
        self, whole: Installation, cast: Cast, send: Send, kind: str, fields: dict[str, Any], team: str | None
    ) -> None:
        """With all of its workspaces; an event of an earlier installation does not."""
        tokens = {"tokens": {"bot": [BOT_USER]}} if fields else {}
        SlackIdentity.objects.create(team_id=SOUTH, slack_user_id=ALICE, user=cast.alice, checked_at=timezone.now())
        send(told(kind, team=team, at=time.time() - 600, **tokens))
        assert served() == {NORTH, SOUTH}
        assert send(told(kind, team=team, **tokens)).status == 200
        whole.refresh_from_db()
        assert (whole.is_active, whole.encrypted_token, whole.ended_because) == (False, "", kind)
        assert (served(), SlackIdentity.objects.count()) == (set(), 0)
        assert set(queued(SYNCHRONISE_USERGROUPS)) == {ORGANISATION, NORTH, SOUTH}

    def test_a_workspaces_own_end_is_not_the_organisations(self, whole: Installation, send: Send) -> None:
        """One that had its own installation too, in the same organisation."""
        body = event_body("app_uninstalled", text="") | {"event": {"type": "app_uninstalled"}}
        body |= {"team_id": NORTH, "enterprise_id": ORGANISATION, "event_time": int(time.time())}
        authorization = {"enterprise_id": ORGANISATION, "team_id": NORTH, "user_id": "U0", "is_bot": True}
        send(body | {"authorizations": [authorization | {"is_enterprise_install": False}]})
        whole.refresh_from_db()
        assert (whole.is_active, served()) == (True, {NORTH, SOUTH})


class TestReaders:
    """Tests of the readers of a channel, workspace by workspace."""

    def test_each_workspace_is_decided_about_for_itself(
        self, slack: GridServer, whole: Installation, cast: Cast
    ) -> None:
        """Everyone's roles in North open nothing in South's public channels, whatever team is named."""
        for channel in (OF_NORTH, OF_SOUTH):
            slack.channels[channel] |= OPEN
        decide(NORTH, cast.staff)
        assert audience(NORTH, OF_NORTH) == Audience.of([{cast.staff.pk}])
        assert audience(SOUTH, OF_SOUTH) == Audience.nobody()
        assert audience(NORTH, OF_SOUTH) == Audience.nobody()
        assert SlackWorkspace.objects.undecided().get().team_id == SOUTH

    @pytest.mark.parametrize(
        "said",
        [
            {"context_team_id": None, "shared_team_ids": []},
            {"context_team_id": ORGANISATION, "shared_team_ids": [ORGANISATION]},
            {"shared_team_ids": [NORTH, SOUTH]},
            {"internal_team_ids": [NORTH, SOUTH]},
            {"context_team_id": SOUTH},
            {"is_org_shared": True},
        ],
        ids=str,
    )
    @pytest.mark.parametrize("is_private", [False, True])
    def test_a_channel_that_is_not_surely_here_is_nobodys(
        self, slack: GridServer, whole: Installation, cast: Cast, said: dict[str, Any], is_private: bool
    ) -> None:
        """A private one that several workspaces share is its members', who are looked at one by one."""
        slack.channels[OF_NORTH] |= {"is_private": is_private} | said
        decide(NORTH, cast.staff)
        shared_by_members = is_private and "is_org_shared" in said
        expected = cast.audience(cast.alice) if shared_by_members else Audience.nobody()
        assert audience(NORTH, OF_NORTH) == expected

    def test_the_organisation_itself_is_no_place(self, slack: GridServer, whole: Installation, cast: Cast) -> None:
        """Beside the workspace it says nothing else."""
        slack.channels[OF_NORTH] |= {"shared_team_ids": [ORGANISATION, NORTH], "internal_team_ids": [NORTH]} | OPEN
        decide(NORTH, cast.staff)
        assert audience(NORTH, OF_NORTH) == Audience.of([{cast.staff.pk}])

    def test_people_of_another_workspace_are_strangers(
        self, slack: GridServer, whole: Installation, cast: Cast
    ) -> None:
        """Charlie and Bob are known persons with roles, each in one workspace: in a channel of both, one is a stranger.

        In whichever of the two it is asked, nothing is shown; without the stranger it is what the others may read.
        """
        UserRole.objects.create(user=cast.charlie, role=cast.staff)
        for user, home, other in ((CHARLIE, SOUTH, NORTH), (BOB, NORTH, SOUTH)):
            assert people.find_person(find_client(home), home, user).user_id is not None
            assert people.find_person(find_client(other), other, user).kind is AccountKind.OUTSIDER
            slack.members[OF_BOTH] = [ALICE, BOT_USER, user]
            assert audience(home, OF_BOTH) == Audience.of([{cast.staff.pk}])
            assert audience(other, OF_BOTH) == Audience.nobody()
        slack.members[OF_BOTH] = [ALICE, BOT_USER, BOB, CHARLIE]
        assert (audience(NORTH, OF_BOTH), audience(SOUTH, OF_BOTH)) == (Audience.nobody(), Audience.nobody())

    def test_who_leaves_a_workspace_is_known_there_no_more(
        self, slack: GridServer, whole: Installation, cast: Cast, send: Send
    ) -> None:
        """Though they stay in another one of the organisation, where they are still known."""
        for team in (NORTH, SOUTH):
            people.find_person(find_client(team), team, ALICE)
        add_account(slack, ALICE, "alice@example.com", NORTH)
        send(told("user_change", team=NORTH, user=slack.users[ALICE]))
        assert set(SlackIdentity.objects.values_list("team_id", flat=True)) == {NORTH}
        assert people.find_person(find_client(SOUTH), SOUTH, ALICE).kind is AccountKind.OUTSIDER


@pytest.mark.usefixtures("fast")
class TestAnswering:
    """Questions from an organisation's workspaces, and what the token is used for."""

    def test_each_workspace_is_answered_as_itself(
        self, slack: GridServer, whole: Installation, cast: Cast, send: Send
    ) -> None:
        """With the one token, by calls that name the workspace; in South, of which nothing is decided, with nothing."""
        make_document("Canteen rules", CANTEEN, roles=[cast.staff])
        decide(NORTH, cast.staff)
        for team, channel in ((NORTH, OF_NORTH), (SOUTH, OF_SOUTH)):
            slack.channels[channel] |= OPEN
            body = of_organisation(
                event_body("app_mention", text=f"<@{BOT_USER}> {ASK_CANTEEN}", channel=channel), team
            )
            slack.calls.clear()
            assert send(body).status == 200
            event = SlackEvent.objects.get(event_id=body["event_id"])
            assert event.team_id == team
            deliver(event.pk)
            named = {arguments.get("team_id") for method, arguments in slack.calls if method != "auth.test"}
            assert named == {team}
        shown = {channel: str(slack.messages[channel]) for channel in (OF_NORTH, OF_SOUTH)}
        assert "soup" in CANTEEN
        assert ["soup" in shown[channel] for channel in (OF_NORTH, OF_SOUTH)] == [True, False]
        assert set(Reply.objects.values_list("state", flat=True)) == {"posted"}

    def test_lists_are_asked_for_by_workspace(self, slack: GridServer, whole: Installation, cast: Cast) -> None:
        """Slack refuses an organisation's token lists without one."""
        slack.add_usergroup("S1", "lab", ALICE)
        mapping = UsergroupRole.objects.create(team_id=NORTH, usergroup_id="S1", handle="lab", role=cast.owners)
        usergroups.synchronise(NORTH)
        directory.take_stock(NORTH)
        directory.queue_all()
        mapping.refresh_from_db()
        assert mapping.error_code == ""
        assert UserRole.objects.filter(user=cast.alice, usergroup=mapping).exists()
        assert set(SlackChannel.objects.values_list("team_id", flat=True)) == {NORTH}
        assert queued("bot.take_stock") == [NORTH, SOUTH]

    def test_a_listener_gets_the_client_of_the_workspace(
        self, slack: GridServer, whole: Installation, cast: Cast, send: Send, prompt_app: App
    ) -> None:
        """Also where Slack acknowledges first: the Home tab of a person is made by who they are in this workspace."""
        for team, knows in ((NORTH, True), (SOUTH, False)):
            slack.homes.clear()
            send(told("app_home_opened", team=team, user=BOB, tab="home", channel="D0"))
            assert slack.called("views.publish")[-1]["team_id"] == team
            assert ("ask_at_home" in str(slack.homes[BOB])) is knows


@pytest.mark.parametrize(
    ("body", "team"),
    [
        ({"type": "block_actions", "team": None, "user": {"id": ALICE, "team_id": NORTH}}, NORTH),
        ({"type": "shortcut", "team": None, "user": {"id": ALICE, "team_id": ORGANISATION}}, None),
        ({"type": "view_submission", "team": None, "user": {"id": ALICE}, "view": {"team_id": SOUTH}}, SOUTH),
        (
            {
                "type": "view_submission",
                "team": {"id": NORTH},
                "user": {"id": ALICE},
                "view": {"app_installed_team_id": ORGANISATION, "team_id": SOUTH},
            },
            SOUTH,
        ),
        ({"command": "/footnote", "team_id": NORTH, "user_id": ALICE}, NORTH),
        (of_organisation({"type": "event_callback", "event": {"type": "message"}}, NORTH), NORTH),
        (of_organisation({"type": "event_callback", "event": {"type": "message"}}, ORGANISATION), None),
        (of_organisation({"type": "event_callback", "event": {"type": "message"}}, None), None),
    ],
    ids=str,
)
def test_the_workspace_of_a_payload(body: dict[str, Any], team: str | None) -> None:
    """If the team is missing or is the organisation, Slack names the workspace elsewhere, or not at all."""
    context: BoltContext = BoltRequest(body=body | {"enterprise": {"id": ORGANISATION}}, mode="socket_mode").context
    place(body, context)
    assert context.team_id == team


def test_a_workspaces_own_payload_keeps_its_team() -> None:
    """In a channel shared between organisations the other places name the other workspace, which is not believed."""
    body = event_body("message", text="Hello?") | {"team_id": "T0OTHER", "context_team_id": "T0OTHER"}
    context = BoltRequest(body=body, mode="socket_mode").context
    place(body, context)
    assert context.team_id == body["authorizations"][0]["team_id"] != "T0OTHER"
