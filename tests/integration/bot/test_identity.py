"""From Slack's ids to people and audiences: whoever is not surely known reads nothing."""

import datetime as dt
from typing import Any

import pytest
from django.utils import timezone
from slack_sdk import WebClient

from bot.identity import audiences, people
from bot.identity.people import AccountKind, Person
from bot.models import SlackEvent
from bot.slack.errors import SlackUnavailableError
from bot.slack.workspace import find_client
from core.models import ChannelSetting, Role, SlackBot, SlackIdentity, User, UserRole
from core.testing import Cast
from core.types import Audience
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, CHARLIE, DIRECT, STRANGER
from tests.integration.bot.slack_server import BOT_USER, TEAM, Failure, SlackServer

ODD = "U0ODD"


@pytest.fixture
def client(workspace: SlackServer) -> WebClient:
    return find_client(TEAM)


def asked(user: str = ALICE, *, channel: str = CHANNEL) -> SlackEvent:
    kind = SlackEvent.Kind.DIRECT if channel.startswith("D") else SlackEvent.Kind.MENTION
    return SlackEvent(team_id=TEAM, channel_id=channel, user_id=user, ts="1.1", thread_ts="1.1", kind=kind)


def test_people_are_known_by_their_address_whatever_its_case(client: WebClient, cast: Cast) -> None:
    """Slack's Alice@Example.COM is alice@example.com."""
    assert people.find_person(client, TEAM, ALICE).user_id == cast.alice.pk


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"is_bot": True}, AccountKind.BOT),
        ({"is_bot": True, "deleted": True}, AccountKind.OUTSIDER),
        ({"is_bot": True, "team_id": "T0OTHER"}, AccountKind.OUTSIDER),
        ({"deleted": True}, AccountKind.OUTSIDER),
        ({"is_restricted": True}, AccountKind.OUTSIDER),
        ({"is_ultra_restricted": True}, AccountKind.OUTSIDER),
        ({"is_stranger": True}, AccountKind.OUTSIDER),
        ({"team_id": "T0OTHER"}, AccountKind.OUTSIDER),
        ({"team_id": None}, AccountKind.OUTSIDER),
    ],
    ids=str,
)
def test_outsiders_have_no_roles_whatever_their_address(
    client: WebClient, workspace: SlackServer, fields: dict[str, Any], kind: AccountKind
) -> None:
    """Bots, closed accounts, guests and people of other workspaces are readers without roles, and not remembered.

    Only a bot of the workspace is distinguished, and shown to those who may say that it counts as no reader.
    """
    workspace.add_user(ODD, "alice@example.com", **fields)
    person = people.find_person(client, TEAM, ODD)
    assert (person, person.is_member) == (Person(kind=kind), False)
    assert not SlackIdentity.objects.exists()
    assert SlackBot.objects.filter(team_id=TEAM, slack_user_id=ODD).exists() == (kind is AccountKind.BOT)


def test_an_account_that_slack_does_not_know_is_an_outsider(client: WebClient) -> None:
    """users.info's refusal is not taken for an ordinary stranger."""
    assert people.find_person(client, TEAM, "U0GONE") == Person(kind=AccountKind.OUTSIDER)


def test_a_colleague_from_another_workspace_is_no_outsider(
    client: WebClient, workspace: SlackServer, cast: Cast
) -> None:
    """In an Enterprise organisation an account may belong to several workspaces."""
    workspace.add_user(ODD, "bob@example.com", team_id="T0HOME", enterprise_user={"teams": ["T0HOME", TEAM]})
    assert people.find_person(client, TEAM, ODD).user_id == cast.bob.pk


@pytest.mark.parametrize("email", [None, "", "nobody@elsewhere.example"])
def test_without_a_known_address_nobody_is_known(client: WebClient, workspace: SlackServer, email: str | None) -> None:
    """No address, or one that belongs to no user, is a person without a user."""
    workspace.add_user(ODD, email)
    assert people.find_person(client, TEAM, ODD) == Person(kind=AccountKind.MEMBER)


@pytest.mark.parametrize("confirmed", [False, None, "true", 1])
def test_an_unconfirmed_address_proves_nothing(client: WebClient, workspace: SlackServer, confirmed: Any) -> None:
    """Anybody can type another person's address into a profile; what Slack does not say is not confirmed."""
    workspace.add_user(ODD, "alice@example.com", is_email_confirmed=confirmed)
    assert people.find_person(client, TEAM, ODD) == Person(kind=AccountKind.MEMBER)
    del workspace.users[ODD]["is_email_confirmed"]
    assert people.find_person(client, TEAM, ODD) == Person(kind=AccountKind.MEMBER)


