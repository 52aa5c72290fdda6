"""Somebody opens the direct messages with Footnote, where it is an agent: suggested questions, and one greeting."""

from collections.abc import Callable
from typing import Any

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob
from slack_bolt import BoltResponse

from bot.blocks.guide import GREETING_TO_NOBODY, WHAT_CAN_YOU_DO
from bot.blocks.library import NOTHING_GIVEN
from bot.intake import receive
from bot.listeners.message_events import build_incoming
from bot.models import Opening, SlackEvent
from bot.slack.errors import SlackUnavailableError
from bot.slack.idempotent import IdempotentMessage
from bot.tasks import suggest
from core.access.grants import revoke
from core.infrastructure.queue import SUGGEST
from core.language.query_understanding.courtesies import GREETING
from core.models import Document
from core.testing import Cast, make_document
from tests.integration.bot.conftest import ALICE, BOB, CHARLIE, DIRECT, STRANGER, direct, event_body
from tests.integration.bot.killed import Killer, after, before
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer
from tests.integration.bot.worker import run_worker

pytestmark = pytest.mark.usefixtures("fast", "prompt_app")


@pytest.fixture
def agent(workspace: SlackServer) -> SlackServer:
    """The app was made from today's manifest."""
    workspace.is_agent = True
    return workspace


@pytest.fixture
def library(cast: Cast, fast: None) -> Document:
    """A document that staff may read."""
    return make_document("Canteen rules", CANTEEN, roles=[cast.staff], section="Hours")


def opened(user: str = ALICE, **fields: Any) -> dict[str, Any]:
    """Slack says that somebody opened the messages."""
    return event_body("app_home_opened", text="", user=user, **({"channel": DIRECT, "tab": "messages"} | fields))


@pytest.fixture
def open_and_work(send: Callable[..., BoltResponse]) -> Callable[[dict[str, Any]], None]:
    """Tells the bot of an opening, and lets the worker do what that asks for."""

    def tell(body: dict[str, Any]) -> None:
        assert send(body).status == 200
        work()

    return tell


def work() -> None:
    """Do the jobs that wait."""
    for job in ProcrastinateJob.objects.filter(task_name=SUGGEST, status="todo"):
        suggest(**job.args)
        ProcrastinateJob.objects.filter(pk=job.pk).delete()


def greetings(slack: SlackServer) -> list[str]:
    """List the messages outside of threads."""
    assert all(not message["thread_ts"] for message in slack.messages[DIRECT] if "thread_ts" in message)
    return [message["text"] for message in slack.messages[DIRECT]]


@pytest.mark.parametrize(
    ("user", "greeting"),
    [(ALICE, GREETING), (BOB, GREETING), (CHARLIE, NOTHING_GIVEN), (STRANGER, GREETING_TO_NOBODY)],
)
def test_who_opens_the_messages_is_greeted_and_suggested_questions(
    open_and_work: Callable[[dict[str, Any]], None],
    agent: SlackServer,
    library: Document,
    user: str,
    greeting: str,
) -> None:
    """Once greeted, suggested anew at each opening and for no thread; who may read nothing is suggested help."""
    for _ in range(2):
        open_and_work(opened(user))
    assert greetings(agent) == [greeting]
    assert ["thread_ts" in suggested for suggested in agent.prompts] == [False, False]
    asked = {prompt["message"] for suggested in agent.prompts for prompt in suggested["prompts"]}
    if user in (ALICE, BOB):
        assert asked
        assert "help" not in asked
    else:
        assert [suggested["prompts"] for suggested in agent.prompts] == [
            [{"title": WHAT_CAN_YOU_DO, "message": "help"}]
        ] * 2
        assert "anteen" not in str(agent.calls)


def test_a_repeated_event_does_nothing(
    open_and_work: Callable[[dict[str, Any]], None], agent: SlackServer, library: Document
) -> None:
    """It may come while the job waits or afterwards."""
    body = opened()
    open_and_work(body)
    open_and_work(body)
    assert (len(agent.prompts), len(greetings(agent))) == (1, 1)


def test_who_has_asked_before_is_not_greeted(
    open_and_work: Callable[[dict[str, Any]], None], agent: SlackServer, library: Document
) -> None:
    """They know us."""
    receive(build_incoming(direct(ASK_CANTEEN), team_id=TEAM, kind=SlackEvent.Kind.DIRECT))
    open_and_work(opened())
    assert (len(agent.prompts), greetings(agent)) == (1, [])


def test_rights_are_those_of_the_moment_of_the_suggestion(
    send: Callable[..., BoltResponse], agent: SlackServer, cast: Cast, library: Document
) -> None:
    """A document revoked while the job waits is not suggested any more."""
    send(opened())
    revoke(cast.staff, [library], by=None)
    work()
    assert "anteen" not in str(agent.calls)


@pytest.mark.parametrize("code", ["not_agent_app", "unknown_method", "missing_scope"])
def test_an_app_that_is_no_agent_is_left_alone(
    open_and_work: Callable[[dict[str, Any]], None],
    workspace: SlackServer,
    library: Document,
    code: str,
) -> None:
    """In one of the time before, a greeting above all threads would be a stray message."""
    if code != "not_agent_app":  # what the server says by itself
        workspace.fail("assistant.threads.setSuggestedPrompts", Failure(error=code))
    open_and_work(opened())
    assert (workspace.prompts, greetings(workspace)) == ([], [])


@pytest.mark.parametrize("fields", [{"channel": None}, {"tab": "about"}, {"tab": None}])
def test_what_names_no_messages_is_acknowledged(
    open_and_work: Callable[[dict[str, Any]], None], agent: SlackServer, fields: dict[str, Any]
) -> None:
    """And forgotten."""
    open_and_work(opened(**fields))
    assert (Opening.objects.count(), agent.calls) == (0, [])


def test_a_greeting_that_may_have_been_posted_is_looked_for(
    send: Callable[..., BoltResponse], agent: SlackServer, library: Document
) -> None:
    """After a call whose answer was lost."""
    agent.fail("chat.postMessage", Failure(error="", done=True, hang_up=True))
    send(opened())
    with pytest.raises(SlackUnavailableError):
        work()
    work()
    assert greetings(agent) == [GREETING]
    assert Opening.objects.get().ts == agent.messages[DIRECT][0]["ts"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_posted", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_killed_worker_greets_once(
    send: Callable[..., BoltResponse], agent: SlackServer, library: Document, killer: Killer, is_posted: bool
) -> None:
    """It may have posted or not; the next person to open the messages is greeted if nobody was."""
    send(opened())
    killer.kill(run_worker, (after if is_posted else before)(IdempotentMessage, "_post_message"))
    ProcrastinateJob.objects.all().delete()
    send(opened())
    run_worker()
    assert greetings(agent) == [GREETING]
    assert Opening.objects.get().ts == agent.messages[DIRECT][0]["ts"]
