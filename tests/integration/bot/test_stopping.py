"""The asker presses stop: what is being answered ends there, once, whoever is at what at that moment."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings
from slack_bolt import BoltResponse

from bot.delivery import engine, streams
from bot.delivery.engine import STOPPED, deliver, give_up
from bot.delivery.stopping import ask_to_stop
from bot.delivery.surfaces import MessageSurface
from bot.intake import receive, take_up_again
from bot.listeners.message_events import build_incoming
from bot.models import Reply, SlackEvent
from bot.slack.errors import SlackUnavailableError
from bot.slack.idempotent import IdempotentMessage
from bot.tasks import leave_session, stop
from core import api
from core.asking.answering import decision
from core.infrastructure.queue import ANSWER, LEAVE_SESSION, STOP
from core.llm.scripted import script_model
from core.models import BudgetUse, Query
from core.testing import Cast, make_document
from core.types import Answer, Refusal
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, DIRECT, direct, event_body, mention
from tests.integration.bot.killed import Killer, Step, after, before, mostly_slow
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer
from tests.integration.bot.test_kills import hand_on
from tests.integration.bot.test_progress import wait_until
from tests.integration.bot.worker import run_worker

pytestmark = pytest.mark.usefixtures("fast")

SET_STATUS = "agents.sessions.setStatus"
Kind = SlackEvent.Kind
Send = Callable[..., BoltResponse]


@pytest.fixture(autouse=True)
def agent(workspace: SlackServer, cast: Cast, fast: None) -> Iterator[SlackServer]:
    """The app was made from today's manifest, and there is something to answer from."""
    workspace.is_agent = True
    make_document("Canteen rules", CANTEEN, roles=[cast.staff], section="Hours")
    streams._refused.clear()
    yield workspace
    streams._refused.clear()


def hear(body: dict[str, Any], kind: SlackEvent.Kind = Kind.DIRECT) -> SlackEvent:
    """Somebody asks."""
    receive(build_incoming(body, team_id=TEAM, kind=kind))
    return SlackEvent.objects.get(event_id=body["event_id"])


def pressed(event: SlackEvent, *, user: str = ALICE, at: str = "1700009999.000001", **fields: Any) -> dict[str, Any]:
    """Slack says that somebody pressed stop in the thread of an event."""
    place = {"channel": event.channel_id, "thread_ts": event.thread_ts, "user": user, "streaming_message_ts": []}
    return event_body("agent_session_stopped", text="") | {
        "event": {"type": "agent_session_stopped", "event_ts": at, **place, **fields}
    }


def press(event: SlackEvent, *, user: str = ALICE, at: float = 1700009999.0) -> int:
    """Somebody presses stop; how many questions that stops."""
    place = {"team_id": TEAM, "channel_id": event.channel_id, "thread_ts": event.thread_ts}
    return ask_to_stop(**place, slack_user_id=user, pressed_at=at)


def asking_until(happens: Callable[[], object]) -> Callable[..., Answer | Refusal]:
    """An `ask` that finds the answer, and lets something happen before it is shown."""

    def ask(question: str, **options: Any) -> Answer | Refusal:
        result = api.ask(question, **options)
        happens()
        return result

    return ask


def ended(event: SlackEvent) -> tuple[str, str, str]:
    """Return the states of an event and its reply, and the text."""
    event.refresh_from_db()
    return (event.state, Reply.objects.get(event=event).state, event.text)


def statuses(slack: SlackServer, event: SlackEvent) -> list[str]:
    """Those of the session of an event's thread, in their order."""
    found: list[str] = slack.sessions[event.channel_id, event.thread_ts]["statuses"]
    return found


STOPPED_FOR_GOOD = ("stopped", "stopped", "")


@pytest.mark.parametrize("kind", [Kind.DIRECT, Kind.MENTION])
def test_who_presses_stop_gets_no_answer(send: Send, agent: SlackServer, kind: SlackEvent.Kind) -> None:
    """The message says that it was stopped; nothing more is posted, and the session ends."""
    event = hear(direct(ASK_CANTEEN) if kind is Kind.DIRECT else mention(ASK_CANTEEN), kind)
    deliver(event.pk, ask=asking_until(lambda: send(pressed(event))))
    assert ended(event) == STOPPED_FOR_GOOD
    (message,) = agent.messages[event.channel_id]
    assert STOPPED in str(message["blocks"])
    assert "soup" not in str(agent.calls)
    assert statuses(agent, event) == ["processing", "active"]
    assert agent.streams == set()
    assert agent.ephemeral == []
    calls = len(agent.calls)
    for job in ProcrastinateJob.objects.filter(task_name=STOP):
        stop_of(job)
    deliver(event.pk)
    assert len(agent.calls) == calls


def stop_of(job: ProcrastinateJob) -> None:
    """Do the job that ends what nobody works on."""
    stop.func(type("Context", (), {"job": job})(), **job.args)