@pytest.mark.parametrize("email", ["ſtaff@example.com", "STAFF@eXAMPLE.cOM", "\u212astaff@example.com"])
def test_addresses_differ_by_their_letters(client: WebClient, workspace: SlackServer, email: str) -> None:
    """A letter that Unicode folds into another one is not that letter; A to Z in either case are the same."""
    staff, kstaff = (User.objects.create_user(f"{name}@example.com") for name in ("Staff", "kstaff"))
    workspace.add_user(ODD, email)
    known = staff.pk if email.isascii() else None
    assert people.find_person(client, TEAM, ODD).user_id == known
    other = User.objects.create_user(email) if known is None else staff
    assert User.objects.get_by_natural_key(email) == other
    assert kstaff.email == "kstaff@example.com"


def test_an_unconfirmed_address_of_old_proves_nothing(client: WebClient, workspace: SlackServer) -> None:
    """Whoever was known loses it when Slack says so."""
    people.find_person(client, TEAM, ALICE)
    SlackIdentity.objects.update(checked_at=timezone.now() - people.IDENTITY_LIFE - dt.timedelta(seconds=1))
    workspace.users[ALICE]["is_email_confirmed"] = False
    assert people.find_person(client, TEAM, ALICE) == Person(kind=AccountKind.MEMBER)
    assert not SlackIdentity.objects.exists()


def test_a_known_account_is_remembered_for_a_short_time(client: WebClient, workspace: SlackServer) -> None:
    """Within its life an identity is not asked for again; after it Slack is asked, and a guest is forgotten."""
    people.find_person(client, TEAM, ALICE)
    people.find_person(client, TEAM, ALICE)
    assert len(workspace.called("users.info")) == 1
    SlackIdentity.objects.update(checked_at=timezone.now() - people.IDENTITY_LIFE - dt.timedelta(seconds=1))
    workspace.users[ALICE]["is_restricted"] = True
    assert people.find_person(client, TEAM, ALICE) == Person(kind=AccountKind.OUTSIDER)
    assert not SlackIdentity.objects.exists()


def test_the_same_id_in_another_team_is_another_account(client: WebClient, cast: Cast) -> None:
    """A remembered account of one team says nothing about another team."""
    SlackIdentity.objects.create(team_id="T0OTHER", slack_user_id=STRANGER, user=cast.alice, checked_at=timezone.now())
    assert people.find_person(client, TEAM, STRANGER).user_id is None


def test_a_direct_message_is_read_by_the_asker_alone(client: WebClient, cast: Cast) -> None:
    """The audience of a direct message is the asker's roles; members are not asked for."""
    readers = audiences.find_readers(client, asked(channel=DIRECT))
    assert readers.asker.user_id == cast.alice.pk
    assert readers.audience == cast.audience(cast.alice)


def test_a_channel_is_read_by_all_its_members(client: WebClient, cast: Cast, workspace: SlackServer) -> None:
    """Every page of the member list counts, asked in the form that Slack requires; the bot itself does not."""
    readers = audiences.find_readers(client, asked())
    assert readers.asker.user_id == cast.alice.pk
    assert readers.audience == cast.audience(cast.alice, cast.bob)
    assert readers.audience != cast.audience(cast.alice)
    assert [call["form"] for call in workspace.called("conversations.members")] == [True, True]


def test_one_member_without_roles_is_enough(client: WebClient, workspace: SlackServer) -> None:
    """With Charlie in the channel nothing is visible."""
    workspace.members[CHANNEL].append(CHARLIE)
    assert audiences.find_readers(client, asked()).audience.reads_nothing


@pytest.mark.parametrize("fields", [{"is_bot": True}, {"is_restricted": True}, {"team_id": "T0OTHER"}], ids=str)
def test_one_outsider_is_enough(client: WebClient, workspace: SlackServer, fields: dict[str, Any]) -> None:
    """Another bot, a guest or somebody of another workspace in the channel reads along and may read nothing."""
    workspace.add_user(ODD, "alice@example.com", **fields)
    workspace.members[CHANNEL].append(ODD)
    assert audiences.find_readers(client, asked()).audience == Audience.nobody()


def test_an_asker_who_is_no_member_reads_along(client: WebClient, workspace: SlackServer) -> None:
    """Charlie's question in a channel that does not list him gets no more than Charlie may read."""
    assert audiences.find_readers(client, asked(CHARLIE)).audience.reads_nothing


def test_an_unknown_asker_reads_nothing(client: WebClient) -> None:
    """A person with an account and no user is an asker without an id and an audience of nobody."""
    readers = audiences.find_readers(client, asked(STRANGER, channel=DIRECT))
    assert readers.asker.user_id is None
    assert readers.audience == Audience.nobody()


def test_an_unknown_person_has_the_guest_role_if_there_is_one(client: WebClient, cast: Cast, settings: Any) -> None:
    """GUEST_ROLE names the role of unknown people, but not of outsiders; a role that does not exist gives nothing."""
    settings.GUEST_ROLE = "staff"
    assert audiences.find_readers(client, asked(STRANGER, channel=DIRECT)).audience == cast.audience(cast.bob)
    assert audiences.find_readers(client, asked("U0GONE", channel=DIRECT)).audience == Audience.nobody()
    settings.GUEST_ROLE = "no such role"
    assert audiences.find_readers(client, asked(STRANGER, channel=DIRECT)).audience == Audience.nobody()


