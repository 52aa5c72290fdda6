"""Ask questions in one way, for one audience, hold what comes back against the truth, and keep the measurements."""

import datetime as dt
import gc
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

import numpy as np
from django.db import OperationalError, connection
from psycopg.errors import QueryCanceled

from core.models import BenchmarkResult
from core.types import Audience

WARM_UP = 10  # questions asked before the clock starts
# One way to search may be so slow that all questions would take an hour: then fewer are asked, and the figures say so.
MOST_SECONDS = 10.0
LEAST_QUESTIONS = 5
MOST_SECONDS_OF_ONE = 5.0  # then a question is given up: it found nothing, and no other is asked

Step = Callable[[int], None]  # called with how many more are done

# The columns of BenchmarkResult; other figures are in its details.
_COLUMNS = ("index_type", "strategy", "recall_at_k", "memory_usage_mb", "corpus_size")

# Two similarities that differ by less may change places by rounding alone.
AS_NEAR = 1e-6


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """The results of one search, nearest first, and the index used."""

    ids: list[UUID]
    index_type: str


Find = Callable[[np.ndarray, Audience], Found]  # from a question's vector; it opens its own transaction


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Way:
    """A way to search, and what it keeps for it."""

    strategy: str
    find: Find
    candidates: int  # that it is asked for, of which the first k count
    memory_mb: float  # of its indexes and copies; the table itself does not count
    build_s: float


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Case:
    """The readers of one measurement, and what they should get."""

    grants: str
    share: float  # of the corpus that they may read, in percent
    readers: str
    audience: Audience
    permitted: int  # chunks
    may_read: Callable[[UUID], bool]  # whether a chunk is permitted, by the list of grants
    truths: Sequence[frozenset[UUID]]  # of each question: the nearest k, and what is as near as the last of them


@dataclass(frozen=True, kw_only=True, slots=True)
class Measurement:
    """One strategy's figures for one audience. Recall is 0..1.

    The last three of the first block count over all questions.
    """

    strategy: str
    index_type: str
    grants: str
    share: float  # percent
    audience: str
    recall_at_k: float  # mean over the questions
    recall_min: float
    latency_p50_ms: float
    latency_p95_ms: float
    short_results: int  # questions with fewer results than k, although more are permitted
    duplicates: int  # results that were there already
    forbidden: int  # results that the audience may not read

    memory_usage_mb: float
    given_up: int  # questions that took longer than MOST_SECONDS_OF_ONE
    build_s: float
    corpus_size: int  # chunks
    permitted: int  # chunks
    k: int
    candidates: int  # that were asked for, of which the first k count
    questions: int
    seed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """The judgement of one question's results."""

    recall: float
    short: bool
    duplicates: int
    forbidden: int


def judge(ids: Sequence[UUID], truth: frozenset[UUID], case: Case, k: int) -> Judged:
    """Hold one question's results against the truth and the grants."""
    distinct = set(ids)
    wanted = min(k, case.permitted)
    return Judged(
        recall=min(len(distinct & truth), wanted) / wanted if wanted else 1.0,
        short=len(distinct) < wanted,
        duplicates=len(ids) - len(distinct),
        forbidden=sum(not case.may_read(pk) for pk in ids),
    )


