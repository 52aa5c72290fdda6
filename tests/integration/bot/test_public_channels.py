"""A channel is read by whoever can open it: its members are not all of its readers."""

import datetime as dt
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from slack_bolt import BoltResponse

from bot.blocks.asker_notes import OFFER
from bot.blocks.refusal import UNDECIDED
from bot.delivery.engine import deliver
from bot.identity import audiences, channel_kinds
from bot.identity.membership import accept_recent
from bot.intake import Incoming, receive
from bot.listeners.message_events import build_incoming
from bot.models import ChannelKind, Reply, SlackEvent
from bot.slack.workspace import find_client
from core import api
from core.access.audiences import asker_for
from core.models import ChannelSetting, Role, SlackWorkspace, UserRole
from core.testing import Cast, make_document
from core.types import Answer, Audience, Refusal
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, CHARLIE, event_body, mention
from tests.integration.bot.sentences import ASK_CANTEEN, ASK_VAULT, CANTEEN, VAULT
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer

PUBLIC = {"is_private": False}
OTHER_TEAM = "T0OTHER"


def decide(*roles: Role, team: str = TEAM) -> None:
    """An administrator says what everyone in a workspace holds."""
    workspace, _ = SlackWorkspace.objects.update_or_create(team_id=team, defaults={"decided_at": timezone.now()})
    workspace.roles.set(roles)


def audience(*, user: str = ALICE, team: str = TEAM) -> Audience:
    """Return the readers of a reply in the channel."""
    event = SlackEvent(team_id=team, channel_id=CHANNEL, user_id=user, kind=SlackEvent.Kind.MENTION)
    return audiences.find_readers(find_client(team), event).audience


class TestReaders:
    """Tests of who counts as a reader of a channel."""

    def test_a_public_channel_is_read_by_the_whole_workspace(self, workspace: SlackServer, cast: Cast) -> None:
        """Though all of its members are staff: nothing is shown before an administrator has said what everyone holds.

        Nobody has to be asked who is in it, and the workspace is put before the administrators.
        """
        workspace.channels[CHANNEL] = PUBLIC
        assert audience() == Audience.nobody()
        assert workspace.called("conversations.members") == []
        met = SlackWorkspace.objects.get()
        assert (met.team_id, met.name, met.decided_at) == (TEAM, f"Workspace {TEAM}", None)

    def test_everyone_holds_what_an_administrator_has_set(self, workspace: SlackServer, cast: Cast) -> None:
        """They are a reader more: what its members hold still counts."""
        workspace.channels[CHANNEL] = PUBLIC
        decide(cast.staff)
        assert audience() == Audience.of([{cast.staff.pk}])
        guests = Role.objects.create(name="guests")
        decide(guests)
        assert audience() == Audience.of([{cast.staff.pk}, {guests.pk}])
        workspace.members[CHANNEL].append(CHARLIE)
        UserRole.objects.create(user=cast.charlie, role=guests)
        decide(cast.staff)
        assert audience() == Audience.of([{cast.staff.pk}, {guests.pk}])

    def test_nothing_may_be_decided_as_well(self, workspace: SlackServer) -> None:
        """Then nothing is shown, and the decision stays."""
        workspace.channels[CHANNEL] = PUBLIC
        decide()
        assert audience() == Audience.nobody()
        assert not SlackWorkspace.objects.undecided().exists()

    def test_roles_without_a_decision_count_for_nothing(self, workspace: SlackServer, cast: Cast) -> None:
        """Such as those of a row that was made by no administrator."""
        workspace.channels[CHANNEL] = PUBLIC
        SlackWorkspace.objects.create(team_id=TEAM).roles.add(cast.staff)
        assert audience() == Audience.nobody()

    @pytest.mark.parametrize(
        ("said", "seen_by"),
        [
            ({}, "members"),
            ({"is_private": True, "is_group": True}, "members"),
            ({"is_mpim": True}, "members"),
            ({"is_im": True}, "members"),
            ({"is_private": True, "is_org_shared": True}, "members"),
            (PUBLIC, "workspace"),
            (PUBLIC | {"is_general": True}, "workspace"),
            (PUBLIC | {"is_ext_shared": True}, "nobody"),
            (PUBLIC | {"is_pending_ext_shared": True}, "nobody"),
            (PUBLIC | {"is_org_shared": True}, "nobody"),
            (PUBLIC | {"is_ext_shared": None}, "nobody"),
            ({"is_ext_shared": True}, "nobody"),
            ({"is_pending_ext_shared": True}, "nobody"),
            ({"is_private": None}, "nobody"),
            ({"is_private": "true"}, "nobody"),
        ],
        ids=str,
    )
    def test_the_kind_of_the_channel_decides(
        self, workspace: SlackServer, cast: Cast, said: dict[str, Any], seen_by: str
    ) -> None:
        """A channel is public unless surely private, a direct or a group message; a shared one has no audience."""
        everyone = Role.objects.create(name="everyone")
        decide(everyone)
        workspace.channels[CHANNEL] = said
        assert (
            audience()
            == {
                "members": Audience.of([{cast.staff.pk}]),
                "workspace": Audience.of([{cast.staff.pk}, {everyone.pk}]),
                "nobody": Audience.nobody(),
            }[seen_by]
        )

    @pytest.mark.parametrize("code", ["missing_scope", "channel_not_found", "method_not_supported_for_channel_type"])
    def test_a_kind_that_slack_does_not_tell_is_nobodys(self, workspace: SlackServer, cast: Cast, code: str) -> None:
        """Also where everyone in the workspace holds the role of all members."""
        decide(cast.staff)
        workspace.fail("conversations.info", Failure(error=code))
        assert audience() == Audience.nobody()

    def test_one_workspace_decides_nothing_for_another(self, workspace: SlackServer, cast: Cast) -> None:
        """Nor does the team that an event names: the token's own counts."""
        workspace.channels[CHANNEL] = PUBLIC
        decide(cast.staff, team=OTHER_TEAM)
        assert audience() == Audience.nobody()
        assert audience(team=OTHER_TEAM) == Audience.nobody()
        decide(cast.staff)
        assert audience() == Audience.of([{cast.staff.pk}])

    def test_roles_of_its_own_are_the_administrators_override(self, workspace: SlackServer, cast: Cast) -> None:
        """Of a public channel, too; what it is is not asked."""
        workspace.channels[CHANNEL] = PUBLIC
        ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, uses_own_roles=True).roles.add(cast.owners)
        assert audience() == Audience.of([{cast.owners.pk}])
        assert workspace.called("conversations.info") == []


