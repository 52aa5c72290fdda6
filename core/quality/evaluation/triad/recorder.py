"""Recording an exchange in TruLens and letting TruLens compute its metrics.

The session is made at the first use, in the process that scores: it is a singleton of TruLens that sets
OpenTelemetry's global tracer provider. Nothing but references, figures and times goes into TruLens's tables.
"""

import logging
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from core.errors import EvaluationError
from core.quality.evaluation.triad import metrics
from core.quality.evaluation.triad.exchange import Exchange
from core.quality.evaluation.triad.importing import import_trulens, make_with_event_loop

APP_NAME = "footnote"
_LOCK = threading.Lock()
_ADVISORY_LOCK = 7_042_001  # any number that nothing else in the database uses as an advisory lock
# TruLens looks a record up by this attribute, several times per evaluation, and has no index for it: at 20,000
# records a look-up took 0.5 s without and under 1 ms with it.
_INDEX = (
    "CREATE INDEX IF NOT EXISTS trulens_events_record_id ON trulens_events "
    "(json_extract_path_text(record_attributes, 'ai.observability.record_id'))"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Recorded:
    """A record in TruLens and its scores; one that was to be measured and is None has a failure's message."""

    record_id: str
    scores: dict[str, float | None]
    failures: dict[str, str]


def record(exchange: Exchange, scorer: metrics.Scorer, measured: tuple[str, ...]) -> Recorded:
    """Record an exchange and wait for its scores, up to the setting TRULENS_FEEDBACK_TIMEOUT (seconds).

    measured: the scores to compute, one at least; the others are None without a failure.

    EvaluationError when TruLens cannot record. Safe to call from several threads.
    """
    timeout = settings.TRULENS_FEEDBACK_TIMEOUT
    scoring = metrics.Scoring(exchange=exchange, scorer=scorer, deadline=time.monotonic() + timeout)
    with _translate_errors():
        application = _find_application(scorer.method, measured)
        with _set_current(scoring):
            record_id = application.replay(exchange)
            frame = application.recorder.retrieve_feedback_results(record_ids=[record_id], timeout=timeout)
    scores = {name: _read_number(frame, record_id, name) if name in measured else None for name in metrics.NAMES}
    missing = {name for name in measured if scores[name] is None}
    failures = {name: scoring.failures.get(name, "TruLens returned no score.") for name in missing}
    return Recorded(record_id=record_id, scores=scores, failures=failures)


def prepare() -> None:
    """Make TruLens's tables where they are missing. EvaluationError when that fails."""
    with _translate_errors(), _LOCK:
        _make_session()


class _Replay:
    """The application that TruLens records: it answers again as it was answered, without asking a model.

    The exchange is not kept in it, for TruLens stores an application's attributes.
    """

    def retrieve(self, question: str) -> list[str]:
        """References of the passages that the model last saw."""
        return [passage.reference for passage in metrics.current.get().exchange.passages]

    def answer(self, question: str) -> str:
        """Return the reference of the answer."""
        self.retrieve(question)
        return metrics.current.get().exchange.answer.reference


@dataclass(frozen=True, kw_only=True, slots=True)
class _Application:
    """The replay as TruLens knows it, for one method of scoring."""

    replayed: _Replay
    recorder: Any  # a trulens.apps.app.TruApp
    method: str

    def replay(self, exchange: Exchange) -> str:
        """Record one exchange. Returns TruLens's record id.

        Not `with recorder:`, which refuses a second thread.
        """
        from trulens.core.otel.instrument import OtelRecordingContext

        with OtelRecordingContext(
            tru_app=self.recorder,
            app_name=APP_NAME,
            app_version=self.method,
            run_name="",
            input_id=exchange.question.reference,
        ) as recording:
            self.replayed.answer(exchange.question.reference)
        return str(recording.records[0].record_id)


def _find_application(method: str, measured: tuple[str, ...]) -> _Application:
    with _LOCK:
        return _make_application(method, measured)


@cache
def _make_application(method: str, measured: tuple[str, ...]) -> _Application:
    _make_session()
    from trulens.apps.app import TruApp

    replayed = _instrument_replay()()
    recorder = TruApp(
        replayed,
        app_name=APP_NAME,
        app_version=method,
        main_method=replayed.answer,
        feedbacks=[metric for name, metric in _trulens_metrics().items() if name in measured],
        start_evaluator=False,
    )
    return _Application(replayed=replayed, recorder=recorder, method=method)


@cache
def _make_session() -> Any:
    """TruLens's session on Django's database. The caller holds the lock of this process."""
    import_trulens()
    import sqlalchemy
    from trulens.core.feedback.endpoint import Endpoint
    from trulens.core.session import TruSession

    # TruLens logs the prompts and replies of failed calls. What failed is stored in EvaluationResult.error.
    logging.getLogger("trulens").setLevel(logging.CRITICAL)
    # Without those that only Django understands.
    for_django = {"pool", "isolation_level", "server_side_binding", "assume_role"}
    engine = sqlalchemy.create_engine(
        database_url(),
        connect_args={
            name: value for name, value in connection.settings_dict["OPTIONS"].items() if name not in for_django
        },
        poolclass=sqlalchemy.pool.NullPool,
    )
    with transaction.atomic(), connection.cursor() as cursor:
        # Two workers that start together must not both create TruLens's tables.
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_ADVISORY_LOCK])
        session = TruSession(database_engine=engine)
        cursor.execute("SELECT to_regclass('trulens_events_record_id') IS NULL")
        (lacks_index,) = cursor.fetchone()
        if lacks_index:  # asked, since only the owner of the table may say CREATE INDEX IF NOT EXISTS
            with engine.begin() as trulens:
                trulens.execute(sqlalchemy.text(_INDEX))
    # TruLens counts what metrics cost, and makes its counters at the first count.
    costs: Any = Endpoint
    make_with_event_loop(lambda: costs.track_all_costs_tally(lambda: None))
    return session


