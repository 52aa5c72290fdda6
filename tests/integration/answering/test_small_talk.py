"""Greetings, thanks and the like are replied to at every door, and nothing is searched or stored."""

import pytest

from core.asking.dry_runs.running import trace_question
from core.language.query_understanding.courtesies import ABOUT, CHAT, FORGOTTEN, GREETING, NATURE, WELCOME
from core.models import Conversation, Query, QueryLog
from core.testing import Cast
from core.types import Filters, QueryState, Refusal, RefusalReason
from tests.integration.answering.conftest import asking, conversation_of


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hi", GREETING),
        ("thx m8", WELCOME),
        ("ok", WELCOME),
        ("bye!", WELCOME),
        ("help", ABOUT),
        ("who are you?", ABOUT),
        ("are you a real person?", NATURE),
        ("lol", CHAT),
        ("Hallo, wie geht es dir?", "Hallo! Was möchten Sie wissen?"),
        ("qui es tu", "Je réponds à des questions"),
        ("muchas gracias", "¡De nada!"),
    ],
)
def test_it_is_replied_to_in_its_language(cast: Cast, text: str, said: str) -> None:
    """Nothing of it is in the log, among the gaps or in a report, as nothing was asked."""
    result = asking(cast, "bob")(text)
    assert isinstance(result, Refusal)
    assert (result.reason, result.state) == (RefusalReason.SMALL_TALK, QueryState.COMPLETE)
    assert result.message.startswith(said)
    assert (Query.objects.count(), QueryLog.objects.count()) == (0, 0)


@pytest.mark.parametrize("text", ["yes", "no", "hi, when does the canteen open?", "thanks to whom?", "the second"])
def test_a_reply_and_whatever_may_be_a_question_go_their_way(cast: Cast, fast: None, text: str) -> None:
    result = asking(cast, "bob")(text)
    assert isinstance(result, Refusal)
    assert result.reason is not RefusalReason.SMALL_TALK


def test_a_wish_for_a_new_topic_ends_ones_own_conversation_alone(cast: Cast) -> None:
    """Its words end nobody else's, whose id they may name."""
    own, other = conversation_of(cast, "bob"), conversation_of(cast, "alice")
    ask_bob = asking(cast, "bob")
    thanked = ask_bob("thanks", conversation=own)
    assert thanked.conversation_id == own
    assert Conversation.objects.get(pk=own).is_active
    for conversation in (own, other):
        result = ask_bob("new topic", conversation=conversation)
        assert isinstance(result, Refusal)
        assert (result.message, result.conversation_id) == (FORGOTTEN, None)
    assert not Conversation.objects.get(pk=own).is_active
    assert Conversation.objects.get(pk=other).is_active


def test_a_preview_shows_the_same(cast: Cast) -> None:
    """The admin's page of a question tried as somebody."""
    trace = trace_question("thx m8", audience=cast.audience(cast.bob), filters=Filters(), person=cast.bob)
    assert (trace.message, trace.passages) == (WELCOME, ())
