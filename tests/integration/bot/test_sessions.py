"""The agent session around each answer: that we work, under the name of the question; where Slack has sessions."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from bot.delivery import sessions
from bot.delivery.engine import deliver, give_up
from bot.delivery.sessions import TITLE_LIMIT, build_title
from bot.intake import receive
from bot.listeners.message_events import build_incoming
from bot.models import SlackEvent
from bot.slack.errors import SlackUnavailableError
from bot.tasks import leave_session
from core import api
from core.infrastructure.queue import LEAVE_SESSION
from core.language.query_understanding.courtesies import FORGOTTEN
from core.testing import Cast, make_document
from core.types import Answer, Refusal
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, DIRECT, direct, event_body, mention
from tests.integration.bot.ends import unsure
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer

pytestmark = pytest.mark.usefixtures("fast")

SET_STATUS, RENAME = "agents.sessions.setStatus", "agents.sessions.rename"
Kind = SlackEvent.Kind


@pytest.fixture(autouse=True)
def _library(cast: Cast, fast: None) -> None:
    make_document("Canteen rules", CANTEEN, roles=[cast.staff], section="Hours")


@pytest.fixture
def agent(workspace: SlackServer) -> SlackServer:
    """The app was made from today's manifest."""
    workspace.is_agent = True
    return workspace


def hear(body: dict[str, Any], kind: SlackEvent.Kind) -> SlackEvent:
    """Somebody asks."""
    receive(build_incoming(body, team_id=TEAM, kind=kind))
    return SlackEvent.objects.get(event_id=body["event_id"])


def answer(body: dict[str, Any], kind: SlackEvent.Kind) -> SlackEvent:
    """Somebody asks, and is answered."""
    event = hear(body, kind)
    deliver(event.pk)
    return event


@pytest.mark.parametrize(("body", "kind", "channel"), [(direct, Kind.DIRECT, DIRECT), (mention, Kind.MENTION, CHANNEL)])
def test_an_answer_stands_in_a_session_with_the_name_of_its_question(
    agent: SlackServer, body: Callable[[str], dict[str, Any]], kind: SlackEvent.Kind, channel: str
) -> None:
    """It is processing before anything is shown, and active once the answer is posted."""
    event = answer(body(ASK_CANTEEN), kind)
    assert agent.sessions == {(channel, event.ts): {"title": ASK_CANTEEN, "statuses": ["processing", "active"]}}
    assert {(call["initiator_user_id"], call["title"]) for call in agent.called(SET_STATUS)} == {(ALICE, ASK_CANTEEN)}
    told = [method for method, _ in agent.calls if method.startswith(("chat.", "agents."))]
    assert (told[0], told[-1]) == (SET_STATUS, SET_STATUS)
    assert agent.called(RENAME) == []


def test_the_name_changes_with_the_subject(agent: SlackServer) -> None:
    """A standalone question names its thread anew; one that follows on the others does not."""
    thread = answer(direct(ASK_CANTEEN), Kind.DIRECT).ts
    in_thread = partial(direct, thread_ts=thread)
    answer(in_thread("And where?"), Kind.DIRECT)
    assert agent.sessions[DIRECT, thread]["title"] == ASK_CANTEEN
    answer(in_thread("Who paints the lighthouse?"), Kind.DIRECT)
    assert agent.sessions[DIRECT, thread]["title"] == "Who paints the lighthouse?"
    assert agent.sessions[DIRECT, thread]["statuses"] == ["processing", "active"] * 3
    assert len(agent.called(RENAME)) == 1


def test_a_conversation_that_is_ended_is_closed(agent: SlackServer) -> None:
    """And is active again when something is asked there, under its name. Small talk names nothing."""
    thread = answer(direct("Hello"), Kind.DIRECT).ts
    assert agent.sessions[DIRECT, thread] == {"title": "", "statuses": ["processing", "active"]}
    in_thread = partial(direct, thread_ts=thread)
    answer(in_thread("New topic"), Kind.DIRECT)
    assert agent.sessions[DIRECT, thread]["statuses"][2:] == ["processing", "closed"]
    assert FORGOTTEN in str(agent.messages[DIRECT][-1]["blocks"])
    answer(in_thread(ASK_CANTEEN), Kind.DIRECT)
    assert agent.sessions[DIRECT, thread]["statuses"][4:] == ["processing", "active"]
    assert agent.sessions[DIRECT, thread]["title"] == ASK_CANTEEN


