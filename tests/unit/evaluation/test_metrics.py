"""The figures of a run."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.quality.evaluation.datasets.metrics import LineFigures, figures, in_sentences, upper_bound
from core.quality.evaluation.datasets.verdict import (
    ABSTAINED_RIGHTLY,
    ABSTAINED_WRONGLY,
    ANSWERED_NOTHING,
    ANSWERED_RIGHTLY,
    ANSWERED_WRONGLY,
    CLOSEST_HOLD_IT,
    FAILED,
    IS_PARTLY,
    IS_RIGHT,
    IS_WRONG,
    RIGHTLY_REFUSED,
    WRONGLY_REFUSED,
    Verdict,
)

_OF_VERDICT = ("cites_source", "contains", "forbidden_shown", "in_words", "closest_shown")


def line(outcome: str, *, refusal_expected: bool = False, **given: Any) -> LineFigures:
    """A line with that outcome."""
    verdict = {name: given.pop(name) for name in _OF_VERDICT if name in given}
    return LineFigures(
        kind=given.pop("kind", "plain"),
        verdict=Verdict(outcome=outcome, **verdict),
        refusal_expected=refusal_expected,
        refusal_too=given.pop("refusal_too", False),
        answered=outcome.startswith("answered"),
        latency_ms=given.pop("latency_ms", 10.0),
        **given,
    )


LINES = [
    line(ANSWERED_RIGHTLY, cites_source=True, contains=True, quotes=2, timings_ms={"embed": 4.0}),
    line(ANSWERED_WRONGLY, cites_source=True, contains=False, quotes=1, unsupported=1, timings_ms={"embed": 8.0}),
    line(ABSTAINED_WRONGLY, cites_source=False, contains=False, dropped=3, latency_ms=30.0),
    line(ABSTAINED_WRONGLY, contains=False, latency_ms=50.0),
    line(ABSTAINED_RIGHTLY, refusal_expected=True, kind="out"),
    line(ANSWERED_WRONGLY, refusal_expected=True, kind="out", forbidden_shown=True),
    line(ABSTAINED_RIGHTLY, refusal_too=True, kind="ambiguous"),
    line(FAILED, kind="out", latency_ms=9000.0),
]


def test_shares_are_of_the_lines_to_which_they_apply() -> None:
    """A failed line is counted apart and is part of no share and no time."""
    found = figures(LINES)
    kinds, summary = found.pop("kinds"), found.pop("summary")
    assert summary["answerable"] == 0
    assert found == {
        "questions": 8,
        "right_share": round(3 / 7, 3),
        "right_source": round(2 / 3, 3),
        "answer_contains": 0.25,
        "page_right": None,
        "abstained_rightly": 0.5,
        "abstained_wrongly": 0.5,
        "precision": round(1 / 3, 3),
        "statements_dropped": 3,
        "forbidden_shown": 1,
        "latency_p50_ms": 10.0,
        "latency_p95_ms": 44.0,
        "answered_wrongly": 2,
        "answered": 3,
        "refused": 4,
        "right": 3,
        "wrong": 4,
        "unjudged": 0,
        "failed": 1,
        "quotes": 3,
        "unsupported": 1,
        "unsupported_upper_bound": pytest.approx(0.864650, abs=1e-6),
        "unsupported_summary": "1 unsupported of 3 (95 % upper bound 86.5 %)",
        "timings_p50_ms": {"embed": 6.0},
    }
    assert {kind: (of_kind["questions"], of_kind["right_share"]) for kind, of_kind in kinds.items()} == {
        "plain": (4, 0.25),
        "out": (3, 0.5),
        "ambiguous": (1, 1.0),
    }


def test_the_summary_says_what_a_person_would_say() -> None:
    """Shares are of the questions that have an answer, or of those that have none; what failed is in neither."""
    said = [
        *[(ANSWERED_RIGHTLY, IS_RIGHT)] * 4,
        (ANSWERED_WRONGLY, IS_PARTLY),
        (ANSWERED_WRONGLY, IS_WRONG),
        (ABSTAINED_WRONGLY, WRONGLY_REFUSED),
        *[(ABSTAINED_WRONGLY, CLOSEST_HOLD_IT)] * 3,
        *[(ABSTAINED_RIGHTLY, RIGHTLY_REFUSED)] * 3,
        (ANSWERED_WRONGLY, ANSWERED_NOTHING),
        (FAILED, ""),
    ]
    lines = [line(outcome, in_words=words) for outcome, words in said]
    lines[10] = line(ABSTAINED_RIGHTLY, in_words=RIGHTLY_REFUSED, closest_shown=True)
    assert figures(lines)["summary"] == {
        "answerable": 10,
        "right": 4,
        "partly": 1,
        "wrong": 1,
        "wrongly_refused": 4,
        "closest_hold_it": 3,
        "unanswerable": 4,
        "rightly_refused": 3,
        "answered_though_nothing_answers": 1,
        "closest_shown_in_vain": 1,
        "shares": {
            "right": 0.4,
            "partly": 0.1,
            "wrong": 0.1,
            "wrongly_refused": 0.4,
            "right_or_closest": 0.7,
            "rightly_refused": 0.75,
            "answered_though_nothing_answers": 0.25,
        },
    }
    assert set(figures([])["summary"]["shares"].values()) == {None}
    assert in_sentences(figures(lines)) == [
        (
            "Of 10 questions that have an answer: right 4 (40%), partly right 1 (10%), wrong 1 (10%), "
            "wrongly refused 4 (40%)."
        ),
        "The closest passages contain the answer for 3 of those refused. Right, or in the closest passages: 70%.",
        "Of 4 that have none: rightly refused 3 (75%), 1 of them with passages shown; answered anyway 1 (25%).",
        "Half of the questions took 10 ms or less, 95 % of them 10 ms or less.",
    ]
    assert in_sentences(figures([])) == in_sentences({}) == []


def test_a_run_without_lines_has_no_shares() -> None:
    """Nothing measured is not the same as zero."""
    found = figures([])
    assert (found["questions"], found["right_share"], found["latency_p50_ms"]) == (0, None, None)
    assert (found["unsupported_upper_bound"], found["unsupported_summary"]) == (None, "0 unsupported of 0")


@pytest.mark.parametrize(
    ("events", "trials", "expected"),
    [
        (0, 1, 0.95),
        (0, 100, 1 - 0.05 ** (1 / 100)),
        (0, 128, 1 - 0.05 ** (1 / 128)),
        # The quantile 0.95 of the beta distribution with parameters events + 1 and trials - events.
        (2, 50, 0.12061),
        (3, 3, 1.0),
    ],
)
def test_the_upper_bound_is_that_of_clopper_and_pearson(events: int, trials: int, expected: float) -> None:
    """One-sided, at 95 %."""
    assert upper_bound(events, trials) == pytest.approx(expected, abs=1e-5)


@given(trials=st.integers(1, 300), events=st.integers(0, 300))
def test_the_upper_bound_lies_above_the_rate_and_falls_with_more_trials(trials: int, events: int) -> None:
    """More evidence never makes it looser."""
    seen = min(events, trials)
    bound, later = upper_bound(seen, trials), upper_bound(seen, trials + 50)
    assert bound is not None
    assert later is not None
    assert seen / trials <= bound <= 1
    assert later <= bound
