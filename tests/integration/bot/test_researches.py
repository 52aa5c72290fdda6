"""Researches in Slack: one message in the asker's direct messages, from the plan to what was proven, for them alone."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings
from slack_bolt import App, BoltRequest, BoltResponse

from bot.blocks import research as blocks
from bot.blocks.asker_notes import PLAN_ELSEWHERE
from bot.delivery import canvases, engine, researches
from bot.models import Reply, ResearchMessage, SlackEvent
from core import api
from core.access.grants import revoke
from core.asking.research import running
from core.errors import NotFoundError
from core.infrastructure.queue import RESEARCH, SHOW_RESEARCH
from core.models import Document, Research
from core.testing import Cast, make_document
from slack_emulator.webapi.blocks import check_blocks
from slack_emulator.webapi.views import check_view
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, DIRECT, STRANGER, direct, signed
from tests.integration.bot.killed import Killer, after, before, mostly_slow
from tests.integration.bot.presses import dispatched
from tests.integration.bot.presses import press as press_button
from tests.integration.bot.sentences import CANTEEN
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer
from tests.integration.bot.test_kills import hand_on
from tests.integration.bot.worker import run_worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace")]

Send = Callable[..., BoltResponse]
WISH = "research the canteen in the harbour office"
BASE = "https://footnote.example.com"


@pytest.fixture(autouse=True)
def library(transactional_db: None, cast: Cast, fast: None, settings: Settings) -> Document:
    """Two documents about the canteen, one of which Alice alone may read."""
    settings.PUBLIC_URL = BASE
    make_document(
        "Owners' notes", "The canteen in the harbour office is sold in May.", roles=[cast.owners], section="Sale"
    )
    return make_document("Canteen rules", CANTEEN, roles=[cast.staff], section="Soup")


def work() -> None:
    """Let the worker do everything that is queued, also what waits for a second to pass."""
    for _ in range(4):
        with connection.cursor() as cursor:
            cursor.execute("UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE status = 'todo'")
        run_worker()


def shown(slack: SlackServer, channel: str = DIRECT) -> str:
    """The blocks of the one message in a channel, which Slack would take."""
    (message,) = slack.messages[channel]
    check_blocks(message["blocks"], surface="message")
    return json.dumps(message["blocks"], ensure_ascii=False)


def press(action_id: str, *, user: str = ALICE, channel: str = DIRECT) -> None:
    press_button(action_id, str(ResearchMessage.objects.get().pk), user=user, channel=channel)


def planned(send: Send, slack: SlackServer) -> str:
    """Alice's plan, as it stands in her direct messages."""
    send(direct(WISH))
    run_worker()
    return shown(slack)


def proven(send: Send, slack: SlackServer) -> str:
    """Plan and run a research, and return its message at the end."""
    planned(send, slack)
    press(blocks.START)
    work()
    return shown(slack)


class TestPlan:
    """Each wish is planned once, by what its asker may read, in their direct messages."""

    def test_a_direct_message_is_planned_once(self, send: Send, slack: SlackServer) -> None:
        """However often Slack sends it; with what it will take, and three buttons."""
        body = direct(WISH)
        for _ in range(2):
            send(body)
        run_worker()
        said = shown(slack)
        assert "What does Canteen rules say about" in said
        assert "Owners' notes" in said
        assert "nothing to pay: no model is paid" in said
        assert [each in said for each in (blocks.START, blocks.CHANGE, blocks.CANCEL)] == [True] * 3
        assert slack.messages[DIRECT][0]["thread_ts"] == body["event"]["ts"]
        assert Research.objects.get().topic == "the canteen in the harbour office"
        assert SlackEvent.objects.get().text == ""
        assert not ProcrastinateJob.objects.filter(task_name=RESEARCH).exists()

    @pytest.mark.parametrize(
        "text",
        ["Research: the canteen in the harbour office", "Write me a page about the canteen in the harbour office"],
    )
    def test_other_words_for_it(self, send: Send, slack: SlackServer, text: str) -> None:
        send(direct(text))
        run_worker()
        assert "the canteen in the harbour office" in shown(slack)
        assert Research.objects.get().topic == "the canteen in the harbour office"

    def test_the_command_says_where_the_plan_comes(self, app: App, slack: SlackServer) -> None:
        """Nothing of it stands in the channel."""
        typed = {
            "team_id": TEAM,
            "user_id": ALICE,
            "channel_id": CHANNEL,
            "command": "/footnote",
            "trigger_id": "1.3.a",
        }
        raw = urlencode({**typed, "text": f"{WISH} results:4", "response_url": slack.response_url})
        headers = signed(raw) | {"content-type": ["application/x-www-form-urlencoded"]}
        response = app.dispatch(BoltRequest(body=raw, headers=headers))
        app.listener_runner.listener_executor.shutdown(wait=True)
        run_worker()
        told = response.body + json.dumps(slack.responses) + json.dumps(slack.ephemeral)
        assert PLAN_ELSEWHERE in told
        assert slack.messages[CHANNEL] == []
        assert "the canteen" in shown(slack)

    def test_nothing_to_read(self, send: Send, slack: SlackServer) -> None:
        """Say so to somebody unknown, and where nothing speaks of it."""
        send(direct(WISH, user=STRANGER, channel="D0STRANGER"))
        send(direct(WISH, user="U0CHARLIE", channel="D0CHARLIE"))
        run_worker()
        assert "I do not know you" in shown(slack, "D0STRANGER")
        assert "Nothing that you can read speaks of this" in shown(slack, "D0CHARLIE")
        assert not Research.objects.exists()

    def test_a_plan_is_dropped(self, send: Send, slack: SlackServer) -> None:
        planned(send, slack)
        press(blocks.CANCEL)
        work()
        assert blocks.GONE in shown(slack)
        assert not Research.objects.exists()