@pytest.mark.usefixtures("fast", "workspace")
class TestReplies:
    """Tests of replies in a public channel."""

    @pytest.fixture(autouse=True)
    def library(self, cast: Cast, fast: None) -> None:
        """Alice alone may read about the vault; Bob too about the canteen."""
        make_document("Vault rules", VAULT, roles=[cast.owners])
        make_document("Canteen rules", CANTEEN, roles=[cast.staff])

    def reply_to(self, workspace: SlackServer, question: str, **options: Any) -> str:
        """Return the last reply in the channel."""
        body = mention(question)
        receive(build_incoming(body, team_id=TEAM, kind=SlackEvent.Kind.MENTION))
        deliver(SlackEvent.objects.get(event_id=body["event_id"]).pk, **options)
        return json.dumps(workspace.messages[CHANNEL][-1], ensure_ascii=False)

    def test_until_it_is_decided_the_reply_says_where(self, workspace: SlackServer) -> None:
        """It names no address and no document; the asker is offered a private answer as ever."""
        workspace.channels[CHANNEL] = PUBLIC
        said = self.reply_to(workspace, ASK_CANTEEN)
        assert UNDECIDED in said
        assert "http" not in said
        assert "soup" not in said
        assert "Canteen" not in said
        (offer,) = workspace.ephemeral
        assert (offer["user"], offer["text"]) == (ALICE, OFFER)

    def test_when_it_is_decided_it_does_not(self, workspace: SlackServer, cast: Cast) -> None:
        """A question that everyone may read the answer to is answered, and others get a reply like any other."""
        workspace.channels[CHANNEL] = PUBLIC
        decide(cast.staff)
        assert "soup" in self.reply_to(workspace, ASK_CANTEEN)
        decide()
        said = self.reply_to(workspace, ASK_CANTEEN)
        assert UNDECIDED not in said
        assert "soup" not in said

    def test_a_private_channel_does_not_wait_for_it(self, workspace: SlackServer) -> None:
        """Its members are its readers."""
        assert "soup" in self.reply_to(workspace, ASK_CANTEEN)
        assert UNDECIDED not in self.reply_to(workspace, ASK_VAULT)
        assert not SlackWorkspace.objects.exists()

    @pytest.mark.parametrize("change", [PUBLIC, {"is_ext_shared": True}], ids=str)
    def test_what_becomes_of_the_channel_meanwhile_counts(self, workspace: SlackServer, change: dict[str, Any]) -> None:
        """It is made public, or shared, while the answer is looked for: nothing of it is posted."""

        def ask(question: str, **options: Any) -> Answer | Refusal:
            result = api.ask(question, **options)
            workspace.channels[CHANNEL] = change
            return result

        assert "soup" not in self.reply_to(workspace, ASK_CANTEEN, ask=ask)

    def test_what_is_taken_from_everyone_meanwhile_counts(self, workspace: SlackServer, cast: Cast) -> None:
        """An administrator decides anew between question and reply."""
        workspace.channels[CHANNEL] = PUBLIC
        decide(cast.staff)

        def ask(question: str, **options: Any) -> Answer | Refusal:
            result = api.ask(question, **options)
            decide()
            return result

        assert "soup" not in self.reply_to(workspace, ASK_CANTEEN, ask=ask)

    def test_a_private_answer_is_not_shared_with_a_public_channel(self, workspace: SlackServer, cast: Cast) -> None:
        """Unless everyone in the workspace may read all of it."""
        workspace.channels[CHANNEL] = PUBLIC
        found = api.ask(ASK_CANTEEN, asker=asker_for(cast.alice), audience=cast.audience(cast.alice))

        def share(name: str) -> Reply:
            receive(
                Incoming(
                    event_id=name,
                    team_id=TEAM,
                    channel_id=CHANNEL,
                    user_id=ALICE,
                    kind=SlackEvent.Kind.SHARE,
                    about=found.query_id,
                )
            )
            event = SlackEvent.objects.get(event_id=name)
            deliver(event.pk)
            return Reply.objects.get(event=event)

        assert share("first").error_code == "not_for_all"
        assert workspace.messages[CHANNEL] == []
        decide(cast.staff)
        assert share("second").error_code == ""
        assert "soup" in str(workspace.messages[CHANNEL])


