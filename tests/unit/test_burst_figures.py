"""Test how the outcome of a burst is counted, and how its limit is named."""

import dataclasses

import pytest

from benchmarks.burst.figures import Circumstances, Figures, outcome, percentile

FIGURES = Figures(
    events=10,
    answered=10,
    lost=0,
    doubled=0,
    ack_p50_ms=10.0,
    ack_p99_ms=20.0,
    clicks_refused=0,
    replies_per_s=2.0,
)
CIRCUMSTANCES = Circumstances(
    seconds=5.0,
    threads=4,
    model_s=2.0,
    web_cores=0.1,
    cores_of_each_worker=0.2,
    not_acknowledged=0,
    clicks=50,
    calls_per_answer={"chat.postMessage": 1.0},
    refused_by_rate=0,
)


def test_every_question_is_answered_once_or_is_not() -> None:
    """One answer is one; a sign of work that stays, and nothing, are lost; anything beside an answer is a double."""
    said = {
        ("C1", "1"): [True],
        ("C1", "2"): [False],
        ("C1", "3"): [True, True],
        ("C1", "4"): [False, True],
        ("C1", "5"): [False, False],
        ("C9", "9"): [True],  # not asked
    }
    asked = [("C1", str(number)) for number in range(1, 7)]
    assert outcome(said, asked) == {"answered": 1, "lost": 3, "doubled": 3}


def test_the_json_has_these_names() -> None:
    """Programs read them."""
    assert list(FIGURES.as_json()) == [
        "events",
        "answered",
        "lost",
        "doubled",
        "ack_p50_ms",
        "ack_p99_ms",
        "clicks_refused",
        "replies_per_s",
    ]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "more WORKER_CONCURRENCY"),
        ({"threads": 40}, "waiting for Slack and the database"),
        ({"cores_of_each_worker": 0.9}, "the worker's processor time"),
        ({"refused_by_rate": 3}, "one message a second"),
    ],
)
def test_the_limit_is_named(changes: dict[str, float], words: str) -> None:
    """By what the threads did most of the time."""
    last = dataclasses.replace(CIRCUMSTANCES, **changes).lines(FIGURES)[-1]  # type: ignore[arg-type]
    assert last.startswith("limited by: ")
    assert words in last


@pytest.mark.parametrize(("share", "value"), [(0.5, 50.0), (0.99, 99.0), (1.0, 100.0), (0.001, 1.0)])
def test_a_percentile_is_one_of_the_values(share: float, value: float) -> None:
    """The smallest one that is enough."""
    assert percentile([float(number) for number in range(100, 0, -1)], share) == value
    assert percentile([], share) == 0.0
