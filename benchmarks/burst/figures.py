"""Summarise a burst, and find the limit of its rate."""

import math
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """Of one burst. The names are those that --json prints."""

    events: int  # mentions, each to be answered once
    answered: int  # with exactly one message, the answer
    lost: int  # without an answer
    doubled: int  # with more than one message of ours
    ack_p50_ms: float
    ack_p99_ms: float
    clicks_refused: int  # without a 200 within 3 seconds
    replies_per_s: float

    def as_json(self) -> dict[str, Any]:
        """The figures as they are printed."""
        return {name: round(value, 2) for name, value in asdict(self).items()}


@dataclass(frozen=True, kw_only=True, slots=True)
class Circumstances:
    """Conditions of the burst, from which the limit of its rate is found."""

    seconds: float  # from the first event to the last answer
    threads: int  # of all workers: answers that are made at the same time
    model_s: float  # for one answer
    web_cores: float  # processor time over time
    cores_of_each_worker: float
    not_acknowledged: int
    clicks: int
    calls_per_answer: dict[str, float]  # of Slack's Web API, by method
    refused_by_rate: int

    def lines(self, figures: Figures) -> list[str]:
        """They in words."""
        calls = ", ".join(f"{method} {count:.1f}" for method, count in sorted(self.calls_per_answer.items()))
        return [
            f"{self.seconds:.1f} s from the first event to the last answer; {self.clicks} clicks meanwhile",
            f"{self.not_acknowledged} requests with events were not acknowledged by 200 within 3 s",
            f"processor: web {self.web_cores:.2f} of a core, each worker {self.cores_of_each_worker:.2f}",
            f"Slack's methods for each answer: {calls}; {self.refused_by_rate} refused as too many",
            f"limited by: {self._limit(figures)}",
        ]

    def _limit(self, figures: Figures) -> str:
        waiting = self.model_s * figures.replies_per_s / self.threads  # share of the threads' time
        if self.refused_by_rate:
            return "Slack, which takes one message a second in a channel"
        if self.cores_of_each_worker > 0.8:
            return "the worker's processor time: one process uses about one core; start another where there is one"
        if waiting > 0.6:
            return f"waiting for the model ({waiting:.0%} of the threads' time): more WORKER_CONCURRENCY"
        return f"waiting for Slack and the database, and for a processor; {waiting:.0%} of the time for the model"


def outcome(threads: dict[tuple[str, str], list[bool]], asked: list[tuple[str, str]]) -> dict[str, int]:
    """Count the questions answered, lost and doubled, from the messages in each thread: is it an answer?"""
    said = [threads.get(thread, []) for thread in asked]
    return {
        "answered": sum(messages == [True] for messages in said),
        "lost": sum(not any(messages) for messages in said),
        "doubled": sum(len(messages) > 1 for messages in said),
    }


def percentile(values: list[float], share: float) -> float:
    """The smallest value that this share of all values does not exceed. 0.0 without values."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0.0