class TestMemory:
    """Tests of how long Slack's description of a channel is kept."""

    def kind(self) -> ChannelKind.ReadBy:
        return channel_kinds.find_read_by(find_client(TEAM), TEAM, CHANNEL)

    def test_to_begin_with_a_recent_one_will_do(self, workspace: SlackServer) -> None:
        """For a short time; to post Slack is asked, and what it says then is believed from then on."""
        with accept_recent():
            assert self.kind() == self.kind() == ChannelKind.ReadBy.MEMBERS
            assert len(workspace.called("conversations.info")) == 1
            ChannelKind.objects.update(checked_at=timezone.now() - channel_kinds.LIFE - dt.timedelta(seconds=1))
            self.kind()
        assert len(workspace.called("conversations.info")) == 2
        workspace.channels[CHANNEL] = PUBLIC
        assert self.kind() == ChannelKind.ReadBy.WORKSPACE
        with accept_recent():
            assert self.kind() == ChannelKind.ReadBy.WORKSPACE
        assert len(workspace.called("conversations.info")) == 3

    @pytest.mark.parametrize(
        "body",
        [
            event_body("channel_shared", text="", connected_team_id=OTHER_TEAM),
            event_body("channel_unshared", text="", previously_connected_team_id=OTHER_TEAM, is_ext_shared=False),
            event_body("message", text="", subtype="channel_convert_to_private", channel_type="group"),
            event_body("message", text="", subtype="channel_convert_to_public", channel_type="channel"),
        ],
        ids=["shared", "not shared any more", "made private", "made public"],
    )
    def test_it_is_forgotten_when_slack_tells_of_a_change(
        self, workspace: SlackServer, send: Callable[..., BoltResponse], body: dict[str, Any]
    ) -> None:
        """By every process: it is in the database. What is of another channel changes nothing; none is answered."""
        self.kind()
        other = {**body, "event_id": f"{body['event_id']}X", "event": {**body["event"], "channel": "C0ELSEWHERE"}}
        assert send(other).status == 200
        assert ChannelKind.objects.filter(channel_id=CHANNEL).exists()
        assert send(body).status == 200
        assert not ChannelKind.objects.filter(channel_id=CHANNEL).exists()
        assert not SlackEvent.objects.exists()

    def test_what_slack_would_not_say_is_not_remembered(self, workspace: SlackServer) -> None:
        """Nor is what it said before."""
        workspace.fail("conversations.info", None, Failure(error="missing_scope"))
        assert [self.kind(), self.kind()] == [ChannelKind.ReadBy.MEMBERS, ChannelKind.ReadBy.OTHERS]
        workspace.channels[CHANNEL] = PUBLIC
        with accept_recent():
            assert self.kind() == ChannelKind.ReadBy.WORKSPACE


def test_bob_reads_no_more_than_everyone_there(workspace: SlackServer, cast: Cast) -> None:
    """The asker has no effect on who can read along."""
    workspace.channels[CHANNEL] = PUBLIC
    decide(cast.staff)
    assert audience(user=BOB) == audience(user=ALICE) == Audience.of([{cast.staff.pk}])