@pytest.mark.django_db(transaction=True)
def test_a_model_that_is_waited_for_is_waited_for_no_more(
    transactional_db: None, agent: SlackServer, settings: Settings
) -> None:
    """The question ends while the model still writes; what it consumed is counted when it has ended."""
    is_called, may_end = threading.Event(), threading.Event()

    def slow(_messages: Any) -> str:
        is_called.set()
        assert may_end.wait(30)
        return "NOTHING"

    settings.SLACK_STREAMING = False
    event = hear(direct(ASK_CANTEEN))
    with script_model(slow):
        looks: list[bool] = []

        def ask(question: str, **options: Any) -> Answer | Refusal:
            def is_stopped() -> bool:
                if is_called.is_set() and not looks:
                    looks.append(True)
                    press(event)
                return bool(options["is_stopped"]())

            return api.ask(question, **{**options, "is_stopped": is_stopped})

        deliver(event.pk, ask=ask)
        assert not may_end.is_set()
        assert ended(event) == STOPPED_FOR_GOOD
        assert Query.objects.get().state == "STOPPED"
        (message,) = agent.messages[DIRECT]
        assert STOPPED in str(message["blocks"])
        counted = BudgetUse.objects.filter(calls__gt=0)
        assert not counted.exists()
        may_end.set()
        wait_until(counted.exists)
    assert set(counted.values_list("calls", "tokens")) == {(1, 15)}


