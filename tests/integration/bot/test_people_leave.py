"""Test that a person who leaves reads nothing from the next question and click on, whatever was cached before."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from slack_bolt import BoltResponse

from bot.delivery.engine import deliver
from bot.identity import audiences
from bot.intake import receive
from bot.listeners.message_events import build_incoming
from bot.models import SlackEvent
from bot.slack.workspace import find_client
from core import api
from core.errors import NotFoundError
from core.models import AuthToken, ChannelSetting, SlackBot, SlackIdentity, User
from core.testing import Cast, make_document
from core.types import Answer, Audience, Refusal
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, DIRECT, event_body, mention
from tests.integration.bot.sentences import ASK_CANTEEN, ASK_VAULT, CANTEEN, VAULT
from tests.integration.bot.slack_server import BOT_USER, TEAM, SlackServer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fast")]

Send = Callable[..., BoltResponse]
OTHER_TEAM = "T0OTHER"
HUBOT, FOREIGN_BOT = "U0HUBOT", "U0FOREIGNBOT"


@pytest.fixture
def vault(cast: Cast) -> None:
    """Create a document for Alice alone."""
    make_document("Vault", VAULT, roles=[cast.owners])


def asked(user: str = ALICE, *, channel: str = DIRECT, team: str = TEAM) -> SlackEvent:
    kind = SlackEvent.Kind.DIRECT if channel == DIRECT else SlackEvent.Kind.MENTION
    return SlackEvent(team_id=team, channel_id=channel, user_id=user, ts="1.1", thread_ts="1.1", kind=kind)


def ask() -> Answer | Refusal:
    readers = audiences.find_readers(find_client(TEAM), asked())
    return api.ask(ASK_VAULT, asker=readers.asker, audience=readers.audience)


def clicked(request_id: str, *, team: str = TEAM, user: str = ALICE) -> Answer | Refusal:
    """Return what a click shows the clicker, as every click checks it."""
    _, audience = audiences.find_account_audience(find_client(team), team, user)
    return api.stored_result(request_id, audience=audience)


def change_account(slack: SlackServer, send: Send, **change: Any) -> None:
    """Something changes in Slack, and Slack says so."""
    slack.users[ALICE] |= change
    body = event_body("user_change", text="") | {"event": {"type": "user_change", "user": slack.users[ALICE]}}
    assert send(body).status == 200


@pytest.mark.parametrize(
    "change",
    [{"deleted": True}, {"is_restricted": True}, {"profile": {"email": "someone@elsewhere.example"}}],
    ids=["closed", "a guest now", "another address"],
)
def test_an_account_that_changes_in_slack(
    change: dict[str, Any], vault: None, workspace: SlackServer, send: Send
) -> None:
    """Her identity is remembered and fresh; after the event neither the next question nor the next click shows it."""
    result = ask()
    assert isinstance(result, Answer)
    assert isinstance(clicked(result.request_id), Answer)
    assert SlackIdentity.objects.get().slack_user_id == ALICE
    change_account(workspace, send, **change)
    assert isinstance(ask(), Refusal)
    with pytest.raises(NotFoundError):
        clicked(result.request_id)


def test_an_account_that_is_deactivated_in_the_admin(vault: None, workspace: SlackServer, cast: Cast) -> None:
    """At once, though Slack still knows her and her identity is fresh: in Slack, over REST, over MCP, in the admin."""
    result = ask()
    assert isinstance(result, Answer)
    _, token = AuthToken.objects.create(cast.alice)
    rest, mcp = (Client(headers={"Authorization": f"{kind} {token}"}) for kind in ("Token", "Bearer"))
    cast.alice.is_staff = True
    cast.alice.save()
    browser = Client()
    browser.force_login(cast.alice)
    doors = {
        "REST": lambda: rest.get("/api/v1/documents", secure=True),
        "MCP": lambda: mcp.post("/mcp", {}, content_type="application/json", secure=True),
        "admin": lambda: browser.get("/admin/", secure=True),
    }
    before = {name: door().status_code for name, door in doors.items()}
    assert (before["REST"], before["admin"]) == (200, 200)
    assert before["MCP"] != 401
    User.objects.filter(pk=cast.alice.pk).update(is_active=False)
    assert {name: door().status_code for name, door in doors.items()} == {"REST": 401, "MCP": 401, "admin": 302}
    assert isinstance(ask(), Refusal)
    with pytest.raises(NotFoundError):
        clicked(result.request_id)


def test_a_click_from_another_workspace(vault: None, workspace: SlackServer) -> None:
    """In a shared channel the payload names the clicker's workspace, whose owner decides about addresses there."""
    result = ask()
    workspace.add_user("U0IMPOSTOR", "alice@example.com", team_id=OTHER_TEAM)
    with pytest.raises(NotFoundError):
        clicked(result.request_id, team=OTHER_TEAM, user="U0IMPOSTOR")
    assert audiences.find_readers(find_client(OTHER_TEAM), asked("U0IMPOSTOR", team=OTHER_TEAM)).audience == (
        Audience.nobody()
    )


