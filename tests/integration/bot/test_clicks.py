"""Buttons below an answer: acknowledged at once, then checked against what the clicker may read now."""

import json
import time
from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from slack_bolt import App, BoltRequest, BoltResponse

from bot.blocks.buttons import FEEDBACK_DOWN, FEEDBACK_UP, SHOW_QUOTES
from bot.blocks.quotes import NOTHING
from bot.listeners.actions import feedback
from core.access import asker_for, revoke
from core.api import ask
from core.models import Document, Feedback
from core.testing import Cast, make_document
from core.types import Answer
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, CHARLIE, SECRET, STRANGER, signed
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer

VAULT = "The vault in the harbour office opens with the code 7741 on weekdays."
CANTEEN = "The canteen in the harbour office serves soup at noon."

# Clicks are worked on in threads of their own, which see only what is committed.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace")]


@pytest.fixture(autouse=True)
def library(transactional_db: None, cast: Cast, fast: None) -> dict[str, Document]:
    """Alice alone may read about the vault; Bob too about the canteen."""
    return {
        "vault": make_document("Vault rules", VAULT, roles=[cast.owners]),
        "canteen": make_document("Canteen rules", CANTEEN, roles=[cast.staff]),
    }


@pytest.fixture
def request_id(cast: Cast, library: dict[str, Document]) -> str:
    """Alice's answer about the vault, which cites nothing else."""
    result = ask(
        "With which code does the vault in the harbour office open?",
        asker=asker_for(cast.alice),
        audience=cast.audience(cast.alice),
    )
    assert isinstance(result, Answer)
    assert {citation.document_name for citation in result.citations} == {"Vault rules"}
    return result.request_id


@pytest.fixture
def click(app: App) -> Callable[..., BoltResponse]:
    """Clicks a button as Slack tells of it, and waits until the click is worked on."""

    def send_and_wait(action_id: str, value: str, *, user: str, secret: str = SECRET) -> BoltResponse:
        response = send(app, action_id, value, user=user, secret=secret)
        app.listener_runner.listener_executor.shutdown(wait=True)
        return response

    return send_and_wait


def send(app: App, action_id: str, value: str, *, user: str, secret: str = SECRET) -> BoltResponse:
    """Send a click, signed."""
    payload = {
        "type": "block_actions",
        "team": {"id": TEAM, "domain": "test"},
        "user": {"id": user, "team_id": TEAM},
        "api_app_id": "A0APP",
        "container": {"type": "message", "message_ts": "2.2", "channel_id": CHANNEL, "thread_ts": "1.1"},
        "channel": {"id": CHANNEL, "name": "general"},
        "message": {"ts": "2.2", "thread_ts": "1.1", "text": ""},
        "trigger_id": "1.2.abc",
        "response_url": "https://hooks.slack.invalid/actions/1",
        "actions": [{"type": "button", "action_id": action_id, "block_id": "b", "value": value}],
    }
    raw = urlencode({"payload": json.dumps(payload)})
    headers = signed(raw, secret=secret) | {"content-type": ["application/x-www-form-urlencoded"]}
    return app.dispatch(BoltRequest(body=raw, headers=headers))


def votes() -> set[tuple[str, str]]:
    return set(Feedback.objects.values_list("user__display_name", "verdict"))


@pytest.mark.parametrize(("action_id", "verdict"), [(FEEDBACK_UP, "up"), (FEEDBACK_DOWN, "down")])
def test_a_vote_is_recorded_and_confirmed_to_the_voter_alone(
    click: Callable[..., BoltResponse], slack: SlackServer, request_id: str, action_id: str, verdict: str
) -> None:
    """One row for the clicker; the thanks are shown to nobody else, in the thread."""
    assert click(action_id, request_id, user=ALICE).status == 200
    assert votes() == {("Alice", verdict)}
    (said,) = slack.ephemeral
    assert (said["user"], said["channel"], said["thread_ts"]) == (ALICE, CHANNEL, "1.1")
    assert said["text"] == feedback.THANKS
    assert slack.called("chat.postMessage") == []


