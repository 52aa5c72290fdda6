"""Test drawing in a real browser: votes, the asker's bin, cards, tables, alerts and plans, without a font."""

import datetime as dt
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect
from slack_sdk import WebClient

from bot.blocks.answer import answer
from bot.blocks.buttons import Buttons
from bot.blocks.message import Message
from bot.blocks.modals import text_modal
from bot.blocks.older import make_older
from bot.blocks.refusal import refusal
from core.models import User
from core.testing import Cast
from core.types import Answer, Citation, ConfidenceLevel, QueryState, Refusal, RefusalReason
from slack_emulator.accounts import find_slack_id
from slack_emulator.models import LocalMessage, LocalView, add_message
from slack_emulator.webapi.blocks import check_blocks
from slack_emulator.webapi.stream import build_blocks
from slack_emulator.webapi.views import check_view
from tests.acceptance.browser import chromium
from tests.integration.slack_emulator.conftest import STAFF, channel

PICTURES = os.environ.get("PICTURES", "")  # a folder in which the page is pictured, for whoever changes its look
RESULT: dict[str, Any] = {
    "request_id": "req_20260102_0a1b2c3d",
    "query_id": UUID(int=1),
    "conversation_id": None,
    "confidence": 0.9,
    "confidence_level": ConfidenceLevel.HIGH,
    "retrieved": (),
    "state": QueryState.COMPLETE,
    "agent_steps": 1,
    "model_provider": "extractive",
    "processing_time_ms": 12,
    "trace_id": "0" * 32,
}
BROWSER = "b1"  # the one in which Alice has a window open
TABLE = "The soups of the week [1]:\n\n| Day | Soup |\n|---|---|\n| Monday | Leek [1] |\n| Tuesday | Fish [1] |\n"


def cite(number: int, quote: str) -> Citation:
    """A citation with this quote."""
    return Citation(
        number=number,
        chunk_id=None,
        document_id=None,
        document_name="Canteen rules",
        document_date=dt.date(2026, 1, 28),
        page_number=3,
        chapter="",
        section="Hours",
        source_url="https://library.example/canteen",
        excerpt=quote,
        quoted_excerpt=quote,
        start=0,
        end=1,
        relevance_score=0.5,
    )


def task(title: str, status: str, details: str) -> dict[str, str]:
    """A task of a plan, as it is streamed."""
    return {"type": "task_update", "id": title, "title": title, "status": status, "details": details}


def say_to(person: User, said: Message) -> LocalMessage:
    """Let Footnote say it to the staff, as Slack would keep it."""
    blocks = check_blocks(said.blocks, surface="message")
    return add_message(channel(STAFF), text=said.text, blocks=blocks)


@pytest.fixture
def told(slack: WebClient, workspace: Cast) -> str:
    """Messages in the staff's channel, and a window before Alice. Returns where the page is."""
    alice = workspace.alice
    buttons = Buttons(remove_by=find_slack_id(alice))
    votes = answer(Answer(**RESULT, text=TABLE, citations=(cite(1, "Leek."),)), buttons)
    closest = refusal(
        Refusal(
            **RESULT | {"confidence_level": ConfidenceLevel.INSUFFICIENT},
            reason=RefusalReason.INSUFFICIENT,
            message="I am not sure. These come closest:",
            closest=(cite(1, "Soup is served at noon."), cite(2, "The kitchen closes at two. " * 12)),
        ),
        buttons,
    )
    for said in (votes, make_older(votes, 1), closest):
        say_to(alice, said)
    parts = [
        {"type": "plan_update", "title": "Looking for the answer"},
        task("Searching the documents…", "complete", "54 documents"),
        task("Reading what was found…", "in_progress", "9 passages"),
    ]
    add_message(channel(STAFF), text="", blocks=build_blocks(parts, "plan"), stream={"is_open": True, "parts": parts})
    LocalView.objects.create(
        view_id="V1",
        user=alice,
        browser=BROWSER,
        depth=0,
        trigger_id="t",
        content=check_view(text_modal("Quotes", "There is nothing here that you may read.")),
        hash=secrets.token_hex(8),
    )
    return slack.base_url.removesuffix("api/")


