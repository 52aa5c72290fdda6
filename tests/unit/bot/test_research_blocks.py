"""Researches in Slack's blocks: within Slack's limits, and plans are read as they are written."""

import datetime as dt
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.blocks.research import (
    Shown,
    match_questions,
    plan_message,
    plan_modal,
    read_changed_plan,
    read_plan,
    research_progress_message,
    result_message,
    write_plan,
)
from bot.command_line import Research as Wish
from bot.command_line import find_topic, parse
from core.types import Citation, ConfidenceLevel, Filters
from core.values.research import (
    Budget,
    Disagreement,
    Estimate,
    Outcome,
    Paragraph,
    Progress,
    ProvenSentence,
    Research,
    ResearchPage,
    ResearchQuestion,
    ResearchState,
    Section,
    StopReason,
    Unproven,
)
from slack_emulator.webapi.blocks import check_blocks
from slack_emulator.webapi.views import check_view

NOW = dt.datetime(2026, 3, 20, 9, 30, tzinfo=dt.UTC)
SHOWN = Shown(
    message_id=str(UUID(int=1)),
    page_address="https://footnote.example.com/research/1/",
    canvas_problem="missing_scope",
)
BUDGET = Budget(most_minutes=15, most_usd=Decimal("1.5"))


def make_question(
    number: int, text: str, *, heading: str = "Soup", outcome: Outcome = Outcome.OPEN
) -> ResearchQuestion:
    """A question of a plan."""
    return ResearchQuestion(
        question_id=UUID(int=number),
        number=number,
        heading=heading,
        text=text,
        filters=Filters(),
        outcome=outcome,
        request_id="",
    )


def make_research(state: ResearchState, *, words: str = "Soup is served at noon.", many: int = 2) -> Research:
    """A research of so many questions, whose texts are all these words."""
    citation: dict[str, Any] = {
        "chunk_id": None,
        "document_id": None,
        "document_name": words[:100],
        "document_date": NOW.date(),
    }
    citation |= {"page_number": None, "section": "", "source_url": "", "excerpt": "", "quoted_excerpt": words}
    citation |= {"start": 0, "end": 1, "relevance_score": 0.9}
    citations = tuple(
        Citation(number=at, opens_at=f"https://footnote.example.com/citations/{UUID(int=at)}/", **citation)
        for at in range(1, 2 * many + 1)
    )
    paragraphs = tuple(
        Paragraph(
            question=words[:1000],
            outcome=Outcome.QUOTED if at % 2 else Outcome.ANSWERED,
            sentences=(ProvenSentence(text=words, citations=(2 * at + 1, 2 * at + 2)),) * 3,
            level=ConfidenceLevel.HIGH,
            document_name=words[:100],
            document_date=NOW.date(),
        )
        for at in range(many)
    )
    page = ResearchPage(
        sections=(Section(heading=words[:120], paragraphs=paragraphs),),
        unproven=tuple(
            Unproven(question=words[:1000], was_asked=bool(at % 2), closest=(1, 2)) for at in range(2 * many)
        ),
        disagreements=(Disagreement(question=words[:1000], citations=(1, 2)),) * many,
        citations=citations,
    )
    return Research(
        user_id=uuid4(),
        research_id=UUID(int=9),
        topic=words[:1000],
        state=state,
        stop_reason=StopReason.ASKER if state is ResearchState.STOPPED else None,
        filters=Filters(),
        budget=BUDGET,
        planned_by="",
        questions=tuple(make_question(at, words[:1000], heading=words[:120]) for at in range(1, many + 1)),
        progress=Progress(asked=1, total=many, seconds=2.0, cost_usd=Decimal(0), tokens=0),
        page=page,
        created_at=NOW,
        started_at=NOW,
        finished_at=NOW if state in (ResearchState.DONE, ResearchState.STOPPED) else None,
    )


