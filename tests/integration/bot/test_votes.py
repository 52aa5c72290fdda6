"""One vote of each person on each answer: counted at once, explained in a modal, checked at every step."""

import json
from typing import Any

import pytest

from bot.blocks.buttons import FEEDBACK, FEEDBACK_DOWN, FEEDBACK_UP
from bot.blocks.feedback import FEEDBACK_MODAL
from bot.identity.interactions import NotYoursError, UnknownPersonError
from bot.listeners.votes import FAILED, THANKS
from bot.models import SlackEvent
from core.access.grants import revoke
from core.models import Document, Feedback
from core.testing import Cast, make_document
from core.types import Answer, Refusal
from slack_emulator.webapi.views import check_view
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, CHARLIE, STRANGER
from tests.integration.bot.presses import THREAD, answered, press, submit
from tests.integration.bot.sentences import ASK_VAULT, VAULT
from tests.integration.bot.slack_server import Failure, SlackServer

NOT_YOURS, UNKNOWN = NotYoursError().message, UnknownPersonError().message

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace")]

Vote = tuple[str, str, tuple[str, ...], str]


@pytest.fixture(autouse=True)
def vault(transactional_db: None, cast: Cast, fast: None) -> Document:
    """Create a document for Alice alone."""
    return make_document("Vault rules", VAULT, roles=[cast.owners])


@pytest.fixture
def request_id(cast: Cast, vault: Document) -> str:
    """Alice's answer in the channel."""
    result = answered(ASK_VAULT, cast, cast.alice)
    assert isinstance(result, Answer)
    return result.request_id


def votes() -> set[Vote]:
    return {(f.user.display_name, f.verdict, tuple(f.reasons), f.comment) for f in Feedback.objects.all()}


def told(slack: SlackServer) -> list[str]:
    return [said["text"] for said in slack.ephemeral]


def form(slack: SlackServer) -> dict[str, Any]:
    """The newest modal, which Slack would take and which asks for reasons."""
    view = slack.views[-1]
    check_view(view)
    assert view["callback_id"] == FEEDBACK_MODAL
    return view


def test_an_up_vote_is_confirmed_to_the_voter_alone(slack: SlackServer, request_id: str) -> None:
    """One row for the clicker; the thanks are shown to nobody else, in the thread, and there is no modal."""
    assert press(FEEDBACK_UP, request_id, user=ALICE).status == 200
    assert votes() == {("Alice", "up", (), "")}
    (said,) = slack.ephemeral
    assert (said["user"], said["channel"], said["thread_ts"], said["text"]) == (ALICE, CHANNEL, THREAD, THANKS)
    assert slack.views == []
    assert slack.called("chat.postMessage") == []


def test_a_down_vote_counts_without_the_modal(slack: SlackServer, request_id: str) -> None:
    """Whoever cancels the modal has voted all the same."""
    press(FEEDBACK_DOWN, request_id, user=ALICE)
    assert form(slack)["submit"]["text"] == "Send"
    assert votes() == {("Alice", "down", (), "")}
    assert told(slack) == []


def test_a_down_vote_counts_when_the_modal_cannot_open(slack: SlackServer, request_id: str) -> None:
    """A click that Slack delivered late opens nothing; the vote is confirmed in words."""
    slack.fail("views.open", Failure(error="expired_trigger_id"))
    press(FEEDBACK_DOWN, request_id, user=ALICE)
    assert votes() == {("Alice", "down", (), "")}
    assert told(slack) == [THANKS]


def test_reasons_and_comment_are_added_and_come_back(slack: SlackServer, request_id: str) -> None:
    """A sent form is stored, with thanks; pressing again keeps it and shows it in the form."""
    press(FEEDBACK_DOWN, request_id, user=ALICE)
    submit(form(slack), user=ALICE, reasons=["too_slow", "wrong"], comment=" It is 7742.\x00 ")
    mine = {("Alice", "down", ("wrong", "too_slow"), "It is 7742.")}
    assert votes() == mine
    assert told(slack) == [THANKS]
    press(FEEDBACK_DOWN, request_id, user=ALICE)
    assert votes() == mine
    inputs = {block["block_id"]: block["element"] for block in form(slack)["blocks"] if block["type"] == "input"}
    assert {o["value"] for o in inputs["reasons"]["initial_options"]} == {"wrong", "too_slow"}
    assert inputs["comment"]["initial_value"] == "It is 7742."


def test_minds_change(slack: SlackServer, request_id: str) -> None:
    """The last vote is the only one, and an up vote keeps no reasons of a down vote."""
    press(FEEDBACK_DOWN, request_id, user=ALICE)
    submit(form(slack), user=ALICE, reasons=["other"], comment="Hm.")
    press(FEEDBACK_UP, request_id, user=ALICE)
    assert votes() == {("Alice", "up", (), "")}
    press(FEEDBACK_DOWN, request_id, user=ALICE)
    assert votes() == {("Alice", "down", (), "")}


