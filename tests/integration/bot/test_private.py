"""Test private answers: what the asker alone may read, where it is shown, and what of it may be shared."""

from collections.abc import Callable
from typing import Any

import pytest
from slack_bolt import BoltResponse

from bot.blocks.asker_notes import ANSWER_PRIVATELY, OFFER
from bot.blocks.buttons import SHARE
from bot.delivery.engine import deliver
from bot.delivery.results import Ask
from bot.identity.interactions import NotAskedByYouError
from bot.intake import Incoming, receive
from bot.listeners.answer_buttons import NOT_FOR_ALL
from bot.listeners.message_events import build_incoming
from bot.models import Reply, SlackEvent
from core.access.grants import grant, revoke
from core.api import ask
from core.models import Answer, ChannelSetting, Document, Query, Role
from core.testing import Cast, make_document
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, CHARLIE, mention
from tests.integration.bot.ends import unsure
from tests.integration.bot.presses import press as pressed
from tests.integration.bot.sentences import ASK_CANTEEN, ASK_VAULT, CANTEEN, VAULT
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer

# Clicks are worked on in threads of their own, which see only what is committed.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace")]


@pytest.fixture(autouse=True)
def library(transactional_db: None, cast: Cast, fast: None) -> dict[str, Document]:
    """Alice alone may read about the vault; Bob too about the canteen."""
    return {
        "vault": make_document("Vault rules", VAULT, roles=[cast.owners]),
        "canteen": make_document("Canteen rules", CANTEEN, roles=[cast.staff]),
    }


def asked_in_channel(question: str, *, user: str = ALICE, thread: str = "1700000000.900000") -> SlackEvent:
    """A question in the channel, answered."""
    body = mention(question, user=user, thread_ts=thread)
    receive(build_incoming(body, team_id=TEAM, kind=SlackEvent.Kind.MENTION))
    event = SlackEvent.objects.get(event_id=body["event_id"])
    deliver(event.pk)
    return event


def request_of(event: SlackEvent) -> str:
    """The request id of an event's answer."""
    reply = Reply.objects.select_related("query").get(event=event)
    assert reply.query
    return reply.query.request_id


def asked_alone(
    slack: SlackServer,
    question: str,
    *,
    channel: str = CHANNEL,
    kind: SlackEvent.Kind = SlackEvent.Kind.COMMAND,
    asking: Ask = ask,
) -> str:
    """Return what is shown to Alice alone as the answer to a question that she asked beside a channel."""
    event_id = f"alone-{SlackEvent.objects.count()}"
    receive(Incoming(event_id=event_id, team_id=TEAM, channel_id=channel, user_id=ALICE, kind=kind, text=question))
    deliver(SlackEvent.objects.get(event_id=event_id).pk, ask=asking)
    return str(slack.messages["D" + ALICE[1:]][-1]["blocks"])


Press = Callable[..., BoltResponse]


@pytest.fixture
def press(slack: SlackServer) -> Press:
    """Presses a button in the channel's thread, and lets the worker do what comes of it."""

    def send_and_work(action_id: str, value: str, *, user: str = ALICE, thread: str = "1700000000.900000") -> Any:
        response = pressed(action_id, value, user=user, thread=thread, response_url=slack.response_url)
        for event in SlackEvent.objects.filter(state=SlackEvent.State.RECEIVED):
            deliver(event.pk)
        return response

    return send_and_work


