"""Blocks that Slack would refuse are refused here, and those that the bot builds pass."""

import datetime as dt
from typing import Any
from uuid import uuid4

import pytest

from bot.blocks.answer import answer
from bot.blocks.feedback import feedback_modal
from bot.blocks.handoff import HandoffQuestion, handoff_message
from bot.blocks.message import notice, progress_message
from bot.blocks.modals import Interaction, text_modal, waiting_modal
from bot.blocks.quotes import quotes_modal
from core.types import (
    LONGEST_COMMENT,
    Answer,
    Citation,
    ConfidenceLevel,
    FeedbackReason,
    Opinion,
    QueryState,
    QuoteInPlace,
)
from slack_emulator.webapi.blocks import Surface, check_blocks
from slack_emulator.webapi.calls import RefusedCallError
from slack_emulator.webapi.views import check_view

Block = dict[str, Any]


def _text(text: str, kind: str = "mrkdwn") -> Block:
    return {"type": kind, "text": text}


def _section(text: str = "x", **more: Any) -> Block:
    return {"type": "section", "text": _text(text), **more}


def _button(action_id: str = "a", **more: Any) -> Block:
    return {"type": "button", "action_id": action_id, "text": _text("Go", "plain_text"), **more}


def _feedback(**more: Any) -> Block:
    half = {"text": _text("Good", "plain_text"), "value": "up"}
    return {"type": "feedback_buttons", "action_id": "f", "positive_button": half, "negative_button": half, **more}


def _bin(**more: Any) -> Block:
    return {"type": "icon_button", "action_id": "i", "icon": "trash", "text": _text("Remove", "plain_text"), **more}


def _cell(text: str = "x", **more: Any) -> Block:
    return {"type": "raw_text", "text": text, **more}


def _data_table(**more: Any) -> Block:
    return {"type": "data_table", "caption": "Soups", "rows": [[_cell()], [_cell()]], **more}


def _rich(parts: int = 1) -> Block:
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": "x"}]}
    return {"type": "rich_text", "elements": [section] * parts}


def _task(**more: Any) -> Block:
    return {"type": "task_card", "task_id": "t", "title": "Search", "status": "in_progress", **more}


def _beside(element: Block) -> Block:
    return {"type": "context_actions", "elements": [element]}


GOOD: list[Block] = [
    _section("x" * 3000),
    _section(fields=[*[_text("x" * 2000)] * 5, *[_text("x")] * 5]),
    _section(accessory=_button(style="primary", value="v" * 2000)),
    {"type": "header", "text": _text("x" * 150, "plain_text")},
    {"type": "divider"},
    {"type": "context", "elements": [_text("x")] * 10},
    {"type": "actions", "elements": [_button(str(n)) for n in range(25)]},
    {"type": "context_actions", "elements": [_feedback()]},
    {"type": "markdown", "text": "# x"},
    {"type": "context_actions", "elements": [_feedback(), *(_bin(action_id=str(n)) for n in range(4))]},
    {"type": "table", "rows": [[{"type": "raw_text", "text": "x"}] * 20] * 100},
    _data_table(rows=[[_cell()] * 20] * 101, page_size=100, row_header_column_index=19),
    _data_table(rows=[[_cell()], [_cell(type="raw_number", value=1)]]),
    {"type": "card", "title": _text("x" * 150), "subtitle": _text("x" * 150), "body": _text("x" * 200)},
    {"type": "card", "title": _text("x"), "actions": [_button(url="https://x.example/")]},
    {"type": "plan", "title": "Steps", "tasks": [_task(details=_rich())]},
    _task(output=_rich(), sources=[{"type": "url", "url": "https://x.example/", "text": "x"}]),
    {
        "type": "rich_text",
        "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "x"}]}],
    },
]

