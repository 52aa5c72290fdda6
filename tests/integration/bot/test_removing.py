"""Whoever asked takes the answer away from the conversation, and nobody else; nothing else is lost."""

import pytest

from bot.blocks.buttons import FEEDBACK_UP, REMOVE
from bot.delivery.removing import REMOVED, NotYoursToRemoveError
from bot.footnotes import _find_reply
from bot.listeners.interaction import FAILED
from bot.models import Reply, SlackEvent
from core.models import Answer as StoredAnswer
from core.models import Feedback, FootnoteChange, Query
from core.testing import Cast, make_document
from core.types import Answer
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, DIRECT, STRANGER
from tests.integration.bot.presses import answered, press
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.bot.slack_server import Failure, SlackServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace")]
OTHER_TS = "3.3"


@pytest.fixture(autouse=True)
def _library(transactional_db: None, cast: Cast, fast: None) -> None:
    make_document("Canteen rules", CANTEEN, roles=[cast.staff])


def asked(slack: SlackServer, cast: Cast, kind: SlackEvent.Kind = SlackEvent.Kind.MENTION) -> str:
    """Return the request's id of Alice's answer, which is in its conversation beside another message."""
    result = answered(ASK_CANTEEN, cast, cast.alice, kind=kind)
    assert isinstance(result, Answer)
    channel = CHANNEL if kind == SlackEvent.Kind.MENTION else DIRECT
    slack.messages[channel] += [
        {"ts": "2.2", "text": result.text, "blocks": [{"type": "section", "block_id": "b"}]},
        {"ts": OTHER_TS, "text": "Thanks!", "blocks": []},
    ]
    return result.request_id


def told(slack: SlackServer) -> list[str]:
    return [said["text"] for said in slack.ephemeral]


@pytest.mark.parametrize("kind", [SlackEvent.Kind.MENTION, SlackEvent.Kind.DIRECT])
def test_a_line_takes_the_place_of_the_answer(slack: SlackServer, cast: Cast, kind: SlackEvent.Kind) -> None:
    """The history and the vote stay, the other messages stay, and pressing twice is as pressing once."""
    request_id = asked(slack, cast, kind)
    channel = CHANNEL if kind == SlackEvent.Kind.MENTION else DIRECT
    press(FEEDBACK_UP, request_id, user=ALICE, channel=channel)
    for _ in range(2):
        assert press(REMOVE, request_id, user=ALICE, channel=channel).status == 200
    answer, other = slack.messages[channel]
    assert (answer["text"], other["text"]) == (REMOVED, "Thanks!")
    assert "soup" not in str(answer)
    reply = Reply.objects.get()
    assert (reply.state, reply.removed_at is None) == (Reply.State.POSTED, False)
    query = Query.objects.get(request_id=request_id)
    assert "soup" in StoredAnswer.objects.get(query=query).answer_text
    assert Feedback.objects.count() == 1


@pytest.mark.parametrize("user", [BOB, STRANGER, "U0GONE"])
def test_nobody_else_removes_it(slack: SlackServer, cast: Cast, user: str) -> None:
    """Whoever presses without having asked hears why not, and the answer stays."""
    request_id = asked(slack, cast)
    press(REMOVE, request_id, user=user)
    assert told(slack) == [NotYoursToRemoveError().message]
    assert "soup" in slack.messages[CHANNEL][0]["text"]
    assert Reply.objects.get().removed_at is None


def test_only_the_message_of_the_answer_is_changed(slack: SlackServer, cast: Cast) -> None:
    """A press that names another message, another channel or another question changes none."""
    request_id = asked(slack, cast)
    press(REMOVE, request_id, user=ALICE, ts=OTHER_TS)
    press(REMOVE, request_id, user=ALICE, channel=DIRECT)
    press(REMOVE, "req_20260101_00000000", user=ALICE)
    assert told(slack) == [NotYoursToRemoveError().message] * 3
    assert slack.called("chat.update") == []


def test_it_can_be_pressed_again_when_slack_is_away(slack: SlackServer, cast: Cast) -> None:
    """The person hears that it did not work; the second press does it."""
    request_id = asked(slack, cast)
    slack.fail("chat.update", Failure(error="ratelimited", status=429))
    press(REMOVE, request_id, user=ALICE)
    assert told(slack) == [FAILED]
    press(REMOVE, request_id, user=ALICE)
    assert slack.messages[CHANNEL][0]["text"] == REMOVED


def test_a_removed_answer_is_told_of_no_more(slack: SlackServer, cast: Cast) -> None:
    """A notice that its source has changed would show its words again."""
    request_id = asked(slack, cast)
    change = FootnoteChange(answer=StoredAnswer.objects.get(query__request_id=request_id))
    assert _find_reply(change) == Reply.objects.get()
    press(REMOVE, request_id, user=ALICE)
    assert _find_reply(change) is None