class TestOffers:
    """The offer of a private answer."""

    def test_who_may_read_more_is_offered_it(self, workspace: SlackServer) -> None:
        """Alice alone sees it, in the thread; the channel reads a refusal that says nothing of the vault."""
        event = asked_in_channel(ASK_VAULT)
        (offer,) = workspace.ephemeral
        assert (offer["channel"], offer["user"], offer["thread_ts"]) == (CHANNEL, ALICE, event.thread_ts)
        assert offer["text"] == OFFER
        assert request_of(event) in str(offer["blocks"])
        assert "K7741" not in str(offer) + str(workspace.messages)
        assert "Vault" not in str(offer) + str(workspace.messages)

    def test_who_may_read_no_more_is_not(self, workspace: SlackServer) -> None:
        """Bob hears the same refusal and nothing else."""
        asked_in_channel(ASK_VAULT, user=BOB)
        assert workspace.ephemeral == []

    def test_more_has_to_be_relevant(self, workspace: SlackServer) -> None:
        """Alice's other documents have nothing to do with soup."""
        asked_in_channel(ASK_CANTEEN)
        assert workspace.ephemeral == []

    def test_nothing_is_offered_about_what_is_revoked(
        self, workspace: SlackServer, cast: Cast, library: dict[str, Document]
    ) -> None:
        """The right to the vault is gone."""
        revoke(cast.owners, [library["vault"]], by=None)
        asked_in_channel(ASK_VAULT)
        assert workspace.ephemeral == []

    def test_the_channel_reads_the_same_whether_there_is_more_or_not(self, workspace: SlackServer) -> None:
        """The refusals to Alice, who may read more, and to Bob, who may not, do not differ."""
        asked_in_channel(ASK_VAULT)
        asked_in_channel(ASK_VAULT, user=BOB)
        first, second = ({**m, "ts": "", "blocks": m["blocks"][0]["text"]} for m in workspace.messages[CHANNEL])
        assert first == second

    def test_it_is_offered_once(self, workspace: SlackServer) -> None:
        """A second run of the job changes nothing."""
        event = asked_in_channel(ASK_VAULT)
        deliver(event.pk)
        assert len(workspace.ephemeral) == 1

    def test_an_offer_that_slack_refuses_is_left_out(self, workspace: SlackServer) -> None:
        """The reply is final all the same."""
        workspace.fail("chat.postEphemeral", Failure(error="user_not_in_channel"))
        event = asked_in_channel(ASK_VAULT)
        assert Reply.objects.get(event=event).state == Reply.State.POSTED


