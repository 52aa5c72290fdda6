"""A direct question about "this channel" is answered from the collections of the channel that is open beside it."""

import datetime as dt
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from slack_bolt import BoltResponse

from bot.channels.beside import LIFE, forget_old, means_open_channel, read_channel
from bot.delivery.engine import deliver
from bot.models import AppContext, SlackEvent
from core.api import erase_texts
from core.models import ChannelSetting, Document, SlackIdentity
from core.testing import Cast, make_document
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, CHARLIE, DIRECT, direct, event_body, mention
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN, VAULT
from tests.integration.bot.slack_server import TEAM, SlackServer

pytestmark = pytest.mark.usefixtures("fast", "prompt_app")

Send = Callable[[dict[str, Any]], BoltResponse]
HERE = "In this channel, what does the canteen in the harbour office serve at noon?"
ABOUT = f"About <#{CHANNEL}>"
LAUNDRY = "The canteen in the harbour office serves cake at noon."


@pytest.fixture(autouse=True)
def shelves(cast: Cast, fast: None) -> dict[str, Document]:
    """Two collections that Alice and Bob read, and one that is Alice's; the channel keeps to the first."""
    found = {
        "soup": make_document("Canteen rules", CANTEEN, roles=[cast.staff], collection="Kitchen"),
        "cake": make_document("Cake rules", LAUNDRY, roles=[cast.staff], collection="Bakery"),
        "vault": make_document("Vault rules", VAULT, roles=[cast.owners], collection="Strongroom"),
    }
    keep_to(found["soup"])
    return found


def keep_to(*documents: Document) -> None:
    """Let the channel keep to the collections of these documents."""
    setting, _ = ChannelSetting.objects.get_or_create(team_id=TEAM, channel_id=CHANNEL)
    setting.collections.set([document.collection for document in documents])


def looking_at(channel: str = CHANNEL, *, team: str | None = TEAM) -> dict[str, Any]:
    """Build a context as Slack sends it."""
    entity = {"type": "slack#/types/channel_id", "value": channel} | ({"team_id": team} if team else {})
    return {"entities": [entity]}


def changed(context: dict[str, Any], *, user: str = ALICE, at: float | None = None, **fields: Any) -> dict[str, Any]:
    """Somebody opened something beside the messages."""
    body = event_body("app_context_changed", text="")
    event = {"type": "app_context_changed", "channel": DIRECT, "user": user, "context": context}
    return {**body, "event": event | {"event_ts": f"{at or time.time():.6f}"} | fields}


@pytest.fixture
def answered(workspace: SlackServer, send: Send) -> Callable[..., str]:
    """Ask something in the direct messages; return what is shown."""

    def ask(text: str, *, user: str = ALICE, **fields: Any) -> str:
        workspace.messages.clear()
        body = direct(text, user=user, **fields)
        assert send(body).status == 200
        deliver(SlackEvent.objects.get(event_id=body["event_id"]).pk)
        return str(workspace.messages[DIRECT][-1])

    return ask


def test_the_open_channel_is_meant(answered: Callable[..., str], send: Send) -> None:
    """Its collections alone are searched, and a line says so; the event keeps no trace of it."""
    send(changed(looking_at()))
    said = answered(HERE)
    assert ABOUT in said
    assert "Canteen rules" in said
    assert "Cake rules" not in said
    assert not SlackEvent.objects.exclude(context_channel_id="").exists()


def test_a_question_that_names_no_channel_is_asked_of_everything(answered: Callable[..., str], send: Send) -> None:
    """Whatever is open beside it."""
    send(changed(looking_at()))
    said = answered(ASK_CANTEEN)
    assert "About" not in said
    assert "Looked only in" not in said


@pytest.mark.parametrize("told_in", ["the message", "the opened messages", "an event without a user"])
def test_slack_tells_of_it_in_several_events(
    answered: Callable[..., str], send: Send, workspace: SlackServer, told_in: str
) -> None:
    """The message itself has the last word."""
    match told_in:
        case "the message":
            send(changed(looking_at("C0ELSEWHERE")))
            assert ABOUT in answered(HERE, app_context=looking_at())
            assert "About" not in answered(HERE, app_context={})
        case "the opened messages":
            at = f"{time.time():.6f}"
            send(
                event_body(
                    "app_home_opened", text="", channel=DIRECT, tab="messages", event_ts=at, context=looking_at()
                )
            )
            assert ABOUT in answered(HERE)
        case _:
            body = changed(looking_at(), user=ALICE)
            del body["event"]["user"]
            people = [{"team_id": TEAM, "user_id": ALICE, "is_bot": False, "is_enterprise_install": False}]
            send({**body, "authorizations": people})
            assert ABOUT in answered(HERE)


