"""The figures of a run."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluation.figures import LineFigures, figures, upper_bound
from core.evaluation.judging import (
    ABSTAINED_RIGHTLY,
    ABSTAINED_WRONGLY,
    ANSWERED_RIGHTLY,
    ANSWERED_WRONGLY,
    FAILED,
    Verdict,
)


def line(outcome: str, *, refusal_expected: bool = False, **given: Any) -> LineFigures:
    """A line with that outcome."""
    verdict = {name: given.pop(name) for name in ("cites_source", "contains", "forbidden_shown") if name in given}
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
    """What failed is counted apart and is part of no share and no time."""
    found = figures(LINES)
    kinds = found.pop("kinds")
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
