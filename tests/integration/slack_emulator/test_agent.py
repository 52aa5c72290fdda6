"""Footnote's own listeners and worker, as an agent on the page: greeted, suggested, at work, stopped, answered."""

from typing import Any

import pytest
from django.test import Client
from slack_sdk import WebClient

from bot.delivery import sessions, streams
from bot.delivery.engine import STOPPED, deliver
from bot.models import Opening, SlackEvent
from core import api
from core.language.query_understanding.courtesies import GREETING
from core.testing import Cast, make_document
from core.types import Answer, Refusal
from tests.integration.bot.test_progress import wait_until
from tests.integration.bot.worker import run_worker
from tests.integration.slack_emulator.conftest import direct_id, page_post, page_state

QUESTION = "When does the canteen in the harbour office serve soup?"


@pytest.fixture(autouse=True)
def _library(slack: WebClient, workspace: Cast, fast: None) -> None:
    make_document("Canteen rules", "The canteen in the harbour office serves soup at noon.", roles=[workspace.staff])
    sessions._refused.clear()
    streams._refused.clear()


def test_who_opens_the_messages_is_greeted_and_suggested_questions(workspace: Cast, browser: Client) -> None:
    """By the listener that hears of it and the worker."""
    place = direct_id(workspace.alice)
    assert page_post(browser, "messages/open", workspace.alice)[0] == 200
    wait_until(Opening.objects.exists)  # it is heard after it is acknowledged
    run_worker()
    shown = page_state(browser, workspace.alice, place)
    assert [message["text"] for message in shown["messages"]] == [GREETING]
    assert shown["opening"]["prompts"]


def test_work_is_seen_and_stopped_on_the_page(workspace: Cast, browser: Client) -> None:
    """The thread has the question's name and a button, until it is pressed; another question is answered."""
    place = direct_id(workspace.alice)

    def ask_there(question: str, **more: str) -> SlackEvent:
        assert page_post(browser, "messages", workspace.alice, channel=place, text=question, **more)[0] == 200
        return SlackEvent.objects.get(state=SlackEvent.State.RECEIVED)

    def beside() -> dict[str, Any]:
        return dict(page_state(browser, workspace.alice, place, event.ts)["assistant"])

    def stop_it(question: str, **options: Any) -> Answer | Refusal:
        result = api.ask(question, **options)
        assert (beside()["title"], beside()["is_working"], beside()["can_stop"]) == (QUESTION, True, True)
        stopped = page_post(browser, "sessions/stop", workspace.alice, channel=place, thread_ts=event.ts)
        assert stopped == (200, {})
        assert beside()["is_working"]
        return result

    event = ask_there(QUESTION)
    deliver(event.pk, ask=stop_it)
    run_worker()
    event.refresh_from_db()
    assert event.state == SlackEvent.State.STOPPED
    assert [said["text"] for said in page_state(browser, workspace.alice, place, event.ts)["thread"]] == [
        QUESTION,
        STOPPED,
    ]
    assert not beside()["is_working"]
    ask_there("Where does it serve soup?", thread_ts=event.ts)
    run_worker()
    last = page_state(browser, workspace.alice, place, event.ts)["thread"][-1]
    assert "noon" in str(last["blocks"])
    assert not beside()["is_working"]