def test_an_inactive_person_reads_nothing(client: WebClient, cast: Cast) -> None:
    """Roles of a deactivated user do not count, not even the guest's."""
    User.objects.filter(pk=cast.alice.pk).update(is_active=False)
    assert audiences.find_readers(client, asked(channel=DIRECT)).audience.reads_nothing


@pytest.mark.parametrize("members", [[], None])
def test_an_unknown_membership_is_nobody(client: WebClient, workspace: SlackServer, members: list[str] | None) -> None:
    """An empty list, and one that Slack refuses, mean that nobody knows who reads."""
    if members is None:
        del workspace.members[CHANNEL]
    else:
        workspace.members[CHANNEL] = members
    assert audiences.find_readers(client, asked()).audience == Audience.nobody()


def test_a_refused_second_page_is_nobody(client: WebClient, workspace: SlackServer) -> None:
    """Half of a member list is no member list."""
    workspace.members[CHANNEL] = [ALICE, BOT_USER, BOB]
    workspace.fail("conversations.members", None, Failure(error="missing_scope"))
    assert audiences.find_readers(client, asked()).audience == Audience.nobody()


@pytest.mark.parametrize("method", ["conversations.info", "conversations.members", "users.info"])
def test_while_slack_cannot_be_asked_nothing_is_decided(client: WebClient, workspace: SlackServer, method: str) -> None:
    """A rate limit is an error to try again after, with Slack's own delay."""
    workspace.fail(method, Failure(error="ratelimited", status=429, headers={"Retry-After": "7"}))
    with pytest.raises(SlackUnavailableError) as caught:
        audiences.find_readers(client, asked())
    assert (caught.value.retry, caught.value.code, caught.value.retry_after_s) == (True, "ratelimited", 7.0)


def test_a_channel_may_have_roles_of_its_own(client: WebClient, workspace: SlackServer, cast: Cast) -> None:
    """With uses_own_roles the channel's roles decide and its members do not; without roles nothing is visible."""
    workspace.members[CHANNEL].append(CHARLIE)
    setting = ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, uses_own_roles=True)
    assert audiences.find_readers(client, asked()).audience == Audience.nobody()
    setting.roles.add(cast.staff)
    assert audiences.find_readers(client, asked()).audience == Audience.of([{cast.staff.pk}])
    assert audiences.find_readers(client, asked(channel="C0OTHER")).audience == Audience.nobody()


def fill(workspace: SlackServer, cast: Cast) -> None:
    """Forty more members, half of whom have a role more than staff."""
    extra = Role.objects.create(name="extra")
    for number in range(40):
        user = User.objects.create_user(f"member{number}@example.com")
        UserRole.objects.create(user=user, role=cast.staff)
        if number % 2:
            UserRole.objects.create(user=user, role=extra)
        workspace.members[CHANNEL].append(workspace.add_user(f"U1{number:03d}", user.email))
    workspace.page_size = 25


def test_large_channels_collapse_into_their_smallest_role_sets(
    client: WebClient, workspace: SlackServer, cast: Cast
) -> None:
    """Forty members with two distinct role sets make an audience of the smaller one; they are not asked one by one."""
    fill(workspace, cast)
    assert audiences.find_readers(client, asked(BOB)).audience == Audience.of([{cast.staff.pk}])
    assert len(workspace.called("users.list")) == 2
    assert [call["user"] for call in workspace.called("users.info")] == [BOB]


def test_a_large_channel_is_remembered(
    client: WebClient, workspace: SlackServer, cast: Cast, django_assert_max_num_queries: Any
) -> None:
    """The second question asks Slack of the channel alone, and the database a fixed number of times."""
    fill(workspace, cast)
    audiences.find_readers(client, asked(BOB))
    workspace.calls.clear()
    with django_assert_max_num_queries(7):
        assert audiences.find_readers(client, asked(BOB)).audience == Audience.of([{cast.staff.pk}])
    assert {method for method, _ in workspace.calls} == {"conversations.info", "conversations.members"}


@pytest.mark.parametrize("listed", [True, False])
def test_a_stranger_in_a_large_channel_is_noticed(
    client: WebClient, workspace: SlackServer, cast: Cast, listed: bool
) -> None:
    """Somebody of another workspace, whom users.list may leave out, still makes the audience nobody."""
    fill(workspace, cast)
    workspace.add_user(ODD, "alice@example.com", team_id="T0OTHER")
    workspace.members[CHANNEL].append(ODD)
    if not listed:
        workspace.fail("users.list", Failure(error="missing_scope"))
    assert audiences.find_readers(client, asked(BOB)).audience == Audience.nobody()
