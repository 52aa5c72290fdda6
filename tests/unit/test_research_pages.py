"""The pages of researches without a database: a plan's parts that move, and what is shown of sources and figures."""

import datetime as dt
from decimal import Decimal
from uuid import uuid4

import pytest
from django.template.loader import render_to_string

from adminsite.research.plan_form import Part, change_parts
from adminsite.research.shown_page import show_page
from adminsite.research.words import describe_cost, describe_time
from core.types import Citation, Filters
from core.values.research import (
    Budget,
    Disagreement,
    Progress,
    Research,
    ResearchPage,
    ResearchState,
    Unproven,
)

SCRIPT = "<script>alert(1)</script>"


def _ended(page: ResearchPage) -> Research:
    """Return a research that has ended with a page."""
    now = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
    return Research(
        user_id=uuid4(),
        research_id=uuid4(),
        topic="the canteen",
        state=ResearchState.DONE,
        stop_reason=None,
        filters=Filters(),
        budget=Budget(),
        planned_by="",
        questions=(),
        progress=Progress(asked=2, total=2, seconds=3.0, cost_usd=Decimal(0), tokens=0),
        page=page,
        created_at=now,
        started_at=now,
        finished_at=now,
    )


@pytest.mark.parametrize(
    ("act", "result"),
    [
        ("up 0", "A a b B c"),
        ("up 1", "A a b B c"),
        ("up 2", "A b a B c"),
        ("up 3", "B c A a b"),
        ("up 4", "A a b c B"),
        ("down 0", "B c A a b"),
        ("down 2", "A a B b c"),
        ("down 3", "A a b B c"),
        ("down 4", "A a b B c"),
        ("drop 0", "B c"),
        ("drop 4", "A a b B"),
        ("add 0", "A a b - B c"),
        ("add", "A a b B c - -"),
        ("up 99", "A a b B c"),
        ("up x", "A a b B c"),
        ("nonsense 1", "A a b B c"),
        ("drop \N{SUPERSCRIPT TWO}", "A a b B c"),
    ],
)
def test_parts_move(act: str, result: str) -> None:
    """A heading with its questions; a question past a heading goes below another."""
    parts = [Part(text=one, is_heading=one.isupper()) for one in ["A", "a", "b", "B", "c"]]
    assert " ".join(part.text or "-" for part in change_parts(parts, act)) == result


def test_sources_that_disagree_are_both_quoted() -> None:
    """With their dates, below what they disagree about; and what is not proven has what comes nearest."""
    cited = [
        Citation(
            number=number,
            chunk_id=uuid4(),
            document_id=uuid4(),
            document_name=f"Rules {SCRIPT}",
            document_date=dt.date(2020 + number, 5, 1),
            page_number=number,
            section="",
            source_url="",
            excerpt="",
            quoted_excerpt=f"| Hours | {number} pm |",
            start=0,
            end=9,
            relevance_score=1.0,
        )
        for number in (1, 2, 3)
    ]
    page = ResearchPage(
        disagreements=(Disagreement(question="When does it close?", citations=(2, 1)),),
        unproven=(Unproven(question="Who closes it?", was_asked=True, closest=(3,)),),
        citations=tuple(cited),
    )
    shown = render_to_string("adminsite/research/page.html", {"page": show_page(page), "research": _ended(page)})
    told = shown.partition("Your sources disagree</h2>")[2].partition("</section>")[0]
    assert told.index("When does it close?") < told.index("1 May 2022") < told.index("1 May 2021")
    assert "<q>Hours · 2 pm</q>" in told
    assert told.count(f'href="/documents/{cited[0].document_id}/?at={cited[0].chunk_id}.0-9"') == 1
    left = shown.partition("What could not be proven</h2>")[2].partition("</section>")[0]
    assert f'href="/documents/{cited[2].document_id}/' in left
    assert ">[3]</a>" in left
    assert "alert(1)</script>" not in shown


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.2, "1 second"), (1.4, "1 second"), (45, "45 seconds"), (180, "3 minutes")]
)
def test_times_are_told_in_words(seconds: float, said: str) -> None:
    """Seconds for as long as they tell something."""
    assert describe_time(seconds) == said


@pytest.mark.parametrize(("usd", "said"), [("1234.5", "$1,234.50"), ("0.01", "$0.01"), ("0.00312", "$0.0031")])
def test_costs_are_told_in_words(usd: str, said: str) -> None:
    """Less than a cent is not nothing."""
    assert describe_cost(Decimal(usd)) == said