def test_the_pair_of_buttons_votes_as_each_button_did(slack: SlackServer, request_id: str) -> None:
    """Its value says which was pressed; the reasons are asked for as ever, and what is no vote does nothing."""
    press(FEEDBACK, f"up {request_id}", user=ALICE)
    assert (votes(), told(slack), slack.views) == ({("Alice", "up", (), "")}, [THANKS], [])
    press(FEEDBACK, f"down {request_id}", user=ALICE)
    submit(form(slack), user=ALICE, reasons=["wrong"], comment=None)
    assert votes() == {("Alice", "down", ("wrong",), "")}
    press(FEEDBACK, f"up {request_id}", user=BOB)
    for value in (request_id, f"sideways {request_id}", "up"):
        assert press(FEEDBACK, value, user=ALICE).status == 200
    assert votes() == {("Alice", "down", ("wrong",), "")}
    assert told(slack) == [THANKS, THANKS, NOT_YOURS, NOT_YOURS]


def test_a_form_sent_twice_is_one_vote(slack: SlackServer, request_id: str) -> None:
    """Slack may send a form again."""
    press(FEEDBACK_DOWN, request_id, user=ALICE)
    for _ in range(2):
        submit(form(slack), user=ALICE, reasons=["bad_source"], comment=None)
    assert votes() == {("Alice", "down", ("bad_source",), "")}


@pytest.mark.parametrize(
    ("user", "sentence"), [(BOB, NOT_YOURS), (CHARLIE, NOT_YOURS), (STRANGER, UNKNOWN), ("U0GONE", UNKNOWN)]
)
def test_who_may_not_read_the_answer_has_no_vote(slack: SlackServer, request_id: str, user: str, sentence: str) -> None:
    """People without the right hear what they would hear of an answer that does not exist, and get no form."""
    press(FEEDBACK_UP, request_id, user=user)
    press(FEEDBACK_DOWN, request_id, user=user)
    press(FEEDBACK_UP, "req_20260101_00000000", user=user)
    assert votes() == set()
    assert told(slack) == [sentence] * 2
    (view,) = slack.views
    assert [block["text"]["text"] for block in view["blocks"]] == [sentence]
    assert "private_metadata" not in view


def test_a_right_that_is_gone_when_the_form_is_sent(
    slack: SlackServer, request_id: str, cast: Cast, vault: Document
) -> None:
    """The vote of when she could read it is kept; what she adds later does not."""
    press(FEEDBACK_DOWN, request_id, user=ALICE)
    revoke(cast.owners, [vault], by=None)
    submit(form(slack), user=ALICE, reasons=["wrong"], comment="The code is 7742.")
    assert votes() == {("Alice", "down", (), "")}
    assert told(slack) == [NOT_YOURS]


def test_another_ones_form_is_worth_nothing(slack: SlackServer, request_id: str) -> None:
    """The rights of who sends a form count, not those of who got it."""
    press(FEEDBACK_DOWN, request_id, user=ALICE)
    submit(form(slack), user=BOB, reasons=["wrong"], comment="Mine.")
    assert votes() == {("Alice", "down", (), "")}


def test_an_answer_of_another_team_is_not_there(slack: SlackServer, cast: Cast) -> None:
    """A button of one workspace does nothing in another, whoever presses it."""
    result = answered(ASK_VAULT, cast, cast.alice, team="T0OTHER")
    press(FEEDBACK_UP, result.request_id, user=ALICE)
    assert votes() == set()
    assert told(slack) == [NOT_YOURS]


def test_a_refusal_can_be_voted_on_by_those_who_see_it(slack: SlackServer, cast: Cast) -> None:
    """That something was not found though it exists is said of refusals; of a private one by its asker alone."""
    public = answered(ASK_VAULT, cast, cast.bob, slack_user=BOB)
    private = answered(ASK_VAULT, cast, cast.bob, kind=SlackEvent.Kind.DIRECT, slack_user=BOB)
    assert isinstance(public, Refusal)
    press(FEEDBACK_DOWN, public.request_id, user=ALICE)
    submit(form(slack), user=ALICE, reasons=["not_found"], comment=None)
    press(FEEDBACK_UP, private.request_id, user=ALICE)
    press(FEEDBACK_UP, private.request_id, user=BOB)
    assert votes() == {("Alice", "down", ("not_found",), ""), ("Bob", "up", (), "")}
    assert told(slack) == [THANKS, NOT_YOURS, THANKS]


def test_a_vote_while_slack_is_away(slack: SlackServer, request_id: str) -> None:
    """The clicker cannot be identified now, so nothing is recorded and they are asked to try again."""
    slack.fail("users.info", Failure(error="ratelimited", status=429))
    assert press(FEEDBACK_UP, request_id, user=ALICE).status == 200
    assert votes() == set()
    assert told(slack) == [FAILED]


def test_a_private_message_is_answered_where_it_stands(slack: SlackServer, cast: Cast) -> None:
    """Below what only one person sees, Slack takes a word through the message's own address, without our token."""
    request_id = answered(ASK_VAULT, cast, cast.alice, kind=SlackEvent.Kind.COMMAND).request_id
    press(FEEDBACK_UP, request_id, user=ALICE, response_url=f"{slack.url}respond")
    (said,) = slack.responses
    assert (said["text"], said["response_type"], said["replace_original"]) == (THANKS, "ephemeral", False)
    assert told(slack) == []
    press(FEEDBACK_DOWN, request_id, user=ALICE, response_url=f"{slack.url}respond")
    submit(form(slack), user=ALICE, reasons=[], comment="Thanks.")
    assert [said["text"] for said in slack.responses] == [THANKS, THANKS]
    assert "xoxb" not in json.dumps(slack.responses)