def submit(app: App, view: dict[str, Any], *, user: str = ALICE, **entered: str) -> BoltResponse:
    """Send the window with these values in the place of those that it came with."""
    inputs = {block["block_id"]: block["element"].get("initial_value") for block in view["blocks"]}
    values = {
        name: {name: {"type": "plain_text_input", "value": value}} for name, value in {**inputs, **entered}.items()
    }
    return dispatched(
        app,
        {
            "type": "view_submission",
            "team": {"id": TEAM, "domain": "test"},
            "user": {"id": user, "team_id": TEAM},
            "api_app_id": "A0APP",
            "trigger_id": "1.2.abc",
            "view": {**view, "id": "V0", "state": {"values": values}},
        },
    )


class TestChanged:
    """Its asker changes the plan in a window, until it is started."""

    @pytest.fixture
    def window(self, send: Send, slack: SlackServer) -> dict[str, Any]:
        """The window, opened."""
        planned(send, slack)
        press(blocks.CHANGE)
        check_view(slack.views[-1])
        return slack.views[-1]

    def test_the_plan_is_changed(self, window: dict[str, Any], app: App, slack: SlackServer) -> None:
        """What is unchanged keeps its place in the documents; the message shows the new plan and limits."""
        first = Research.objects.get().lines.get(text__contains="Canteen rules")
        plan = f"# Food\n- {first.text}\n\n# Rest\nWhen does the canteen close?"
        assert submit(app, window, plan_0=plan, minutes="5", dollars="1,50").body == ""
        work()
        said = shown(slack)
        assert all(
            each in said for each in ("*Food*", "When does the canteen close?", "at most 5 minutes", "1.50 dollars")
        )
        kept = Research.objects.get().lines.get(heading="Food")
        assert (kept.filters, kept.made_of) == (first.filters, first.made_of)
        press(blocks.START)
        research = Research.objects.get()
        assert (research.state, research.most_minutes, str(research.most_usd)) == ("waiting", 5, "1.5000")

    @pytest.mark.parametrize(
        ("entered", "field"),
        [
            ({"plan_0": "# Only a heading"}, blocks.PLAN),
            ({"plan_0": "- ?"}, blocks.PLAN),
            ({"minutes": "121"}, blocks.MINUTES),
            ({"minutes": "soon"}, blocks.MINUTES),
            ({"dollars": "0"}, blocks.DOLLARS),
            ({"dollars": "NaN"}, blocks.DOLLARS),
        ],
    )
    def test_what_is_wrong_is_said_at_its_field(
        self, window: dict[str, Any], app: App, entered: dict[str, str], field: str
    ) -> None:
        earlier = list(Research.objects.get().lines.values_list("text", flat=True))
        told = json.loads(submit(app, window, **entered).body)
        assert list(told["errors"]) == [field]
        assert list(Research.objects.get().lines.values_list("text", flat=True)) == earlier

    def test_nobody_else_changes_it(self, window: dict[str, Any], app: App, slack: SlackServer) -> None:
        told = json.loads(submit(app, window, user=BOB, plan_0="- When does the canteen close?").body)
        assert told["errors"] == {blocks.PLAN: str(NotFoundError())}
        press(blocks.START)
        told = json.loads(submit(app, window, plan_0="- When does the canteen close?").body)
        assert "has begun" in told["errors"][blocks.PLAN]