def measure(
    way: Way, case: Case, questions: np.ndarray, *, k: int, corpus_size: int, seed: int, step: Step
) -> Measurement:
    """Ask the questions in one way. The time of one is that of its whole transaction."""
    judged: list[Judged] = []
    times: list[float] = []
    used = Counter[str]()
    given_up = _warm_up(way, case, questions)
    deadline = time.perf_counter() + MOST_SECONDS
    with _no_collection():
        for vector, truth in zip(questions, case.truths, strict=True):
            started = time.perf_counter()
            if (given_up and times) or (started > deadline and len(times) >= LEAST_QUESTIONS):
                break
            found = _ask_way(way, vector, case)
            times.append((time.perf_counter() - started) * 1000)
            given_up = found is None
            judged.append(judge(found.ids if found else [], truth, case, k))
            used[found.index_type if found else way.strategy] += 1
            step(1)
    step(len(questions) - len(times))
    recalls = [each.recall for each in judged]
    return Measurement(
        strategy=way.strategy,
        index_type=used.most_common(1)[0][0],
        grants=case.grants,
        share=case.share,
        audience=case.readers,
        recall_at_k=round(float(np.mean(recalls)), 4),
        recall_min=round(min(recalls), 4),
        latency_p50_ms=round(float(np.percentile(times, 50)), 3),
        latency_p95_ms=round(float(np.percentile(times, 95)), 3),
        short_results=sum(each.short for each in judged),
        duplicates=sum(each.duplicates for each in judged),
        forbidden=sum(each.forbidden for each in judged),
        memory_usage_mb=round(way.memory_mb, 2),
        given_up=int(given_up),
        build_s=round(way.build_s, 3),
        corpus_size=corpus_size,
        permitted=case.permitted,
        k=k,
        candidates=way.candidates,
        questions=len(times),
        seed=seed,
    )


@contextmanager
def limit_statement_time() -> Iterator[None]:
    """Within the block PostgreSQL ends each statement that takes longer than MOST_SECONDS_OF_ONE."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, false)", [f"{MOST_SECONDS_OF_ONE * 1000:.0f}"])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET statement_timeout")


def _ask_way(way: Way, vector: np.ndarray, case: Case) -> Found | None:
    """Return the results of a search; None when PostgreSQL cancelled it."""
    try:
        return way.find(vector, case.audience)
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            return None
        raise


def _warm_up(way: Way, case: Case, questions: np.ndarray) -> bool:
    """Ask some questions for nothing. True when one was given up."""
    deadline = time.perf_counter() + MOST_SECONDS / 2
    for vector in questions[:WARM_UP]:
        if _ask_way(way, vector, case) is None:
            return True
        if time.perf_counter() > deadline:
            break
    return False


@contextmanager
def _no_collection() -> Iterator[None]:
    """Python's collector of cycles stops for some milliseconds, at moments that have to do with no search."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def as_json(measurement: Measurement) -> dict[str, Any]:
    """One line of figures."""
    return asdict(measurement)


def run_name(now: dt.datetime) -> str:
    """Return a unique name for a run; names of later runs sort behind."""
    return f"{now:%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}"


def store(measurements: Sequence[Measurement], *, run: str, measured_at: dt.datetime, library: str) -> None:
    """Keep a run's measurements. library: "synthetic" or "live"."""
    BenchmarkResult.objects.bulk_create(
        BenchmarkResult(
            **{name: getattr(measurement, name) for name in _COLUMNS},
            query_latency_ms=measurement.latency_p50_ms,
            selectivity=measurement.share / 100,
            details={
                **{name: value for name, value in as_json(measurement).items() if name not in _COLUMNS},
                "run": run,
                "measured_at": measured_at.isoformat(timespec="seconds"),
                "library": library,
            },
        )
        for measurement in measurements
    )


def truths(similarities: np.ndarray, rows: np.ndarray, ids: Sequence[UUID], k: int) -> list[frozenset[UUID]]:
    """For each question the ids of the k nearest rows of those permitted, and of rows as near as the last of them.

    similarities: (questions, chunks). rows: which are permitted, bool, (chunks,). ids: of the chunks.
    """
    permitted = np.flatnonzero(rows)
    return [_find_nearest(similarity[permitted], permitted, ids, k) for similarity in similarities]


def _find_nearest(similarity: np.ndarray, numbers: np.ndarray, ids: Sequence[UUID], k: int) -> frozenset[UUID]:
    if not len(numbers):
        return frozenset()
    last = min(k, len(numbers))
    least = np.partition(similarity, len(similarity) - last)[len(similarity) - last]
    return frozenset(ids[number] for number in numbers[similarity >= least - AS_NEAR])