def test_a_name_holds_no_more_than_was_typed() -> None:
    """Of what people see of it, on one line of at most 200 characters; no name for what asks nothing."""
    assert build_title("When does\nthe \x07 canteen open?") == "When does the canteen open?"
    assert [build_title(text) for text in ("", "?!", "thanks", "Hello there")] == [""] * 4
    long = build_title("word " * 100)
    assert (len(long) <= TITLE_LIMIT, long[-2:]) == (True, "d…")


def test_no_word_of_a_document_is_in_a_name(agent: SlackServer, cast: Cast) -> None:
    """Not even where the question is put in other words to be answered, or the passages are listed."""
    secret = make_document("Vault", "The vault code of the harbour is blue heron.", roles=[cast.owners])
    event = hear(
        mention(f"<@{BOB}> <https://x.example|When> does the canteen &amp; kitchen open? <!channel>"), Kind.MENTION
    )
    deliver(event.pk, ask=unsure([secret]))
    titles = [call.get("title", "") for method, call in agent.calls if method.startswith("agents.")]
    assert titles == ["When does the canteen & kitchen open? @channel"] * 2


@pytest.mark.parametrize("code", ["unknown_method", "not_agent_app", "missing_scope", "not_allowed_token_type"])
def test_a_workspace_without_sessions_is_answered_as_before(workspace: SlackServer, code: str) -> None:
    """And is not asked for each question, until some time has passed."""
    workspace.fail(SET_STATUS, Failure(error=code))
    for _ in range(2):
        answer(mention(ASK_CANTEEN), Kind.MENTION)
    assert ["soup" in str(message["blocks"]) for message in workspace.messages[CHANNEL]] == [True, True]
    assert len(workspace.called(SET_STATUS)) == 1
    sessions._refused[TEAM] -= sessions._REFUSED_FOR
    workspace.is_agent = True
    answer(mention(ASK_CANTEEN), Kind.MENTION)
    assert [session["statuses"] for session in workspace.sessions.values()] == [["processing", "active"]]


def test_what_is_refused_in_one_thread_is_asked_for_in_the_next(agent: SlackServer) -> None:
    """Such as where a channel is archived."""
    agent.fail(SET_STATUS, Failure(error="is_archived"), Failure(error="is_archived"))
    for _ in range(2):
        answer(mention(ASK_CANTEEN), Kind.MENTION)
    assert len(agent.messages[CHANNEL]) == 2
    assert [session["statuses"] for session in agent.sessions.values()] == [["processing", "active"]]


def test_what_slack_does_not_hear_of_is_told_later(agent: SlackServer) -> None:
    """An answer waits for no status, and fails for none; a thread is left by a job, which may try again."""
    broken = Failure(error="", hang_up=True)
    agent.fail(SET_STATUS, None, broken, broken)
    event = answer(direct(ASK_CANTEEN), Kind.DIRECT)
    event.refresh_from_db()
    assert (event.state, agent.sessions[DIRECT, event.ts]["statuses"]) == ("answered", ["processing"])
    job = ProcrastinateJob.objects.get(task_name=LEAVE_SESSION)
    with pytest.raises(SlackUnavailableError):
        leave_session(**job.args)
    later = hear(direct("And where?", thread_ts=event.ts), Kind.DIRECT)
    leave_session(**job.args)  # which leaves it to the other question
    assert agent.sessions[DIRECT, event.ts]["statuses"] == ["processing"]
    SlackEvent.objects.filter(pk=later.pk).update(state=SlackEvent.State.FAILED)
    leave_session(**job.args)
    assert agent.sessions[DIRECT, event.ts]["statuses"] == ["processing", "active"]


def test_who_is_told_that_it_failed_is_not_left_waiting(agent: SlackServer) -> None:
    """The session is left, also where the apology cannot be posted."""

    def ask(question: str, **options: Any) -> Answer | Refusal:
        raise ZeroDivisionError

    event = hear(mention(ASK_CANTEEN), Kind.MENTION)
    with pytest.raises(ZeroDivisionError):
        deliver(event.pk, ask=ask)
    agent.fail("chat.update", Failure(error="", hang_up=True))
    give_up(event.pk, code="ZeroDivisionError")
    assert agent.sessions[CHANNEL, event.ts]["statuses"] == ["processing", "active"]


def test_what_stands_in_no_thread_or_was_overheard_has_no_session(agent: SlackServer) -> None:
    """A session would reveal a question that nobody asked us, or has no place."""
    for kind in (Kind.UNASKED, Kind.COMMAND):
        body = event_body("message", text=ASK_CANTEEN)
        receive(build_incoming(body, team_id=TEAM, kind=kind))
        deliver(SlackEvent.objects.get(event_id=body["event_id"]).pk, ask=api.ask)
    assert agent.sessions == {}