BAD: dict[str, tuple[Block, str]] = {
    "unknown type": ({"type": "sektion"}, "/blocks/0/type"),
    "no type": ({"text": _text("x")}, "/blocks/0"),
    "no text": ({"type": "section"}, "/blocks/0"),
    "empty text": (_section(""), "/blocks/0/text/text"),
    "text without a type": ({"type": "section", "text": {"text": "x"}}, "/blocks/0"),
    "text over 3,000": (_section("x" * 3001), "/blocks/0"),
    "misspelt key": (_section(acessory=_button()), "/blocks/0/acessory"),
    "misspelt key inside": (_section(accessory=_button(valu="x")), "/blocks/0/accessory/valu"),
    "field over 2,000": (_section(fields=[_text("x"), _text("x" * 2001)]), "/blocks/0/fields/1/text"),
    "eleven fields": (_section(fields=[_text("x")] * 11), "/blocks/0"),
    "header over 150": ({"type": "header", "text": _text("x" * 151, "plain_text")}, "/blocks/0"),
    "header in mrkdwn": ({"type": "header", "text": _text("x")}, "/blocks/0/text/type"),
    "eleven in a context": ({"type": "context", "elements": [_text("x")] * 11}, "/blocks/0"),
    "long small print": ({"type": "context", "elements": [_text("x" * 3001)]}, "/blocks/0/elements/0/text"),
    "no actions": ({"type": "actions", "elements": []}, "/blocks/0/elements"),
    "26 actions": ({"type": "actions", "elements": [_button(str(n)) for n in range(26)]}, "/blocks/0"),
    "an action_id twice": ({"type": "actions", "elements": [_button(), _button()]}, "/blocks/0"),
    "button text over 75": (
        {"type": "actions", "elements": [{**_button(), "text": _text("x" * 76, "plain_text")}]},
        "/blocks/0",
    ),
    "value over 2,000": ({"type": "actions", "elements": [_button(value="v" * 2001)]}, "/blocks/0"),
    "unknown style": ({"type": "actions", "elements": [_button(style="pink")]}, "/blocks/0"),
    "unknown element": ({"type": "actions", "elements": [{"type": "lever", "action_id": "a"}]}, "/blocks/0"),
    "six context actions": (
        {"type": "context_actions", "elements": [_feedback(action_id=str(n)) for n in range(6)]},
        "/blocks/0",
    ),
    "a button beside the votes": (_beside(_button()), "/blocks/0/elements/0/type"),
    "an icon that there is not": (_beside(_bin(icon="pencil")), "/blocks/0/elements/0/icon"),
    "an icon for eleven": (_beside(_bin(visible_to_user_ids=["U1"] * 11)), "/blocks/0/elements/0/visible_to_user_ids"),
    "a long label of an icon": (_beside(_bin(accessibility_label="x" * 76)), "/blocks/0/elements/0/accessibility"),
    "an icon in mrkdwn": (_beside(_bin(text=_text("x"))), "/blocks/0/elements/0/text"),
    "a vote without a value": (
        _beside(_feedback(positive_button={"text": _text("Good", "plain_text")})),
        "/blocks/0",
    ),
    "a vote over 75": (
        _beside(_feedback(negative_button={"text": _text("x" * 76, "plain_text"), "value": "v"})),
        "/blocks/0",
    ),
    "10,001 in cells": (
        {"type": "table", "rows": [[_cell("x" * 5000)], [_cell("x" * 5001)]]},
        "/blocks]",
    ),
    "an empty cell": ({"type": "table", "rows": [[_cell("")]]}, "/blocks/0/rows/0/0/text"),
    "a cell of another type": ({"type": "table", "rows": [[_text("x")]]}, "/blocks/0/rows/0/0/type"),
    "data without a caption": (_data_table(caption=""), "/blocks/0/caption"),
    "data without a row": (_data_table(rows=[[_cell()]]), "/blocks/0/rows"),
    "102 rows of data": (_data_table(rows=[[_cell()]] * 102), "/blocks/0/rows"),
    "21 columns of data": (_data_table(rows=[[_cell()] * 21] * 2), "/blocks/0/rows"),
    "rows of different length": (_data_table(rows=[[_cell()], [_cell()] * 2]), "/blocks/0/rows"),
    "a head in rich text": (_data_table(rows=[[_rich()], [_cell()]]), "/blocks/0/rows/0"),
    "a page of none": (_data_table(page_size=0), "/blocks/0/page_size"),
    "a column that is not there": (_data_table(row_header_column_index=1), "/blocks/0/row_header_column_index"),
    "data with a misspelt key": (_data_table(captoin="x"), "/blocks/0/captoin"),
    "an empty card": ({"type": "card", "subtitle": _text("x")}, "/blocks/0"),
    "a card's title over 150": ({"type": "card", "title": _text("x" * 151)}, "/blocks/0"),
    "a card's text over 200": ({"type": "card", "body": _text("x" * 201)}, "/blocks/0"),
    "a card with a choice": (
        {"type": "card", "title": _text("x"), "actions": [{"type": "overflow", "action_id": "o", "options": []}]},
        "/blocks/0",
    ),
    "a task without a title": ({"type": "plan", "title": "Steps", "tasks": [_task(title="")]}, "/blocks/0/tasks/0"),
    "a task of an unknown state": (_task(status="sleeping"), "/blocks/0"),
    "details in two parts": (_task(details=_rich(2)), "/blocks/0/details"),
    "an alert in a message": ({"type": "alert", "text": _text("x")}, "/blocks/0"),
    "markdown over 12,000": ({"type": "markdown", "text": "x" * 12_001}, "/blocks"),
    "101 rows": ({"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]] * 101}, "/blocks/0/rows"),
    "21 cells": ({"type": "table", "rows": [[{"type": "raw_text", "text": "x"}] * 21]}, "/blocks/0/rows"),
}


@pytest.mark.parametrize("block", GOOD, ids=lambda block: str(block["type"]))
def test_a_block_at_its_limits_passes_and_gets_an_id(block: Block) -> None:
    """It comes back unchanged but for the block_id that Slack would give it."""
    [passed] = check_blocks([block], surface="message")
    assert passed.pop("block_id")
    assert passed == block


@pytest.mark.parametrize(("block", "pointer"), BAD.values(), ids=BAD.keys())
def test_a_block_over_a_limit_is_refused_by_place(block: Block, pointer: str) -> None:
    """The refusal points at what is wrong."""
    with pytest.raises(RefusedCallError) as caught:
        check_blocks([block], surface="message")
    assert caught.value.code == "invalid_blocks"
    assert f"[json-pointer:{pointer}" in "".join(caught.value.details)


@pytest.mark.parametrize(
    ("blocks", "code"),
    [
        ([_section()] * 51, "invalid_blocks"),
        ([_section(block_id="b"), _section(block_id="b")], "invalid_blocks"),
        ([{"type": "markdown", "text": "x" * 7_000}] * 2, "invalid_blocks"),
        ([_section("x" * 3000)] * 5, "msg_blocks_too_long"),
        ("text", "invalid_blocks_format"),
        (["text"], "invalid_blocks_format"),
    ],
)
def test_limits_over_all_blocks_together(blocks: Any, code: str) -> None:
    """Their number, their ids and their length."""
    with pytest.raises(RefusedCallError) as caught:
        check_blocks(blocks, surface="message")
    assert caught.value.code == code


@pytest.mark.parametrize("kind", ["markdown", "context_actions", "table", "data_table", "plan", "task_card"])
@pytest.mark.parametrize("surface", ["modal", "home"])
def test_some_blocks_are_for_messages_only(kind: str, surface: Surface) -> None:
    """Neither a modal nor the Home tab can hold them."""
    block = next(block for block in GOOD if block["type"] == kind)
    with pytest.raises(RefusedCallError):
        check_blocks([block], surface=surface)


def test_an_alert_is_for_modals_only() -> None:
    """With one of its levels. A card may be anywhere."""
    alert = {"type": "alert", "text": _text("x"), "level": "warning"}
    assert check_blocks([alert], surface="modal")
    with pytest.raises(RefusedCallError):
        check_blocks([alert], surface="home")
    with pytest.raises(RefusedCallError):
        check_blocks([alert | {"level": "loud"}], surface="modal")
    for surface in ("message", "modal", "home"):
        assert check_blocks([{"type": "card", "title": _text("x")}], surface=surface)


def test_what_the_bot_builds_passes() -> None:
    """An answer of the greatest length passes, with the lines around it, and the views that its buttons open."""
    result = _long_answer()
    for said in (answer(result), notice("Nothing found."), progress_message("searching")):
        assert len(check_blocks(said.blocks, surface="message")) == len(said.blocks)
    quotes = [QuoteInPlace(citation=citation, before="b", after="a") for citation in result.citations]
    heads = len({citation.document_id for citation in result.citations})
    assert len(check_view(quotes_modal(quotes))["blocks"]) == heads + 3 * len(quotes)
    interaction = Interaction(
        request_id=result.request_id, channel_id="C1", thread_ts="1.1", response_url="https://x" * 100
    )
    opinion = Opinion(verdict="down", reasons=tuple(FeedbackReason), comment="x" * LONGEST_COMMENT)
    for view in (feedback_modal(interaction, opinion), waiting_modal("Quotes"), text_modal("Quotes", "Nothing.")):
        assert check_view(view)
    asked = HandoffQuestion(people=["U1"] * 20, usergroup="S1", names=["x" * 200], asker="U2", question="<&>\n" * 1000)
    for said in (handoff_message("1", asked), handoff_message("1", asked, resolved_by="U1")):
        assert check_blocks(said.blocks, surface="message")


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"type": "home"}, "/view"),
        ({"title": None}, "/view/title"),
        ({"title": _text("x" * 25, "plain_text")}, "/view/title"),
        ({"title": _text("x")}, "/view/title"),
        ({"close": _text("x" * 25, "plain_text")}, "/view/close"),
        ({"private_metadata": "x" * 3001}, "/view/private_metadata"),
        ({"tittle": "x"}, "/view/tittle"),
        (
            {
                "blocks": [
                    {
                        "type": "input",
                        "label": _text("Why?", "plain_text"),
                        "element": {"type": "plain_text_input", "action_id": "a"},
                    }
                ]
            },
            "/view/submit",
        ),
    ],
    ids=str,
)
def test_a_modal_that_slack_would_refuse_is_refused(change: Block, pointer: str) -> None:
    """The refusal points at what is wrong."""
    view = {"type": "modal", "title": _text("Title", "plain_text"), "blocks": [_section()]}
    assert check_view(view)["title"] == view["title"]
    with pytest.raises(RefusedCallError) as caught:
        check_view(view | change)
    assert f"[json-pointer:{pointer}]" in "".join(caught.value.details)


def _long_answer() -> Answer:
    citations = tuple(
        Citation(
            number=number,
            chunk_id=uuid4(),
            document_id=uuid4(),
            document_name="A <name> & more " * 20,
            document_date=dt.date(2024, 5, 1),
            page_number=number,
            chapter="",
            section="",
            source_url=f"https://library.example/{number}?a=1&b=2",
            excerpt="x",
            quoted_excerpt="Words & <signs> of a document. " * 200,
            start=0,
            end=1,
            relevance_score=0.5,
        )
        for number in range(1, 11)
    )
    return Answer(
        request_id="req_20260101_0000abcd",
        query_id=uuid4(),
        conversation_id=None,
        confidence=0.9,
        confidence_level=ConfidenceLevel.HIGH,
        retrieved=(),
        state=QueryState.COMPLETE,
        agent_steps=1,
        model_provider="extractive",
        processing_time_ms=1,
        trace_id="0" * 32,
        text="A sentence with <signs> & more [1]. " * 400,
        citations=citations,
    )
