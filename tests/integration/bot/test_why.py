"""Test the explanation of an answer: by its button and by the slash command, with the viewer's own access."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from django.utils import timezone
from slack_bolt import App, BoltRequest

from bot.blocks.buttons import WHY
from bot.delivery.engine import deliver
from bot.identity.explanations import NothingAnsweredHereError, NothingToExplainError
from bot.identity.interactions import UnknownPersonError
from bot.models import Reply, SlackEvent
from core.access.audiences import asker_for
from core.access.grants import revoke
from core.models import Document, Query, QueryLog
from core.testing import Cast, make_document
from slack_emulator.webapi.blocks import check_blocks
from slack_emulator.webapi.views import check_view
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, CHARLIE, DIRECT, STRANGER, signed
from tests.integration.bot.ends import refused
from tests.integration.bot.presses import answered, press
from tests.integration.bot.sentences import ASK_CANTEEN, ASK_VAULT, CANTEEN, VAULT
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer

# Presses are worked on in threads of their own, which see only what is committed.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace")]
GONE, NOTHING_HERE, UNKNOWN = (
    error().message for error in (NothingToExplainError, NothingAnsweredHereError, UnknownPersonError)
)
Type = Callable[..., str]


@pytest.fixture(autouse=True)
def library(transactional_db: None, cast: Cast, fast: None) -> dict[str, Document]:
    """Alice alone may read about the vault; Bob too about the canteen."""
    return {
        "vault": make_document("Vault rules", VAULT, roles=[cast.owners], collection="Deep shelf"),
        "canteen": make_document("Canteen rules", CANTEEN, roles=[cast.staff], section="Soup"),
    }


@pytest.fixture
def type_why(app: App, slack: SlackServer) -> Type:
    """Return a function that types the command, and returns what only the typist is shown."""

    def type_and_read(text: str = "why", *, user: str = ALICE, channel: str = CHANNEL, team: str = TEAM) -> str:
        body = {
            "command": "/footnote",
            "text": text,
            "team_id": team,
            "user_id": user,
            "channel_id": channel,
            "trigger_id": "1.2.a",
            "response_url": slack.response_url,
        }
        raw = urlencode(body)
        headers = signed(raw) | {"content-type": ["application/x-www-form-urlencoded"]}
        assert app.dispatch(BoltRequest(body=raw, headers=headers)).status == 200
        app.listener_runner.listener_executor.shutdown(wait=True)
        (said,) = slack.responses
        assert said["response_type"] == "ephemeral"
        assert len(check_blocks(said["blocks"], surface="message")) == len(said["blocks"])
        return json.dumps(said["blocks"], ensure_ascii=False)

    return type_and_read


def pressed(slack: SlackServer, request_id: str, user: str, **fields: Any) -> str:
    """Press the button, and return all of the modal, which Slack would take."""
    slack.views.clear()
    assert press(WHY, request_id, user=user, **fields).status == 200
    (view,) = slack.views
    check_view(view)
    return json.dumps(view, ensure_ascii=False)


def test_the_button_explains_a_private_answer_to_its_asker(slack: SlackServer, cast: Cast) -> None:
    """It has the searches with counts, the passages read, quoted or not, the confidence, and what to try."""
    result = answered(ASK_CANTEEN, cast, cast.alice, kind=SlackEvent.Kind.DIRECT)
    QueryLog.objects.filter(request_id=result.request_id).update(dropped_reasons={"number": 2, "swapped": 1})
    said = pressed(slack, result.request_id, ALICE)
    for part in (
        f"The question: {ASK_CANTEEN}",
        "documents that you may read: Deep shelf (1), Test library (1).",
        "Passages found: 2",
        "Canteen rules>, section Soup",
        "Vault rules> – not quoted",
        "3: a number, date or name in it is not the one in its quote.",
        "High confidence",
        "*Show quotes*",
    ):
        assert part in said
    assert "I searched for" not in said
    assert slack.ephemeral == []


def test_the_button_of_a_channel_shows_each_what_they_may_read(slack: SlackServer, cast: Cast) -> None:
    """Bob presses below what Alice asked: nothing of the vault, which was read for it."""
    result = answered(ASK_CANTEEN, cast, cast.alice)
    QueryLog.objects.filter(request_id=result.request_id).update(dropped_reasons={"number": 2})
    assert "Vault rules" in pressed(slack, result.request_id, ALICE)
    said = pressed(slack, result.request_id, BOB)
    assert "everyone who can read the channel" in said
    assert "Canteen rules" in said
    assert [word for word in ("Vault", "K7741", "Deep shelf", "a number", "not quoted") if word in said] == []
    assert "Passages found: 1" in said


def test_what_the_presser_may_not_read_is_explained_to_nobody(
    slack: SlackServer, cast: Cast, library: dict[str, Document]
) -> None:
    """An answer that cites the vault, another's private one, one of another team, an erased one: all look the same."""
    vault = answered(ASK_VAULT, cast, cast.alice)
    private = answered(ASK_CANTEEN, cast, cast.alice, kind=SlackEvent.Kind.DIRECT)
    elsewhere = answered(ASK_CANTEEN, cast, cast.alice, team="T0OTHER")
    erased = answered(ASK_CANTEEN, cast, cast.alice)
    Query.objects.filter(request_id=erased.request_id).update(erased_at=timezone.now())
    said = {
        pressed(slack, one, BOB)
        for one in (vault.request_id, private.request_id, elsewhere.request_id, erased.request_id, "req_x", "")
    }
    assert len(said) == 1
    assert GONE in said.pop()
    assert VAULT not in pressed(slack, vault.request_id, ALICE)  # places are told, and no word of a document
    revoke(cast.owners, [library["vault"]], by=None)
    assert GONE in pressed(slack, vault.request_id, ALICE)