class TestProgress:
    """The message shows how far a research is, then what came of it."""

    def test_progress_and_result(self, send: Send, slack: SlackServer) -> None:
        """Say what is asked, with a button to stop; in the end the sentences, each with links to their citations."""
        planned(send, slack)
        press(blocks.START)
        row, total = ResearchMessage.objects.get(), Research.objects.get().lines.count()
        researches.show(row.pk)
        assert f"0 of {total} asked: What does" in shown(slack)
        assert blocks.STOP in shown(slack)
        work()
        said = shown(slack)
        assert "serves soup at noon" in said
        assert f"<{BASE}/citations/" in said
        assert f"{BASE}/research/{row.research_id}/" in said
        assert blocks.CANVAS in said
        assert blocks.DELETE in said
        assert blocks.STOP not in said

    def test_what_happens_within_a_second_is_shown_once(self, send: Send, slack: SlackServer) -> None:
        """One job waits, however often the research moves on."""
        planned(send, slack)
        row = ResearchMessage.objects.get()
        for _ in range(3):
            running.research_moved.send(sender=Research, research_id=row.research_id)
        (job,) = ProcrastinateJob.objects.filter(task_name=SHOW_RESEARCH, status="todo")
        assert job.scheduled_at is not None

    def test_it_is_stopped(self, send: Send, slack: SlackServer) -> None:
        """What was found is kept, and what was not asked is named."""
        planned(send, slack)
        press(blocks.START)
        press(blocks.STOP)
        work()
        said = shown(slack)
        assert "You have stopped it." in said
        assert "not asked: the research ended before" in said
        assert "What could not be proven" in said

    def test_rights_that_are_gone_show_nothing(
        self, send: Send, slack: SlackServer, library: Document, cast: Cast
    ) -> None:
        """The message is made of what its asker may read when it is made."""
        assert "soup at noon" in proven(send, slack)
        revoke(cast.staff, [library], by=None)
        researches.show(ResearchMessage.objects.get().pk)
        assert "soup" not in shown(slack)

    def test_it_is_deleted_elsewhere(self, send: Send, slack: SlackServer) -> None:
        """The message shows nothing of it any more."""
        proven(send, slack)
        research = Research.objects.get()
        api.delete_research(research.pk, user_id=research.user_id)
        work()
        assert blocks.GONE in shown(slack)

    def test_a_message_that_is_gone_is_not_posted_again(self, send: Send, slack: SlackServer) -> None:
        planned(send, slack)
        slack.messages[DIRECT].clear()
        press(blocks.START)
        work()
        assert slack.messages[DIRECT] == []
        assert Research.objects.get().state == "done"


@pytest.mark.parametrize(
    "action_id", [blocks.START, blocks.CHANGE, blocks.CANCEL, blocks.STOP, blocks.DELETE, blocks.CANVAS]
)
def test_nobody_else_can_do_anything(send: Send, slack: SlackServer, action_id: str) -> None:
    """They are told nothing of it, not even that there is one."""
    said = planned(send, slack)
    press(action_id, user=BOB, channel=CHANNEL)
    work()
    told = json.dumps(slack.ephemeral) + json.dumps(slack.views)
    assert "canteen" not in told
    assert str(NotFoundError()) in told
    assert shown(slack) == said
    assert Research.objects.get().state == "planned"


class TestCanvas:
    """The page becomes a canvas for its asker alone, where Slack takes it."""

    def test_one_is_made(self, send: Send, slack: SlackServer) -> None:
        """Once, however often it is pressed; the message leads there."""
        proven(send, slack)
        for _ in range(2):
            press(blocks.CANVAS)
        work()
        ((canvas_id, canvas),) = slack.canvases.items()
        assert canvas["readers"] == [ALICE]
        assert canvas["title"] == "the canteen in the harbour office"
        assert "serves soup at noon" in canvas["document_content"]["markdown"]
        assert f"docs/{TEAM}/{canvas_id}" in shown(slack)

    @pytest.mark.parametrize(
        ("code", "says"), [("missing_scope", "the scope canvases:write"), ("canvas_disabled_user_team", "no canvas")]
    )
    def test_none_is_taken(self, send: Send, slack: SlackServer, code: str, says: str) -> None:
        """Say why, and offer the page; pressed again, it is tried again."""
        proven(send, slack)
        slack.fail("canvases.create", Failure(error=code))
        press(blocks.CANVAS)
        work()
        assert says in shown(slack)
        assert "Open the page instead." in shown(slack)
        press(blocks.CANVAS)
        work()
        assert says not in shown(slack)
        assert len(slack.canvases) == 1

    def test_it_holds_what_its_asker_may_read_now(
        self, send: Send, slack: SlackServer, library: Document, cast: Cast
    ) -> None:
        proven(send, slack)
        revoke(cast.staff, [library], by=None)
        press(blocks.CANVAS)
        work()
        assert "soup" not in str(slack.canvases)


# The steps of a plan, and of a canvas, at which a worker is killed.
STEPS = {
    "after it was planned, before that is recorded": after(api, "plan_research"),
    "after that was recorded": before(researches, "compose"),
    "after it was shown, before that is recorded": before(engine, "_finish_event"),
}


@pytest.mark.parametrize("step", mostly_slow(STEPS, always="after it was planned, before that is recorded"))
def test_a_killed_worker_leaves_one_plan(send: Send, slack: SlackServer, killer: Killer, step: str) -> None:
    """One research, and one message."""
    send(direct(WISH))
    killer.kill(run_worker, STEPS[step])
    hand_on()
    assert blocks.START in shown(slack)
    assert Reply.objects.get().state == Reply.State.POSTED
    assert ResearchMessage.objects.get().research == Research.objects.get()


def test_a_killed_worker_leaves_one_shared_canvas(send: Send, slack: SlackServer, killer: Killer) -> None:
    """The one that is recorded."""
    proven(send, slack)
    press(blocks.CANVAS)
    killer.kill(run_worker, after(canvases, "_create"))
    hand_on()
    work()
    (canvas,) = slack.canvases.values()
    assert canvas["readers"] == [ALICE]
    assert blocks.OPEN_CANVAS in shown(slack)