@pytest.mark.parametrize("channel", [CHANNEL, "G0CONNECTED"], ids=["a shared channel", "a group message"])
@pytest.mark.parametrize(
    "outsider",
    [
        {"team_id": OTHER_TEAM},
        {"team_id": OTHER_TEAM, "is_stranger": True},
        {"team_id": OTHER_TEAM, "enterprise_user": {"id": "W1", "teams": [OTHER_TEAM, "T0THIRD"]}},
        {"is_restricted": True},
        {"is_restricted": True, "is_ultra_restricted": True},
    ],
    ids=["Slack Connect", "stranger", "another organisation", "guest", "single-channel guest"],
)
def test_one_person_from_outside_reads_along(
    outsider: dict[str, Any], channel: str, workspace: SlackServer, cast: Cast
) -> None:
    """Wherever they are members nothing may be shown, whatever address they have; without them it may."""
    workspace.add_user("U0OUTSIDE", "bob@example.com", **outsider)
    workspace.members[channel] = [ALICE, BOB, BOT_USER]
    client = find_client(TEAM)
    assert audiences.find_readers(client, asked(channel=channel)).audience == cast.audience(cast.alice, cast.bob)
    workspace.members[channel].append("U0OUTSIDE")
    assert audiences.find_readers(client, asked(channel=channel)).audience == Audience.nobody()


class TestBots:
    """Other bots in a channel."""

    @pytest.fixture
    def crowd(self, workspace: SlackServer) -> SlackServer:
        """Two bots of the workspace are in the channel."""
        for bot in (HUBOT, "U0SECONDBOT"):
            workspace.add_user(bot, None, is_bot=True, real_name=f"Bot {bot}")
            workspace.members[CHANNEL].append(bot)
        return workspace

    def audience(self) -> Audience:
        return audiences.find_readers(find_client(TEAM), asked(channel=CHANNEL)).audience

    def test_each_counts_as_a_reader_until_an_administrator_says_otherwise(
        self, crowd: SlackServer, cast: Cast
    ) -> None:
        """All are shown in the admin at once, we ourselves are not; each has to be cleared."""
        assert self.audience() == Audience.nobody()
        assert dict(SlackBot.objects.values_list("slack_user_id", "name")) == {
            HUBOT: "Bot U0HUBOT",
            "U0SECONDBOT": "Bot U0SECONDBOT",
        }
        SlackBot.objects.filter(slack_user_id=HUBOT).update(is_no_reader=True)
        assert self.audience() == Audience.nobody()
        SlackBot.objects.update(is_no_reader=True)
        assert self.audience() == cast.audience(cast.alice, cast.bob)

    def test_the_refusal_names_them(self, crowd: SlackServer, cast: Cast) -> None:
        """Whoever asks learns why nothing is shown there and what to do, and no word of a document."""
        make_document("Canteen rules", CANTEEN, roles=[cast.staff])

        def told() -> str:
            body = mention(ASK_CANTEEN)
            receive(build_incoming(body, team_id=TEAM, kind=SlackEvent.Kind.MENTION))
            deliver(SlackEvent.objects.latest("received_at").pk)
            return json.dumps(crowd.messages[CHANNEL][-1], ensure_ascii=False)

        said = told()
        assert f"<@{HUBOT}>, <@U0SECONDBOT>" in said
        assert "ask me in a direct message" in said
        assert "soup" not in said
        SlackBot.objects.filter(slack_user_id=HUBOT).update(is_no_reader=True)
        said = told()
        assert "<@U0SECONDBOT>" in said
        assert HUBOT not in said
        SlackBot.objects.update(is_no_reader=True)
        said = told()
        assert "soup" in said
        assert "direct message" not in said

    def test_a_known_bot_costs_no_call(self, crowd: SlackServer) -> None:
        """Nobody's account is asked for when a bot reads along anyway."""
        self.audience()
        crowd.calls.clear()
        assert self.audience() == Audience.nobody()
        assert {method for method, _ in crowd.calls} == {"conversations.info", "conversations.members"}

    def test_a_bot_of_another_workspace_always_reads(self, workspace: SlackServer) -> None:
        """It is not offered, and a setting for the same id in its own team does not help."""
        workspace.add_user(FOREIGN_BOT, None, is_bot=True, team_id=OTHER_TEAM)
        workspace.members[CHANNEL].append(FOREIGN_BOT)
        SlackBot.objects.create(team_id=OTHER_TEAM, slack_user_id=FOREIGN_BOT, is_no_reader=True)
        assert self.audience() == Audience.nobody()
        assert not SlackBot.objects.filter(team_id=TEAM).exists()


def test_a_channel_with_roles_of_its_own_asks_for_no_members(workspace: SlackServer, cast: Cast) -> None:
    """The administrator has answered for who is in it, whoever that is."""
    ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, uses_own_roles=True).roles.add(cast.staff)
    audiences.find_readers(find_client(TEAM), asked(channel=CHANNEL))
    assert workspace.called("conversations.members") == []