class TestPrivateAnswers:
    """Tests of pressing the button of an offer."""

    def test_the_asker_is_answered_where_the_offer_stood(self, workspace: SlackServer, press: Press) -> None:
        """From all that they may read, and the channel reads nothing of it."""
        value = request_of(asked_in_channel(ASK_VAULT))
        before = str(workspace.messages)
        press(ANSWER_PRIVATELY, value)
        last = workspace.responses[-1]
        assert "K7741" in str(last)
        assert (last["response_type"], last["replace_original"]) == ("ephemeral", True)
        assert str(workspace.messages) == before

    def test_it_is_kept_as_it_was_typed(
        self, workspace: SlackServer, press: Press, library: dict[str, Document]
    ) -> None:
        """Its standalone words may come from documents; and it names whose words these are, at a retry too."""
        value = request_of(asked_in_channel("And on which days?"))
        alone = "With which code does the vault in the harbour office open on weekdays?"
        asked = Query.objects.get(request_id=value)
        asked.standalone_question = alone
        asked.name_editions([library["canteen"].edition])
        asked.save()
        press(ANSWER_PRIVATELY, value)
        event = SlackEvent.objects.get(kind=SlackEvent.Kind.PRIVATE)
        Answer.objects.filter(query=event.reply.query).delete()
        SlackEvent.objects.filter(pk=event.pk).update(state=SlackEvent.State.RECEIVED)
        deliver(event.pk)
        first, second = Query.objects.exclude(pk=asked.pk)
        for again in (first, second):
            assert (again.question_text, again.standalone_question) == ("And on which days?", alone)
            assert again.named_editions == asked.named_editions

    def test_a_second_press_answers_no_second_time(self, workspace: SlackServer, press: Press) -> None:
        """One private answer for one question."""
        value = request_of(asked_in_channel(ASK_VAULT))
        press(ANSWER_PRIVATELY, value)
        receive(
            Incoming(
                event_id=f"private-{value}",
                team_id=TEAM,
                channel_id=CHANNEL,
                user_id=ALICE,
                kind=SlackEvent.Kind.PRIVATE,
            )
        )
        assert SlackEvent.objects.filter(kind="private").count() == 1

    @pytest.mark.parametrize("user", [BOB, CHARLIE, "U0GONE"])
    def test_the_button_is_the_askers_alone(self, workspace: SlackServer, press: Press, user: str) -> None:
        """Another person who has the button learns nothing of the question."""
        press(ANSWER_PRIVATELY, request_of(asked_in_channel(ASK_VAULT)), user=user)
        (told,) = workspace.responses
        assert told["text"] == NotAskedByYouError().message
        assert not SlackEvent.objects.filter(kind="private").exists()

    def test_the_direct_messages_take_its_place(self, workspace: SlackServer, press: Press) -> None:
        """They are used when Slack takes no more answers there, and the channel never is."""
        value = request_of(asked_in_channel(ASK_VAULT))
        before = str(workspace.messages[CHANNEL])
        workspace.fail("respond", *[Failure(error="used_url", status=404)] * 2)
        press(ANSWER_PRIVATELY, value)
        (message,) = workspace.messages["D" + ALICE[1:]]
        assert "K7741" in str(message)
        assert str(workspace.messages[CHANNEL]) == before

    def test_an_address_that_is_not_slacks_is_not_written_to(self, workspace: SlackServer, press: Press) -> None:
        """Whatever it claims to be, the answer goes to the direct messages."""
        value = request_of(asked_in_channel(ASK_VAULT))
        receive(
            Incoming(
                event_id="forged",
                team_id=TEAM,
                channel_id=CHANNEL,
                user_id=ALICE,
                kind=SlackEvent.Kind.PRIVATE,
                response_url=workspace.response_url.replace("127.0.0.1", "localhost"),
                about=Reply.objects.get(query__request_id=value).query_id,
            )
        )
        deliver(SlackEvent.objects.get(event_id="forged").pk)
        assert workspace.responses == []
        assert "K7741" in str(workspace.messages["D" + ALICE[1:]])

    def test_a_right_that_is_gone_meanwhile(
        self, workspace: SlackServer, press: Press, cast: Cast, library: dict[str, Document]
    ) -> None:
        """Between the offer and the press."""
        value = request_of(asked_in_channel(ASK_VAULT))
        revoke(cast.owners, [library["vault"]], by=None)
        press(ANSWER_PRIVATELY, value)
        assert "K7741" not in str(workspace.responses)
        assert "Vault" not in str(workspace.responses)