@pytest.mark.parametrize(
    "words", ["Soup is served at noon.", "<&> " * 900, "x" * 4000], ids=["short", "escaped", "long"]
)
def test_every_message_and_window_is_one_that_slack_takes(words: str) -> None:
    """Whatever is in it, and however much."""
    planned, ended = (
        make_research(state, words=words, many=24) for state in (ResearchState.PLANNED, ResearchState.STOPPED)
    )
    estimate = Estimate(questions=24, seconds=300, cost_usd=Decimal("0.2"), model="m")
    for said in (
        plan_message(planned, SHOWN, estimate=estimate, budget=BUDGET),
        research_progress_message(planned, SHOWN),
        result_message(ended, SHOWN),
    ):
        check_blocks(said.blocks, surface="message")
        assert sum(len(text) for text in _texts(said.blocks)) < 13_200  # msg_blocks_too_long
    check_view(plan_modal(planned, "1", "D1", BUDGET))


def _texts(part: Any) -> list[str]:
    if isinstance(part, dict):
        own = [part["text"]] if isinstance(part.get("text"), str) else []
        return own + [text for value in part.values() for text in _texts(value)]
    return [text for each in part for text in _texts(each)] if isinstance(part, list) else []


def test_what_does_not_fit_is_counted() -> None:
    said = result_message(make_research(ResearchState.DONE, words="Soup is served at noon. " * 30, many=24), SHOWN)
    shown = sum(text.count("citations/") for text in _texts(said.blocks))
    assert shown > 0
    assert any("… and 6" in text for text in _texts(said.blocks))


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=3, max_size=40)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=24))
def test_a_plan_is_read_as_it_is_written(parts: list[tuple[str, str]]) -> None:
    """With its headings, in an order of theirs; what is unchanged keeps its id."""
    questions = [
        make_question(at, f"What of {at} {text}?", heading=f"About {heading}")
        for at, (heading, text) in enumerate(parts, 1)
    ]
    read = read_plan(write_plan(questions))
    assert sorted(read) == sorted((one.heading, one.text) for one in questions)
    assert {(one.text, one.question_id) for one in match_questions(read, questions)} == {
        (one.text, one.question_id) for one in questions
    }


def test_what_was_changed_keeps_what_it_was_made_of() -> None:
    """A question in other words may keep a word of its document; a new one has none."""
    planned = [make_question(1, "What does Canteen rules say about soup?"), make_question(2, "When does it close?")]
    lines = [("Soup", "What does Canteen rules say about soups?"), ("", "Who pays?")]
    assert [one.question_id for one in match_questions(lines, planned)] == [UUID(int=1), None]


def test_a_plan_that_is_longer_than_a_field_has_several() -> None:
    """They are read as one."""
    research = make_research(ResearchState.PLANNED, words="Where is the soup? " * 40, many=20)
    view = plan_modal(research, "1", "D1", BUDGET)
    inputs = {block["block_id"]: block["element"].get("initial_value") for block in view["blocks"]}
    assert len(inputs) > 3
    values = {name: {name: {"value": value}} for name, value in inputs.items()}
    changed = read_changed_plan({**view, "state": {"values": values}})
    assert (len(changed.lines), changed.minutes, changed.dollars) == (20, 15, Decimal("1.5"))
    assert changed.errors == {}


@pytest.mark.parametrize(
    ("message", "topic"),
    [
        ("research our travel rules", "our travel rules"),
        ("Research: our travel rules", "our travel rules"),
        ("write me a report on our travel rules", "our travel rules"),
        ("Please write a dossier about our travel rules", "our travel rules"),
        ("research", ""),
        ("researchers at the harbour", ""),
        ("Who can write a page about travel?", ""),
        ("write a page", ""),
    ],
)
def test_a_message_that_wishes_a_page(message: str, topic: str) -> None:
    assert find_topic(message) == topic


def test_the_command_takes_filters() -> None:
    assert parse("research our travel rules since:2024") == Wish(
        text="our travel rules", filters={"date_from": "2024-01-01"}
    )
