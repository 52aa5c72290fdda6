"""Count and time each process's work, in Prometheus' form. Pure: nothing is asked, stored or sent.

Each process has its own figures, which begin at 0 when it starts; Prometheus adds them up and copes with their
restarts. A label is one of a few words of ours or the name of a model, never a person, a role, a document or a
question. Counters whose labels are known have them all from the start, since one that first appears with 1 shows no
increase.
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics

disable_created_metrics()  # type: ignore[no-untyped-call] # a series more for each, which nobody asks for
REGISTRY = CollectorRegistry()

# Seconds. An acknowledgement takes milliseconds, and Slack gives up after 3 s. The other edges are where measured times
# lie: the steps of an answer take 1 to 300 ms, one with a real model up to a minute.
_ACKNOWLEDGE = (0.005, 0.01, 0.02, 0.04, 0.08, 0.15, 0.3, 0.6, 1, 2, 3, 5)
_STEP = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_ANSWER = (0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 5, 8, 12, 20, 30, 60, 120)
_INGESTION = (0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
_JOB = (0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600)
_SYNC = (1, 5, 15, 60, 300, 900, 3600, 14400, 43200)

MODEL_ERRORS = ("authentication", "refused", "rate_limit", "timeout", "connection", "server", "other")
VERDICTS = ("yes", "no", "unclear")
# away, slow, lost, error: the engine failed. paused: it is left alone after that. Others: it is of no use to a search.
ENGINE_MISSES = ("away", "slow", "lost", "error", "paused", "not built", "behind", "short", "many documents")


def _make_histogram(name: str, text: str, labels: Iterable[str] = (), *, edges: tuple[float, ...]) -> Histogram:
    return Histogram(name, text, tuple(labels), buckets=edges, registry=REGISTRY)


def _make_counter(name: str, text: str, labels: Iterable[str] = (), *, known: Iterable[str] = ()) -> Counter:
    """Return a counter; known: the values of its only label."""
    counter = Counter(name, text, tuple(labels), registry=REGISTRY)
    for value in known:
        counter.labels(value)
    return counter


acknowledge_seconds = _make_histogram(
    "footnote_acknowledge_seconds",
    "From Slack's request until it is acknowledged, by transport: http or socket.",
    ["transport"],
    edges=_ACKNOWLEDGE,
)
reply_seconds = _make_histogram(
    "footnote_reply_seconds",
    "From a stored Slack event to its final reply, by how the reply ended: posted, failed, silent, stopped.",
    ["state"],
    edges=_ANSWER,
)
for _state in ("posted", "failed", "silent", "stopped"):
    reply_seconds.labels(_state)
slack_call_seconds = _make_histogram(
    "footnote_slack_call_seconds", "One call of Slack's Web API, by method.", ["method"], edges=_STEP
)
answer_seconds = _make_histogram(
    "footnote_answer_seconds",
    "A whole question, by where it was asked and how it ended: answered, refused, failed.",
    ["surface", "outcome"],
    edges=_ANSWER,
)
step_seconds = _make_histogram(
    "footnote_answer_step_seconds", "What a step of a question took in all.", ["step"], edges=_STEP
)
first_statement_seconds = _make_histogram(
    "footnote_first_statement_seconds",
    "From a question to its first statement that was shown while a model still wrote.",
    edges=_ANSWER,
)
refusals = _make_counter("footnote_refusals", "Questions without an answer, by reason.", ["reason"])
dropped_statements = _make_counter(
    "footnote_statements_dropped", "Statements that verification left out, by reason.", ["reason"]
)
doubted_statements = _make_counter(
    "footnote_statements_doubted",
    "Statements that rules doubt and a judge decides about, or that are left out without one, by reason.",
    ["reason"],
)
verdicts = _make_counter(
    "footnote_judge_verdicts",
    "What the judge said of statements that rules doubt; unclear: nothing that counts.",
    ["verdict"],
    known=VERDICTS,
)
judge_failures = _make_counter("footnote_judge_failures", "Calls of the judge that failed or came too late.")
tokens = _make_counter("footnote_model_tokens", "Tokens by model and kind: prompt or completion.", ["model", "kind"])
cost_usd = _make_counter("footnote_model_cost_usd", "US dollars by LiteLLM's price list, by model.", ["model"])
model_errors = _make_counter("footnote_model_errors", "Model calls that failed, by kind.", ["kind"], known=MODEL_ERRORS)
retrievals = _make_counter("footnote_retrievals", "Searches of the library, by strategy.", ["strategy"])
short_retrievals = _make_counter(
    "footnote_short_retrievals",
    "Searches that found fewer passages than wanted, although more could be read. A fault of ours.",
)
engine_not_used = _make_counter(
    "footnote_engine_not_used",
    "Searches that went on without the vector engine that the settings name, by reason.",
    ["reason"],
    known=ENGINE_MISSES,
)
ingestion_step_seconds = _make_histogram(
    "footnote_ingestion_step_seconds",
    "A step of taking documents in: fetch, parse and cut of one file, embed and store of a window of many.",
    ["step"],
    edges=_INGESTION,
)
ingested_documents = _make_counter(
    "footnote_ingested_documents",
    "Documents by what became of them: stored, unchanged, failed.",
    ["outcome"],
    known=("stored", "unchanged", "failed"),
)
job_wait_seconds = _make_histogram(
    "footnote_job_wait_seconds", "How long a background job waited after it was due, by task.", ["task"], edges=_JOB
)
job_seconds = _make_histogram(
    "footnote_job_seconds",
    "A run of a background job, by task and outcome: done or failed.",
    ["task", "outcome"],
    edges=_JOB,
)
sync_run_seconds = _make_histogram(
    "footnote_sync_run_seconds", "A run of a data source, by its kind and how it ended.", ["kind", "state"], edges=_SYNC
)


def prepare(*, reasons: Iterable[str], dropped: Iterable[str], strategies: Iterable[str]) -> None:
    """Begin at 0 what this process may count: reasons of refusals and of dropped statements, strategies of search."""
    for counter, values in (
        (refusals, reasons),
        (dropped_statements, dropped),
        (doubted_statements, dropped),
        (retrievals, strategies),
    ):
        for value in values:
            counter.labels(value)


@contextmanager
def timed(family: Histogram, *labels: str) -> Iterator[None]:
    """Observe how long the block takes, whether it fails or not."""
    started = time.perf_counter()
    try:
        yield
    finally:
        (family.labels(*labels) if labels else family).observe(time.perf_counter() - started)


def count_usage(model: str, *, prompt_tokens: int, completion_tokens: int, cost: float) -> None:
    """Count what calls of a model consumed; cost in US dollars."""
    tokens.labels(model, "prompt").inc(prompt_tokens)
    tokens.labels(model, "completion").inc(completion_tokens)
    cost_usd.labels(model).inc(cost)
