"""The steps of answering are shown as they are reached, and never after the answer."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from bot.blocks.message import STEPS
from bot.delivery import progress
from bot.delivery.engine import deliver
from bot.delivery.progress import ProgressDisplay, Sign
from bot.intake import receive
from bot.listeners.message_events import build_incoming
from bot.models import SlackEvent
from bot.slack.errors import SlackRefusedError
from core import api
from core.testing import Cast, make_document
from core.types import Answer, Refusal
from tests.integration.bot.conftest import CHANNEL, mention
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.bot.slack_server import TEAM, SlackServer


class Shown:
    """The signs that were shown, and a way to wait for them."""

    def __init__(self, *, fails_at: str = "") -> None:
        self.signs: list[Sign] = []
        self._fails_at = fails_at
        self._came = threading.Condition()

    @property
    def steps(self) -> list[str]:
        """Their steps, in order."""
        return [sign.step for sign in self.signs]

    def __call__(self, sign: Sign) -> None:
        with self._came:
            self.signs.append(sign)
            self._came.notify()
        if sign.step == self._fails_at:
            raise SlackRefusedError("unknown_method")

    def wait_for(self, step: str) -> None:
        with self._came:
            assert self._came.wait_for(lambda: step in self.steps, timeout=10)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show each step at once."""
    monkeypatch.setattr(progress, "INTERVAL_S", 0.01)


def test_steps_that_pass_quickly_are_not_shown() -> None:
    """An answer that is there at once needs no edits before it."""
    shown = Shown()
    with ProgressDisplay(shown) as steps:
        for step in STEPS:
            steps.show_step(step)
    assert shown.steps == []


@pytest.mark.usefixtures("at_once")
def test_steps_that_last_are_shown_in_order() -> None:
    """Each once."""
    shown = Shown()
    with ProgressDisplay(shown) as steps:
        for step in STEPS:
            steps.show_step(step)
            shown.wait_for(step)
    assert shown.steps == list(STEPS)


@pytest.mark.usefixtures("at_once")
def test_the_newest_wins() -> None:
    """A sign that was passed over while Slack was slow is not shown afterwards."""
    shown, slow = Shown(), threading.Event()

    def show(sign: Sign) -> None:
        shown(sign)
        slow.wait(10)

    with ProgressDisplay(show) as steps:
        steps.show_step("searching")
        shown.wait_for("searching")
        steps.show_step("reading")
        steps.show_step("checking")
        slow.set()
        shown.wait_for("checking")
    assert shown.steps == ["searching", "checking"]


@pytest.mark.usefixtures("at_once")
def test_words_are_shown_beside_the_step() -> None:
    """They stay when the next step is reached."""
    shown = Shown()
    with ProgressDisplay(shown, shown="searching") as steps:
        steps.show_step("reading")
        shown.wait_for("reading")
        steps.preview("It opens")
        steps.show_step("checking")
        shown.wait_for("checking")
    assert shown.signs[0] == Sign(step="reading")
    assert shown.signs[-1] == Sign(step="checking", words="It opens")


@pytest.mark.usefixtures("at_once")
def test_trouble_with_a_step_is_no_trouble_for_the_answer() -> None:
    """Nothing more is shown, and nothing is raised."""
    shown = Shown(fails_at="searching")
    with ProgressDisplay(shown) as steps:
        steps.show_step("searching")
        shown.wait_for("searching")
        steps.show_step("reading")
    assert shown.steps == ["searching"]


@pytest.mark.usefixtures("fast", "at_once")
def test_a_slow_answer_shows_its_steps_in_the_thread(workspace: SlackServer, cast: Cast) -> None:
    """The sign of work is edited with each step that lasts, and the last edit is the answer."""
    make_document("Canteen rules", CANTEEN, roles=[cast.staff])
    receive(build_incoming(mention(ASK_CANTEEN), team_id=TEAM, kind=SlackEvent.Kind.MENTION))

    def ask(question: str, *, on_step: Callable[[str], None], **options: Any) -> Answer | Refusal:
        def tell_and_wait(step: str) -> None:
            on_step(step)
            if step != "searching":  # which stands there from the beginning
                wait_until(lambda: STEPS[step] in str(workspace.called("chat.update")))

        return api.ask(question, on_step=tell_and_wait, **options)

    deliver(SlackEvent.objects.get().pk, ask=ask)
    texts = [call["text"] for call in workspace.called("chat.update")]
    assert texts[:-1] == [STEPS["reading"], STEPS["checking"]]
    assert "soup" in texts[-1]
    assert len(workspace.messages[CHANNEL]) == 1


def wait_until(condition: Callable[[], bool]) -> None:
    """TimeoutError after ten seconds."""
    pause = threading.Event()
    for _ in range(1000):
        if condition():
            return
        pause.wait(0.01)
    raise TimeoutError