@pytest.mark.parametrize("user", [STRANGER, "U0GONE"])
def test_who_is_not_known_is_told_so(slack: SlackServer, cast: Cast, user: str) -> None:
    """Below an answer of a channel that they can see."""
    assert UNKNOWN in pressed(slack, answered(ASK_CANTEEN, cast, cast.alice).request_id, user)


def test_a_refusal_says_what_was_read_and_what_to_try(slack: SlackServer, cast: Cast) -> None:
    """To its asker all of it; to somebody without a role the same as where nothing was found."""
    refusal = refused(ASK_CANTEEN, asker=asker_for(cast.alice), audience=cast.audience(cast.alice))
    _post(refusal.request_id)
    said = pressed(slack, refusal.request_id, ALICE)
    for part in (
        "Canteen rules>, section",
        "Passages found: 2",
        "*Why there is no answer*",
        "Nothing that I read answers",
        "Ask in the words that a document",
    ):
        assert part in said
    said = pressed(slack, refusal.request_id, CHARLIE)
    assert "I found no passage that fits the question." in said
    assert [word for word in ("Vault", "Canteen rules", "shelf", "not quoted") if word in said] == []


def test_slack_that_is_away_is_told_of(slack: SlackServer, cast: Cast) -> None:
    """The modal that says one moment does not stay so."""
    result = answered(ASK_CANTEEN, cast, cast.alice)
    slack.fail("users.info", Failure(error="fatal_error"), Failure(error="fatal_error"))
    assert "One moment" not in pressed(slack, result.request_id, ALICE)


def test_the_command_explains_the_last_answer_of_its_place(slack: SlackServer, cast: Cast, type_why: Type) -> None:
    """In the channel the typist's own last question there, whatever others asked and was asked elsewhere."""
    answered(ASK_CANTEEN, cast, cast.alice)
    answered(ASK_VAULT, cast, cast.alice, kind=SlackEvent.Kind.DIRECT)
    answered("What opens with which code in the office?", cast, cast.bob, slack_user=BOB)
    said = type_why()
    assert ASK_CANTEEN in said
    assert "everyone who can read the channel" in said


def test_the_command_explains_in_direct_messages(slack: SlackServer, cast: Cast, type_why: Type) -> None:
    """The command explains the question asked there."""
    answered(ASK_VAULT, cast, cast.alice, kind=SlackEvent.Kind.DIRECT)
    answered(ASK_CANTEEN, cast, cast.alice)
    assert ASK_VAULT in type_why(channel=DIRECT)


def test_the_command_explains_the_message_that_is_linked(slack: SlackServer, cast: Cast, type_why: Type) -> None:
    """With the typist's rights, whoever asked."""
    answered(ASK_CANTEEN, cast, cast.alice)
    reply = SlackEvent.objects.get().reply
    link = f"https://test.slack.com/archives/{CHANNEL}/p1700000000000002?thread_ts=1.2&cid={CHANNEL}"
    reply.ts = "1700000000.000002"
    reply.save()
    said = type_why(f"why <{link}>", user=BOB, channel="C0ELSEWHERE")
    assert ASK_CANTEEN in said
    assert "Vault" not in said


@pytest.mark.parametrize(
    "given",
    [
        {"user": BOB},
        {"channel": "C0ELSEWHERE"},
        {"team": "T0OTHER"},
        {"text": f"why https://test.slack.com/archives/{CHANNEL}/p1700000000999999"},
    ],
)
def test_without_an_answer_the_command_says_what_to_do(
    slack: SlackServer, cast: Cast, type_why: Type, given: dict[str, str]
) -> None:
    """Nobody asked there, in that team, or anything in that message."""
    answered(ASK_CANTEEN, cast, cast.alice)
    assert NOTHING_HERE in type_why(**given)


def test_a_question_that_begins_with_why_is_a_question(app: App, slack: SlackServer) -> None:
    """It is stored and answered as any other."""
    body = {"command": "/footnote", "text": "why is there soup?", "team_id": TEAM, "user_id": ALICE}
    raw = urlencode(body | {"channel_id": CHANNEL, "trigger_id": "1.2.a", "response_url": slack.response_url})
    app.dispatch(BoltRequest(body=raw, headers=signed(raw) | {"content-type": ["application/x-www-form-urlencoded"]}))
    event = SlackEvent.objects.get()
    assert event.text == "why is there soup?"
    deliver(event.pk)
    assert "why_this_answer" in json.dumps(slack.messages)
    app.listener_runner.listener_executor.shutdown(wait=True)


def _post(request_id: str) -> None:
    """Store that a question was asked in the channel and its answer posted there."""
    event = SlackEvent.objects.create(
        event_id="Ev-refused", team_id=TEAM, channel_id=CHANNEL, user_id=ALICE, kind=SlackEvent.Kind.MENTION
    )
    query = Query.objects.get(request_id=request_id)
    Reply.objects.create(event=event, query=query, channel_id=CHANNEL, ts="2.2", state=Reply.State.POSTED)
