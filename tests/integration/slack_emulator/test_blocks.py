"""Blocks that Slack would refuse are refused here, and those that the bot builds pass."""

import datetime as dt
from typing import Any
from uuid import uuid4

import pytest

from bot.blocks.answer import answer
from bot.blocks.feedback import feedback_modal
from bot.blocks.handoff import HandoffQuestion, handoff_message
from bot.blocks.interaction import Interaction
from bot.blocks.message import notice, progress_message
from bot.blocks.modals import text_modal, waiting_modal
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
from slack_emulator.webapi.blocks import check_blocks
from slack_emulator.webapi.calls import RefusedCallError
from slack_emulator.webapi.modals import check_view

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
    {"type": "table", "rows": [[{"type": "raw_text", "text": "x"}] * 20] * 100},
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


@pytest.mark.parametrize("kind", ["markdown", "context_actions", "table"])
def test_some_blocks_are_for_messages_only(kind: str) -> None:
    """A modal cannot hold them."""
    block = next(block for block in GOOD if block["type"] == kind)
    with pytest.raises(RefusedCallError):
        check_blocks([block], surface="modal")


def test_what_the_bot_builds_passes() -> None:
    """An answer as long as it may be, what stands around it, and what its buttons open or post."""
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