def database_url() -> Any:
    """Django's database as SQLAlchemy names it."""
    import sqlalchemy

    database = connection.settings_dict
    return sqlalchemy.URL.create(
        "postgresql+psycopg",
        username=database["USER"] or None,
        password=database["PASSWORD"] or None,
        host=database["HOST"] or None,
        port=int(database["PORT"]) if database["PORT"] else None,
        database=database["NAME"],
    )


@cache
def _instrument_replay() -> type[_Replay]:
    from trulens.core.otel.instrument import instrument
    from trulens.otel.semconv.trace import SpanAttributes

    retrieval = SpanAttributes.RETRIEVAL
    retrieving = instrument(
        span_type=SpanAttributes.SpanType.RETRIEVAL,
        attributes={retrieval.QUERY_TEXT: "question", retrieval.RETRIEVED_CONTEXTS: "return"},
    )
    methods = {"retrieve": retrieving(_Replay.retrieve), "answer": instrument()(_Replay.answer)}
    return type("Replay", (_Replay,), methods)


def _trulens_metrics() -> dict[str, Any]:
    from trulens.core import Metric, Selector

    question, answer = Selector.select_record_input(), Selector.select_record_output()
    passages = Selector.select_context(collect_list=True)
    computed: dict[str, tuple[Any, dict[str, Any]]] = {
        metrics.RELEVANCE: (metrics.relevance, {"question": question, "passages": passages}),
        metrics.GROUNDEDNESS: (metrics.groundedness, {"question": question, "answer": answer, "passages": passages}),
        metrics.ANSWER_RELEVANCE: (metrics.answer_relevance, {"question": question, "answer": answer}),
    }
    return {name: Metric(implementation=by, name=name).on(given) for name, (by, given) in computed.items()}


@contextmanager
def _set_current(scoring: metrics.Scoring) -> Iterator[None]:
    token = metrics.current.set(scoring)
    try:
        yield
    finally:
        metrics.current.reset(token)


@contextmanager
def _translate_errors() -> Iterator[None]:
    import_trulens()
    import sqlalchemy.exc
    from trulens.core.database.exceptions import DatabaseVersionException

    try:
        yield
    except (RuntimeError, ValueError, sqlalchemy.exc.SQLAlchemyError, DatabaseVersionException) as error:
        raise EvaluationError(f"TruLens could not record the answer ({type(error).__name__}).") from error


def _read_number(frame: Any, record_id: str, name: str) -> float | None:
    score = frame[name].get(record_id) if name in frame else None
    return None if score is None or math.isnan(score) else float(score)