def test_a_reply_that_is_heard_is_heard_no_more(agent: SlackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream of the model's is closed, and ours ends; what was shown of it does not stay."""
    monkeypatch.setattr("core.llm.stopping.LOOK_EVERY_S", 0.0)
    event = hear(direct(ASK_CANTEEN))
    text = "ANSWER: The canteen in the harbour office serves soup at noon. [1]\n" * 40

    def ask(question: str, **options: Any) -> Answer | Refusal:
        looked = 0

        def is_stopped() -> bool:
            nonlocal looked
            looked += 1
            if looked == 30:
                press(event)
            return bool(options["is_stopped"]())

        return api.ask(question, **{**options, "is_stopped": is_stopped})

    with script_model(text) as script:
        deliver(event.pk, ask=ask)
    assert not script.replies
    assert ended(event) == STOPPED_FOR_GOOD
    (message,) = agent.messages[DIRECT]
    assert (message["text"], STOPPED in str(message["blocks"])) == (STOPPED, True)
    assert message["streaming_state"] == "completed"
    assert sum(use.calls for use in BudgetUse.objects.all()) >= 1


def test_what_waits_for_its_turn_ends_without_a_word(agent: SlackServer) -> None:
    """A job ends it, before the answer is tried; without a message of ours, nothing is posted."""
    event = hear(direct(ASK_CANTEEN))
    assert press(event) == 1
    first, second = ProcrastinateJob.objects.order_by("-priority")
    assert (first.task_name, second.task_name, first.lock) == (STOP, ANSWER, second.lock)
    stop_of(first)
    assert ended(event) == STOPPED_FOR_GOOD
    assert agent.messages[DIRECT] == []
    assert [call["status"] for call in agent.called(SET_STATUS)] == ["active"]


def test_the_wish_counts_until_the_answer_is_recorded(agent: SlackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that comes while the answer is being posted takes it back; one that comes later changes nothing."""
    event = hear(direct(ASK_CANTEEN))
    finish = MessageSurface.finish

    def finish_and_press(self: MessageSurface, rendering: Any) -> None:
        finish(self, rendering)
        press(event)

    monkeypatch.setattr(MessageSurface, "finish", finish_and_press)
    deliver(event.pk)
    assert ended(event) == STOPPED_FOR_GOOD
    (message,) = agent.messages[DIRECT]
    assert STOPPED in str(message["blocks"])
    assert "soup" not in str(message["blocks"])
    monkeypatch.undo()
    other = hear(direct(ASK_CANTEEN))
    deliver(other.pk)
    assert press(other) == 0
    assert ended(other) == ("answered", "posted", "")
    assert "soup" in str(agent.messages[DIRECT][-1]["blocks"])


def test_only_the_asker_stops_a_question(agent: SlackServer, send: Send) -> None:
    """Not another member of the channel, nor somebody of another team, nor in another thread, nor twice.

    Whose account is closed meanwhile still stops their own: nothing is revealed by it.
    """
    event = hear(mention(ASK_CANTEEN), Kind.MENTION)
    assert press(event, user=BOB) == 0
    assert send({**pressed(event), "team_id": "T0FOREIGN", "authorizations": []}).status == 200
    elsewhere = hear(mention(ASK_CANTEEN), Kind.MENTION)
    place = {"channel_id": CHANNEL, "slack_user_id": ALICE, "pressed_at": 1700009999.0}
    assert ask_to_stop(team_id=TEAM, thread_ts="1.1", **place) == 0
    assert not SlackEvent.objects.exclude(stop_asked_at=None).exists()
    assert not ProcrastinateJob.objects.filter(task_name__in=[STOP, LEAVE_SESSION]).exists()
    agent.users[ALICE]["deleted"] = True
    assert (press(event), press(event)) == (1, 0)
    assert ProcrastinateJob.objects.filter(task_name=STOP).count() == 1
    elsewhere.refresh_from_db()
    assert elsewhere.stop_asked_at is None


def test_a_late_wish_means_what_was_asked_before_it(agent: SlackServer) -> None:
    """Not the question that was asked in the same thread since."""
    first = hear(direct(ASK_CANTEEN))
    deliver(first.pk)
    second = hear(direct("And where?", thread_ts=first.ts))
    assert press(first, at=float(first.ts)) == 0
    assert press(first, at=float(second.ts)) == 1


def test_a_wish_where_nothing_is_open_leaves_the_session_once_more(agent: SlackServer) -> None:
    """If we have one there; it may have been left processing."""
    event = hear(direct(ASK_CANTEEN))
    deliver(event.pk)
    agent.sessions[DIRECT, event.ts]["statuses"].append("processing")
    for _ in range(2):
        assert press(event) == 0
    (job,) = ProcrastinateJob.objects.filter(task_name=LEAVE_SESSION)
    leave_session(**job.args)
    assert statuses(agent, event)[-1] == "active"
    assert ended(event) == ("answered", "posted", "")


@pytest.mark.parametrize(
    "fields",
    [
        {"thread_ts": None},
        {"channel": {}},
        {"user": None},
        {"at": "yesterday"},
        {"at": "nan"},
        {"at": "1e999"},
        {"thread_ts": "x" * 100},
    ],
    ids=str,
)
def test_a_wish_of_another_form_is_acknowledged(agent: SlackServer, send: Send, fields: dict[str, Any]) -> None:
    """And stops nothing."""
    event = hear(direct(ASK_CANTEEN))
    if fields == {"channel": {}}:
        fields = {"channel": ""}
    assert send(pressed(event, **fields)).status == 200
    event.refresh_from_db()
    assert event.stop_asked_at is None


def test_slack_does_not_let_us_say_so(agent: SlackServer) -> None:
    """It is stopped all the same: where the message is gone or may not be changed, and where Slack is away for long."""
    for failure in ("cant_update_message", "message_not_found"):
        event = hear(mention(ASK_CANTEEN), Kind.MENTION)
        agent.fail("chat.update", *[Failure(error=failure)] * 4)
        deliver(event.pk, ask=asking_until(lambda asked=event: press(asked)))
        assert ended(event) == STOPPED_FOR_GOOD
        agent.failures.clear()
    event = hear(direct(ASK_CANTEEN))
    agent.fail("chat.update", *[Failure(error="", hang_up=True)] * 4)
    with pytest.raises(SlackUnavailableError):
        deliver(event.pk, ask=asking_until(lambda: press(event)))
    give_up(event.pk, code="URLError")
    assert ended(event) == STOPPED_FOR_GOOD
    assert statuses(agent, event) == ["processing", "active"]


def test_what_failed_and_is_tried_again_is_answered(agent: SlackServer) -> None:
    """An earlier wish to stop it counts no more."""
    event = hear(direct(ASK_CANTEEN))
    give_up(event.pk, code="x")
    SlackEvent.objects.filter(pk=event.pk).update(stop_asked_at=event.received_at)
    assert take_up_again(event.reply.pk)
    deliver(event.pk)
    assert ended(event) == ("answered", "posted", "")


KILLED: dict[str, Step] = {
    "before it is shown that it was stopped": before(IdempotentMessage, "put"),
    "after that was shown": after(IdempotentMessage, "put"),
    "before the session is left": before(engine.Session, "end"),
    "after the session was left": after(engine.Session, "end"),
    "while the model was asked": before(decision, "compose"),
}


def answer_and_stop() -> None:
    """A worker that is at the question when stop is pressed."""
    event = SlackEvent.objects.get()
    real = decision.compose

    def compose(*args: Any, **options: Any) -> Any:
        press(event)
        return real(*args, **options)

    decision.compose = compose  # in a process of its own
    run_worker()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("step", mostly_slow(KILLED, always="after that was shown"))
def test_a_killed_worker_leaves_one_end(transactional_db: None, agent: SlackServer, killer: Killer, step: str) -> None:
    """Whatever it was at: the question is stopped, its message says so, and nothing else is there."""
    event = hear(mention(ASK_CANTEEN), Kind.MENTION)
    if step == "while the model was asked":
        killer.kill(run_worker, KILLED[step])
        assert press(event) == 1
    else:
        killer.kill(answer_and_stop, KILLED[step])
    hand_on()
    assert ended(event) == STOPPED_FOR_GOOD
    (message,) = agent.messages[CHANNEL]
    assert STOPPED in str(message["blocks"])
    assert "soup" not in str(agent.messages)
    assert statuses(agent, event)[-1] == "active"
    assert not ProcrastinateJob.objects.filter(task_name__in=[ANSWER, STOP]).exclude(status="succeeded").exists()
