"""Test the metrics and traces of a question from Slack: one trace, right figures, and nobody's words."""

import json
import threading
import time

import pytest
from django.test import Client
from pytest_django import Settings

from bot import app as bot_app
from bot.models import Reply, SlackEvent
from core.infrastructure.measures.families import REGISTRY
from core.infrastructure.tracing import spans
from core.models import QueryLog
from core.testing import Cast, make_document
from tests.integration.bot.conftest import ALICE, CHANNEL, mention, signed
from tests.integration.bot.slack_server import TEAM, SlackServer
from tests.integration.bot.worker import run_worker
from tests.integration.counted import count_from_now
from tests.integration.otlp import Received, attributes_of, receiver, traced

QUESTION = "When does the xylophonecanary canteen in the harbour office open?"
TEXT = "The xylophonecanary canteen in the harbour office opens at noon."
# What must stand in no figure and no span: words, titles, people, channels and what asks for them.
SECRETS = ("xylophonecanary", "harbour", "noon", "Zanzibar", "staff", "alice", "example.com", ALICE, CHANNEL, TEAM)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast")]


@pytest.fixture(autouse=True)
def _library(transactional_db: None, cast: Cast, fast: None, workspace: SlackServer) -> None:
    bot_app.get_app.cache_clear()
    make_document("Zanzibar rules", TEXT, roles=[cast.staff], collection="Zanzibar shelf")


def _ask() -> SlackEvent:
    """A mention that is taken in and answered by the worker."""
    raw = json.dumps(mention(QUESTION))
    headers = {name: values[0] for name, values in signed(raw).items() if name != "content-type"}
    posted = Client().post("/slack/events", raw, content_type="application/json", headers=headers, secure=True)
    assert posted.status_code == 200
    run_worker()
    return SlackEvent.objects.select_related("reply").get()


def test_a_question_moves_the_figures(settings: Settings) -> None:
    """Acknowledged, waited for, answered, posted: each once, and the steps have the times that are logged."""
    risen = count_from_now()
    settings.EVALUATION_ENABLED = False
    event = _ask()
    assert event.reply.state == Reply.State.POSTED
    assert risen("footnote_acknowledge_seconds_count", transport="http") == 1
    assert risen("footnote_answer_seconds_count", surface="slack", outcome="answered") == 1
    assert risen("footnote_reply_seconds_count", state="posted") == 1
    assert risen("footnote_job_wait_seconds_count", task="bot.answer") == 1
    assert risen("footnote_job_seconds_count", task="bot.answer", outcome="done") == 1
    assert risen("footnote_retrievals_total", strategy="exact") >= 1
    assert risen("footnote_short_retrievals_total") == 0
    assert risen("footnote_slack_call_seconds_count", method="chat.postMessage") == 1
    log = QueryLog.objects.get()
    for step, took_ms in log.timings_ms.items():
        assert risen("footnote_answer_step_seconds_count", step=step) == 1
        assert risen("footnote_answer_step_seconds_sum", step=step) == pytest.approx(took_ms / 1000, abs=1e-4)
    assert risen("footnote_answer_step_seconds_count", step="store") == 1  # which ends after it is logged
    # Not one label holds a word of what was asked, read or answered, or who it was; and nothing was traced.
    labels = {value for family in REGISTRY.collect() for s in family.samples for value in s.labels.values()}
    assert "bot.answer" in labels
    assert [secret for secret in SECRETS for label in labels if secret.casefold() in label.casefold()] == []
    assert not spans.is_on()
    assert log.trace_id != f"{spans.ids_of(event.pk)[0]:032x}"


def test_an_event_and_its_answer_are_one_trace_without_a_word() -> None:
    """From the request through the job and the steps to Slack's calls: one trace, whose id the answer has.

    The worker scores the answer as well, and TruLens records that through OpenTelemetry, with references of texts.
    """
    with receiver() as (endpoint, received), traced(endpoint) as flush:
        event = _ask()
        flush()
    log = QueryLog.objects.get()
    mine = [span for span in received.spans if span.trace_id.hex() == log.trace_id]
    by_name = {span.name: span for span in mine}
    assert {"slack.event", "job", "answer", "answer.retrieve", "answer.store", "model.call", "slack.call"} <= set(
        by_name
    )
    parents = {span.span_id: span for span in mine}
    root = by_name["slack.event"]
    assert [span.name for span in mine if not span.parent_span_id] == ["slack.event"]
    assert parents[by_name["job"].parent_span_id] is root
    assert parents[by_name["answer"].parent_span_id] is by_name["job"]
    assert parents[by_name["answer.retrieve"].parent_span_id] is by_name["answer"]
    assert attributes_of(root) == {"transport": "http", "slack_event": str(event.pk)}
    told = attributes_of(by_name["answer"])
    assert (told["request_id"], told["surface"], told["outcome"]) == (log.request_id, "slack", "answered")
    assert (told["strategy"], told["citations"]) == (log.retrieval_strategy, 1)
    _assert_no_word(received)


def _assert_no_word(received: Received) -> None:
    sent = b"".join(received.bodies).lower()
    assert b"slack.event" in sent  # else nothing could be in it
    assert [secret for secret in SECRETS if secret.lower().encode() in sent] == []


def test_a_collector_that_is_slow_or_away_hurts_no_answer(settings: Settings) -> None:
    """The reply is posted as ever, and does not wait: not for one that fails late, nor for one that is not there."""
    settings.EVALUATION_ENABLED = False
    with receiver(status=500, delay_s=30) as (endpoint, _), traced(endpoint) as flush:
        waiting = threading.Thread(target=flush, daemon=True)
        started = time.monotonic()
        with spans.span("answer"):
            waiting.start()
        assert _ask().reply.state == Reply.State.POSTED
        assert time.monotonic() - started < 25
    with traced("http://127.0.0.1:9/v1/traces") as flush:
        with spans.span("answer"):
            pass
        flush()
        assert spans.is_on()
