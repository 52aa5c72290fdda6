"""Quotes below an answer: acknowledged at once, then checked against what the clicker may read now."""

import json
import time

import pytest
from slack_bolt import App

from bot.blocks.buttons import FEEDBACK_UP, SHOW_QUOTES
from bot.blocks.quotes import NOTHING, TITLE
from bot.listeners.answer_buttons import QUOTES_FAILED
from core.access.audiences import asker_for
from core.access.grants import grant, revoke
from core.api import ask
from core.models import Document
from core.testing import Cast, make_document
from core.types import Answer
from slack_emulator.webapi.views import check_view
from tests.integration.bot.conftest import ALICE, BOB, CHARLIE, STRANGER
from tests.integration.bot.presses import answered, dispatched, press
from tests.integration.bot.sentences import CANTEEN
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer

VAULT = "The harbour office has one vault. The vault in the harbour office opens with the code K7741 on weekdays."

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
    result = answered("With which code does the vault in the harbour office open?", cast, cast.alice)
    assert isinstance(result, Answer)
    assert {citation.document_name for citation in result.citations} == {"Vault rules"}
    return result.request_id


def shown(slack: SlackServer) -> str:
    """All of the only modal, which Slack would take."""
    (view,) = slack.views
    check_view(view)
    return json.dumps(view, ensure_ascii=False)


def test_a_forged_click_is_refused(slack: SlackServer, request_id: str) -> None:
    """A click signed with another secret reaches nothing."""
    assert press(SHOW_QUOTES, request_id, user=ALICE, secret="another").status == 401
    assert slack.calls == []


def test_the_quotes_are_shown_word_for_word_in_their_place(slack: SlackServer, request_id: str) -> None:
    """Alice sees the passage, its place, and the words around it."""
    assert press(SHOW_QUOTES, request_id, user=ALICE).status == 200
    said = shown(slack)
    assert "&gt; The vault" not in said
    assert "> The vault in the harbour office opens with the code K7741 on weekdays." in said
    assert "[1] · The harbour office has one vault." in said
    assert "Vault rules" in said
    assert "Canteen" not in said


@pytest.mark.parametrize("user", [BOB, CHARLIE, STRANGER, "U0GONE"])
def test_the_quotes_are_for_those_who_may_read_them(slack: SlackServer, request_id: str, user: str) -> None:
    """Whoever asked the question, the clicker's own rights count; without them there is nothing."""
    press(SHOW_QUOTES, request_id, user=user)
    (view,) = slack.views
    assert [block["text"]["text"] for block in view["blocks"]] == [NOTHING]


def test_a_revoked_grant_hides_the_quotes(
    slack: SlackServer, request_id: str, cast: Cast, library: dict[str, Document]
) -> None:
    """Alice can no longer open what she could read when she asked, nor the text around it."""
    revoke(cast.owners, [library["vault"]], by=None)
    press(SHOW_QUOTES, request_id, user=ALICE)
    assert NOTHING in shown(slack)
    assert "vault" not in shown(slack).casefold()


def test_a_granted_document_shows_its_quotes(
    slack: SlackServer, request_id: str, cast: Cast, library: dict[str, Document]
) -> None:
    """Bob sees a document that he may read since, whoever asked."""
    grant(cast.staff, [library["vault"]], by=None)
    press(SHOW_QUOTES, request_id, user=BOB)
    assert "K7741" in shown(slack)


def test_quotes_of_selected_text_are_its_askers_alone(slack: SlackServer, cast: Cast) -> None:
    """Selected text belongs to no document that rights could be asked of."""
    result = ask(
        "With which code does the vault open?",
        asker=asker_for(cast.bob),
        audience=cast.audience(cast.bob),
        selected_text="The vault in the mill opens with the code 9952.",
    )
    assert isinstance(result, Answer)
    press(SHOW_QUOTES, result.request_id, user=ALICE)
    assert NOTHING in shown(slack)
    slack.views.clear()
    press(SHOW_QUOTES, result.request_id, user=BOB)
    assert "9952" in shown(slack)


def test_the_modal_opens_before_anything_else_is_asked(slack: SlackServer, request_id: str) -> None:
    """Slack lets a click open a modal for three seconds; who clicked is asked after that."""
    press(SHOW_QUOTES, request_id, user=ALICE)
    assert slack.calls[0][0] == "views.open"
    (opened,) = slack.called("views.open")
    assert opened["view"]["title"]["text"] == TITLE
    assert "K7741" not in json.dumps(opened)


def test_while_slack_is_away_nothing_is_shown(slack: SlackServer, request_id: str) -> None:
    """The clicker cannot be identified now, and the modal says so."""
    slack.fail("users.info", Failure(error="ratelimited", status=429))
    press(SHOW_QUOTES, request_id, user=ALICE)
    assert QUOTES_FAILED in shown(slack)
    assert "K7741" not in shown(slack)


def test_a_modal_that_slack_does_not_open_is_told(slack: SlackServer, request_id: str) -> None:
    """The clicker of a button that came too late hears that it did nothing, and no quote."""
    slack.fail("views.open", Failure(error="expired_trigger_id"))
    press(SHOW_QUOTES, request_id, user=ALICE)
    assert [said["text"] for said in slack.ephemeral] == [QUOTES_FAILED]


def test_a_click_is_acknowledged_before_it_is_worked_on(app: App, slack: SlackServer, request_id: str) -> None:
    """Five slow clicks hold up neither each other nor their acknowledgements."""
    slack.delay_s["users.info"] = 2
    payload = {
        "type": "block_actions",
        "team": {"id": TEAM},
        "user": {"id": ALICE, "team_id": TEAM},
        "container": {"type": "message", "message_ts": "2.2", "channel_id": "C0GENERAL"},
        "trigger_id": "1.2.abc",
        "actions": [{"type": "button", "action_id": FEEDBACK_UP, "block_id": "b", "value": request_id}],
    }
    started = time.monotonic()
    for _ in range(5):
        assert dispatched(app, payload).status == 200
    assert time.monotonic() - started < slack.delay_s["users.info"]
    app.listener_runner.listener_executor.shutdown(wait=True)
    assert len(slack.ephemeral) == 5
