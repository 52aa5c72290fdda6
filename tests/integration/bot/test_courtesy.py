"""Test messages without a question, which get a helpful word, and people without documents, who learn whom to ask."""

from typing import Any

import pytest
from pytest_django import Settings

from bot.blocks.guide import HOW_ANSWERS_ARE_MADE
from bot.blocks.home import UNKNOWN
from bot.blocks.library import NO_SOURCES, NOTHING_GIVEN
from bot.delivery.engine import deliver
from bot.intake import receive
from bot.listeners.message_events import build_incoming
from bot.models import SlackEvent
from core.language.query_understanding.courtesies import FORGOTTEN, GREETING, WELCOME
from core.models import Conversation, Query, User
from core.testing import Cast, make_document
from tests.integration.bot.conftest import BOB, CHANNEL, CHARLIE, DIRECT, direct, mention
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.bot.slack_server import TEAM, SlackServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace")]


@pytest.fixture(autouse=True)
def library(transactional_db: None, cast: Cast, fast: None) -> None:
    """One document, which Bob may read."""
    make_document("Canteen rules", CANTEEN, roles=[cast.staff])


def say(body: dict[str, Any]) -> None:
    """Let somebody write something, and the worker reply."""
    kind = SlackEvent.Kind.DIRECT if body["event"].get("channel_type") else SlackEvent.Kind.MENTION
    receive(build_incoming(body, team_id=TEAM, kind=kind))
    deliver(SlackEvent.objects.get(event_id=body["event_id"]).pk)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hello!", GREETING),
        ("thank you", WELCOME),
        ("what can you do?", HOW_ANSWERS_ARE_MADE),
        ("new topic", FORGOTTEN),
    ],
)
def test_who_asks_nothing_gets_a_word_and_no_search(workspace: SlackServer, text: str, said: str) -> None:
    """Exactly one message, and no question on record."""
    say(direct(text, user=BOB))
    (message,) = workspace.messages[DIRECT]
    assert said in str(message["blocks"])
    assert Query.objects.count() == 0


def test_a_mention_is_understood_without_the_name(workspace: SlackServer) -> None:
    """In a channel as well."""
    say(mention("hello", user=BOB))
    (message,) = workspace.messages[CHANNEL]
    assert GREETING in str(message["blocks"])


def test_a_new_topic_ends_the_conversation_of_its_thread(workspace: SlackServer) -> None:
    """And of no other thread."""
    say(direct(ASK_CANTEEN, user=BOB, ts="100.1"))
    say(direct(ASK_CANTEEN, user=BOB, ts="200.1"))
    assert Conversation.objects.filter(is_active=True).count() == 2
    say(direct("new topic", user=BOB, ts="100.2", thread_ts="100.1"))
    active = Conversation.objects.filter(is_active=True)
    assert [conversation.slack_thread for conversation in active] == ["200.1"]


def test_who_has_no_role_is_told_so_and_whom_to_ask(workspace: SlackServer, settings: Settings) -> None:
    """Charlie is known and holds no role."""
    settings.SLACK_HELP_TEXT = "Ask Dana, extension 300."
    say(direct(ASK_CANTEEN, user=CHARLIE))
    said = str(workspace.messages[DIRECT][-1]["blocks"])
    assert NOTHING_GIVEN in said
    assert "Ask Dana, extension 300." in said
    assert NO_SOURCES not in said


def test_who_is_unknown_is_told_so(workspace: SlackServer, cast: Cast) -> None:
    """Somebody whose address Footnote does not have."""
    User.objects.filter(pk=cast.charlie.pk).delete()
    say(direct(ASK_CANTEEN, user=CHARLIE))
    assert UNKNOWN in str(workspace.messages[DIRECT][-1]["blocks"])