@pytest.fixture
def people(workspace: Cast) -> dict[str, str]:
    """The ids of Alice, who asked, and of Bob, who reads along."""
    return {name: find_slack_id(getattr(workspace, name)) for name in ("alice", "bob")}


@pytest.fixture
def page(told: str, people: dict[str, str]) -> Iterator[Page]:
    """The page, on a machine that has no font with emoji."""
    with chromium() as browser:
        opened = browser.new_page(viewport={"width": 1100, "height": 1500})
        opened.goto(f"{told}?token=a-token-for-tests")
        yield opened


def become(page: Page, slack_id: str) -> None:
    """Look as this person at the staff's channel."""
    page.locator("#person").select_option(slack_id)
    page.locator("#channels").get_by_text("staff").dispatch_event("click")  # also below a window
    expect(page.locator("#messages article").first).to_be_visible()


def picture(page: Page, name: str) -> None:
    """Keep what is seen where somebody wants to look at it."""
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)


def test_what_stands_below_an_answer_is_drawn(page: Page, people: dict[str, str]) -> None:
    """The votes in words beside a drawn thumb, in each form; the bin for the asker alone, who is asked first."""
    become(page, people["alice"])
    newest, older = page.locator("#messages article").nth(0), page.locator("#messages article").nth(1)
    votes = newest.get_by_role("group", name="Feedback")
    expect(votes.get_by_role("button", name="This answer helped")).to_have_text("Helpful")
    assert votes.locator("svg").count() == 2
    helped = older.get_by_role("button", name="This answer helped")
    expect(helped).to_have_text("Helpful")
    expect(helped.locator(".emoji.up svg")).to_be_visible()
    assert "👍" not in page.content()
    picture(page, "answer")
    newest.get_by_role("button", name="Remove this answer").click()
    expect(page.get_by_role("dialog", name="Remove the answer?")).to_contain_text("in the history")
    picture(page, "remove")
    page.keyboard.press("Escape")
    become(page, people["bob"])
    expect(votes).to_be_visible()
    expect(page.get_by_role("button", name="Remove this answer")).to_have_count(0)


def test_tables_cards_and_plans_are_drawn(page: Page, people: dict[str, str]) -> None:
    """A table with its head, a card with its title, its place, its quote and its link, a plan with its steps."""
    become(page, people["bob"])
    table = page.locator("#messages article").nth(0).locator("table")
    assert table.locator("th").all_inner_texts() == ["Day", "Soup"]
    assert table.locator("td").all_inner_texts() == ["Monday", "Leek [1]", "Tuesday", "Fish [1]"]
    cards = page.locator("#messages .block.card")
    expect(cards).to_have_count(2)
    expect(cards.nth(0)).to_contain_text("[1] Canteen rules, 2026-01-28")
    expect(cards.nth(0).locator("blockquote")).to_have_text("Soup is served at noon.")
    expect(cards.nth(0).get_by_role("link", name="Open")).to_have_attribute("href", "https://library.example/canteen")
    plan = page.locator("#messages .plan-steps")
    expect(plan).to_contain_text("1 of 2 done")
    expect(plan.locator(".task")).to_have_count(2)
    picture(page, "closest-and-plan")


def test_an_alert_is_drawn(page: Page, people: dict[str, str]) -> None:
    """In the window that holds it, with a sign of its level."""
    page.evaluate(f"localStorage.setItem('footnote-browser', '{BROWSER}')")
    page.reload()
    become(page, people["alice"])
    alert = page.get_by_role("dialog", name="Quotes").locator(".alert-text.warning")
    expect(alert).to_have_text("There is nothing here that you may read.")
    expect(alert.locator("svg")).to_be_visible()
    picture(page, "window")