@pytest.mark.parametrize("case", ["no member", "members unknown", "another team", "nothing open", "somebody else's"])
def test_another_channel_is_as_none(
    answered: Callable[..., str], send: Send, workspace: SlackServer, case: str
) -> None:
    """The answer is the one without a context."""
    context = looking_at()
    match case:
        case "no member":
            workspace.members[CHANNEL].remove(ALICE)
        case "members unknown":
            del workspace.members[CHANNEL]
        case "another team":
            context = looking_at(team="T0OTHER")
        case "nothing open":
            context = {}
    send(changed(context, user=BOB if case == "somebody else's" else ALICE))
    said = answered(HERE)
    assert "About" not in said
    assert "Looked only in" not in said


def test_the_askers_rights_are_still_the_limit(
    answered: Callable[..., str], send: Send, shelves: dict[str, Document]
) -> None:
    """Bob reads nothing of a collection that the channel keeps to and he may not read."""
    keep_to(shelves["vault"])
    for user in (ALICE, BOB):
        send(changed(looking_at(), user=user))
    ask = "With which code does the vault in this channel and in the harbour office open?"
    assert "K7741" in answered(ask)
    said = answered(ask, user=BOB)
    assert ABOUT in said
    assert not {"K7741", "Vault rules", "soup"} & {word for word in ("K7741", "Vault rules", "soup") if word in said}


def test_in_a_channel_nothing_is_meant_but_itself(send: Send, workspace: SlackServer) -> None:
    """A mention has no context, whatever its author has open."""
    send(changed(looking_at("C0ELSEWHERE")))
    send(mention(HERE))
    assert SlackEvent.objects.get().context_channel_id == ""


def test_doubled_late_and_disordered_events(send: Send, workspace: SlackServer) -> None:
    """The last thing that was opened counts, in whichever order Slack reports it, and nothing that is long past."""
    now = time.time()
    for context, at in (
        (looking_at("C0SECOND"), now - 10),
        (looking_at("C0SECOND"), now - 10),
        (looking_at("C0FIRST"), now - 20),
    ):
        assert send(changed(context, at=at)).status == 200
    row = AppContext.objects.get()
    assert row.channel_id == "C0SECOND"
    send(changed(looking_at(), user=BOB, at=now - LIFE.total_seconds() - 1))
    assert AppContext.objects.count() == 1
    send(changed(looking_at(), user=CHARLIE, at=now + 10_000))
    assert AppContext.objects.get(slack_user_id=CHARLIE).seen_at <= timezone.now()


def test_it_counts_for_minutes(answered: Callable[..., str], send: Send) -> None:
    """And is deleted then."""
    send(changed(looking_at()))
    AppContext.objects.update(seen_at=timezone.now() - LIFE - dt.timedelta(seconds=1))
    assert "About" not in answered(HERE)
    forget_old()
    assert not AppContext.objects.exists()


@pytest.mark.parametrize("way", ["their texts are erased", "the person is deleted", "the account is closed"])
def test_it_goes_with_the_person(
    answered: Callable[..., str], send: Send, workspace: SlackServer, cast: Cast, way: str
) -> None:
    """Bob's stays."""
    for user in (ALICE, BOB):
        answered(ASK_CANTEEN, user=user)
        send(changed(looking_at(), user=user))
    match way:
        case "their texts are erased":
            erase_texts(before=timezone.now(), of=cast.alice)
        case "the person is deleted":
            cast.alice.delete()
        case "the account is closed":
            workspace.users[ALICE] |= {"deleted": True}
            send(
                event_body("user_change", text="") | {"event": {"type": "user_change", "user": workspace.users[ALICE]}}
            )
    assert list(AppContext.objects.values_list("slack_user_id", flat=True)) == [BOB]


def test_a_closed_account_is_answered_nothing(answered: Callable[..., str], send: Send, workspace: SlackServer) -> None:
    """The event came after the account was closed."""
    workspace.users[ALICE] |= {"deleted": True}
    send(changed(looking_at()))
    assert "soup" not in answered(HERE)
    assert not SlackIdentity.objects.exists()


@pytest.mark.parametrize(
    "text",
    [
        "What is said in this channel about soup?",
        "Was steht in diesem Kanal über Suppe?",
        "Was gilt hier im Kanal?",
        "Que dit ce canal de la soupe ?",
        "¿Qué dice este canal de la sopa?",
    ],
)
def test_this_channel_is_said_in_each_language(text: str) -> None:
    """And not by other words about channels."""
    assert means_open_channel(text)
    assert not means_open_channel(
        "Which channel is used for the Suez Canal? Welcher Kanal gilt? Quel canal ? ¿Qué canal?"
    )


@pytest.mark.parametrize(
    "context",
    [
        None,
        {},
        {"entities": None},
        {"entities": ["C0GENERAL"]},
        {"entities": [{"type": "slack#/types/canvas_id", "value": "F1"}]},
        {"entities": [{"type": "slack#/types/channel_id", "value": "D0ALICE"}]},
        {"entities": [{"type": "slack#/types/channel_id", "value": "C1><!channel>"}]},
        {"entities": [{"type": "slack#/types/channel_id", "value": ["C1"]}]},
    ],
)
def test_what_is_no_channel_counts_as_none(context: Any) -> None:
    """Of whatever form it is."""
    assert read_channel(context, TEAM) == ""