@pytest.mark.parametrize(
    ("user", "sentence"),
    [
        (BOB, feedback.NOT_YOURS),
        (CHARLIE, feedback.NOT_YOURS),
        (STRANGER, feedback.UNKNOWN),
        ("U0GONE", feedback.UNKNOWN),
    ],
)
def test_who_may_not_read_the_answer_has_no_vote(
    click: Callable[..., BoltResponse], slack: SlackServer, request_id: str, user: str, sentence: str
) -> None:
    """People without the right hear what they would hear of an answer that does not exist."""
    click(FEEDBACK_UP, request_id, user=user)
    assert votes() == set()
    assert [said["text"] for said in slack.ephemeral] == [sentence]


def test_a_vote_on_nothing(click: Callable[..., BoltResponse], slack: SlackServer) -> None:
    """A made-up request is nobody's to vote on."""
    click(FEEDBACK_UP, "req_20260101_00000000", user=ALICE)
    assert votes() == set()
    assert [said["text"] for said in slack.ephemeral] == [feedback.NOT_YOURS]


def test_a_vote_while_slack_is_away(click: Callable[..., BoltResponse], slack: SlackServer, request_id: str) -> None:
    """Who clicks cannot be told apart now, so nothing is recorded and the clicker is asked to try again."""
    slack.fail("users.info", Failure(error="ratelimited", status=429))
    assert click(FEEDBACK_UP, request_id, user=ALICE).status == 200
    assert votes() == set()
    assert [said["text"] for said in slack.ephemeral] == [feedback.FAILED]


def test_a_forged_click_is_refused(click: Callable[..., BoltResponse], slack: SlackServer, request_id: str) -> None:
    """A click signed with another secret reaches nothing."""
    assert click(FEEDBACK_UP, request_id, user=ALICE, secret="another").status == 401
    assert votes() == set()
    assert slack.calls == []


def test_the_quotes_are_shown_word_for_word(
    click: Callable[..., BoltResponse], slack: SlackServer, request_id: str
) -> None:
    """Alice sees the passage and where it stands."""
    assert click(SHOW_QUOTES, request_id, user=ALICE).status == 200
    (view,) = slack.views
    shown = json.dumps(view)
    assert "7741" in shown
    assert "Vault rules" in shown


@pytest.mark.parametrize("user", [BOB, CHARLIE, STRANGER, "U0GONE"])
def test_the_quotes_are_for_those_who_may_read_them(
    click: Callable[..., BoltResponse], slack: SlackServer, request_id: str, user: str
) -> None:
    """Whoever asked the question, the clicker's own rights count; without them there is nothing."""
    click(SHOW_QUOTES, request_id, user=user)
    (view,) = slack.views
    assert [block["text"]["text"] for block in view["blocks"]] == [NOTHING]


def test_a_revoked_grant_hides_the_quotes(
    click: Callable[..., BoltResponse],
    slack: SlackServer,
    request_id: str,
    cast: Cast,
    library: dict[str, Document],
) -> None:
    """What Alice could read when she asked she can no longer open."""
    revoke(cast.owners, [library["vault"]], by=None)
    click(SHOW_QUOTES, request_id, user=ALICE)
    assert "7741" not in json.dumps(slack.views)


def test_a_click_is_acknowledged_before_it_is_worked_on(app: App, slack: SlackServer, request_id: str) -> None:
    """Five slow clicks hold up neither each other nor their acknowledgements."""
    slack.delay_s["users.info"] = 2
    started = time.monotonic()
    for _ in range(5):
        assert send(app, FEEDBACK_UP, request_id, user=ALICE).status == 200
    assert time.monotonic() - started < slack.delay_s["users.info"]
    app.listener_runner.listener_executor.shutdown(wait=True)
    assert len(slack.ephemeral) == 5