class TestSharing:
    """Showing a private answer to the channel."""

    @pytest.fixture
    def private(self, press: Press) -> str:
        """The request id of Alice's private answer about the vault."""
        press(ANSWER_PRIVATELY, request_of(asked_in_channel(ASK_VAULT)))
        return request_of(SlackEvent.objects.get(kind="private"))

    def test_what_not_all_may_read_is_not_shared(self, workspace: SlackServer, press: Press, private: str) -> None:
        """The channel reads nothing; the presser learns why."""
        before = str(workspace.messages[CHANNEL])
        press(SHARE, private)
        assert workspace.responses[-1]["text"] == NOT_FOR_ALL
        assert workspace.responses[-1]["replace_original"] is False
        assert str(workspace.messages[CHANNEL]) == before
        assert not SlackEvent.objects.filter(kind="share").exists()

    def test_what_all_may_read_is_shared_once(
        self, workspace: SlackServer, press: Press, private: str, cast: Cast, library: dict[str, Document]
    ) -> None:
        """In the thread, with the name of who shares it."""
        grant(cast.staff, [library["vault"]], by=None)
        press(SHARE, private)
        shared = workspace.messages[CHANNEL][-1]
        assert "K7741" in str(shared)
        assert f"<@{ALICE}>" in str(shared["blocks"][-1])
        assert shared["thread_ts"] == "1700000000.900000"
        count = len(workspace.messages[CHANNEL])
        receive(
            Incoming(
                event_id=f"share-{private}",
                team_id=TEAM,
                channel_id=CHANNEL,
                user_id=ALICE,
                kind=SlackEvent.Kind.SHARE,
            )
        )
        assert len(workspace.messages[CHANNEL]) == count
        assert SlackEvent.objects.filter(kind="share").count() == 1

    def test_who_joins_between_press_and_post_counts(
        self, workspace: SlackServer, private: str, cast: Cast, library: dict[str, Document]
    ) -> None:
        """The worker asks for the readers again, and posts nothing that they may not all read."""
        grant(cast.staff, [library["vault"]], by=None)
        query = Reply.objects.get(query__request_id=private).query
        before = str(workspace.messages[CHANNEL])
        receive(
            Incoming(
                event_id="late",
                team_id=TEAM,
                channel_id=CHANNEL,
                user_id=ALICE,
                kind=SlackEvent.Kind.SHARE,
                about=query.pk if query else None,
            )
        )
        workspace.members[CHANNEL].append(CHARLIE)
        event = SlackEvent.objects.get(event_id="late")
        deliver(event.pk)
        assert str(workspace.messages[CHANNEL]) == before
        assert Reply.objects.get(event=event).error_code == "not_for_all"

    @pytest.mark.parametrize("kind", [SlackEvent.Kind.PRIVATE, SlackEvent.Kind.COMMAND])
    def test_it_is_offered_where_it_works(self, workspace: SlackServer, kind: SlackEvent.Kind) -> None:
        """Below what everyone in the channel may read, and not below what one of them may not."""
        assert SHARE in asked_alone(workspace, ASK_CANTEEN, kind=kind)
        assert SHARE not in asked_alone(workspace, ASK_VAULT, kind=kind)

    def test_it_is_not_offered_below_what_is_no_answer(
        self, workspace: SlackServer, library: dict[str, Document]
    ) -> None:
        """Though the channel may read the closest passages too."""
        said = asked_alone(workspace, ASK_CANTEEN, asking=unsure([library["canteen"]]))
        assert "soup" in said
        assert SHARE not in said

    def test_who_is_in_the_channel_then_counts(self, workspace: SlackServer) -> None:
        """Charlie has joined, and may not read it."""
        workspace.members[CHANNEL].append(CHARLIE)
        assert SHARE not in asked_alone(workspace, ASK_CANTEEN)

    def test_it_is_not_offered_where_we_cannot_post(self, workspace: SlackServer) -> None:
        """In a channel that we are not in, whether Slack lists its members or not, and in direct messages."""
        workspace.members["C0OPEN"] = [ALICE, BOB]
        for channel in ("C0OPEN", "C0UNKNOWN", "D0BOB"):
            assert SHARE not in asked_alone(workspace, ASK_CANTEEN, channel=channel)

    def test_it_is_not_offered_where_we_are_switched_off(self, workspace: SlackServer) -> None:
        """An administrator has said so; where we are not, the channel's own roles count."""
        setting = ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, enabled=False)
        assert SHARE not in asked_alone(workspace, ASK_CANTEEN)
        ChannelSetting.objects.filter(pk=setting.pk).update(enabled=True, uses_own_roles=True)
        assert SHARE not in asked_alone(workspace, ASK_CANTEEN)
        setting.roles.add(Role.objects.get(name="staff"))
        assert SHARE in asked_alone(workspace, ASK_CANTEEN)

    @pytest.mark.parametrize("method", ["conversations.members", "conversations.info"])
    @pytest.mark.parametrize("status", [200, 429])
    def test_it_is_not_offered_where_slack_cannot_be_asked(
        self, workspace: SlackServer, method: str, status: int
    ) -> None:
        """The answer comes all the same."""
        workspace.fail(method, *[Failure(error="some_error", status=status)] * 2)
        said = asked_alone(workspace, ASK_CANTEEN)
        assert "soup" in said
        assert SHARE not in said

    @pytest.mark.parametrize("user", [BOB, CHARLIE])
    def test_only_the_asker_shares(
        self, workspace: SlackServer, press: Press, private: str, cast: Cast, library: dict[str, Document], user: str
    ) -> None:
        """Even where all may read it."""
        grant(cast.staff, [library["vault"]], by=None)
        before = str(workspace.messages[CHANNEL])
        press(SHARE, private, user=user)
        assert workspace.responses[-1]["text"] == NotAskedByYouError().message
        assert str(workspace.messages[CHANNEL]) == before
