"""Questions over REST and MCP and the ingestion of a file, as the traces have them: whole, and without a word."""

import json

import pytest
from django.test import Client
from opentelemetry.sdk.trace import TracerProvider
from pytest_django import Settings

from core.infrastructure.tracing import spans
from core.infrastructure.tracing.export import SCOPE, may_leave
from core.library.ingestion.jobs import create_job
from core.models import AuthToken, IngestionJob, QueryLog
from core.testing import Cast
from tests.integration.bot.worker import run_worker
from tests.integration.otlp import attributes_of, receiver, traced
from tests.integration.rest.conftest import CANARIES, CANTEEN_QUESTION, VAULT_QUESTION, Caller, Library

pytestmark = pytest.mark.django_db(transaction=True)
WORDS = (*CANARIES, "canteen", "harbour", "vault", "alice", "example.com", "owners", "xylophonecanary")


def test_requests_and_files_leave_traces_without_a_word(cast: Cast, library: Library, settings: Settings) -> None:
    """One trace for each, with the answer in its request and the steps of ingestion in their job."""
    settings.EVALUATION_ENABLED = False
    alice = Caller(cast.alice)
    token = AuthToken.objects.create(cast.alice)[1]
    call = {"name": "ask", "arguments": {"question": VAULT_QUESTION}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
        "Host": "testserver",
    }
    with receiver() as (endpoint, received), traced(endpoint) as flush:
        asked = alice.ask(CANTEEN_QUESTION)
        told = Client().post("/mcp", body, content_type="application/json", headers=headers)
        files = [("xylophonecanary.md", b"# Xylophonecanary\n\nThe harbour office has a vault.")]
        job = create_job(files=files, collection=library.canteen.collection, roles=[cast.owners], by=cast.alice)
        run_worker()
        flush()
    assert told.status_code == 200, told.content
    assert IngestionJob.objects.get().files.get().state == "done"
    rest, mcp = QueryLog.objects.order_by("created_at")
    assert rest.request_id == asked["request_id"]
    for log, route, surface in ((rest, "api/v1/ask", "rest"), (mcp, "mcp", "mcp")):
        mine = {span.name: span for span in received.spans if span.trace_id.hex() == log.trace_id}
        assert mine["answer"].parent_span_id == mine["http.request"].span_id
        assert attributes_of(mine["http.request"]) == {"method": "POST", "status": 200, "route": route}
        assert attributes_of(mine["answer"])["surface"] == surface
    ingested = [span for span in received.spans if span.trace_id.hex() == f"{spans.ids_of(job.pk)[0]:032x}"]
    [begun] = [span for span in ingested if not span.parent_span_id]
    [done] = [span for span in ingested if span.name == "job"]
    assert (begun.name, done.parent_span_id) == ("ingestion.job", begun.span_id)
    steps = {span.name for span in ingested if span.parent_span_id == done.span_id}
    assert steps == {f"ingestion.{step}" for step in ("fetch", "parse", "cut", "embed", "store")}
    sent = b"".join(received.bodies).lower()
    assert [word for word in WORDS if word.lower().encode() in sent] == []


def test_what_is_not_ours_does_not_leave() -> None:
    """Another library's span, an unknown name or attribute, an event, words of an error: none of it is sent."""
    canary = "xylophonecanary opens at noon"
    with receiver() as (endpoint, received), traced(endpoint) as flush:
        ours = spans._tracer
        assert ours is not None
        ours.start_span(canary).end()
        ours.start_span("answer", attributes={"question": canary}).end()
        with_event = ours.start_span("answer")
        with_event.add_event(canary)
        with_event.end()
        with pytest.raises(ValueError, match="noon"), spans.span("answer", model=canary, reason="unsure", title=canary):
            raise ValueError(canary)
        flush()
    [sent] = received.spans
    assert attributes_of(sent) == {"reason": "unsure", "error": "ValueError"}
    assert (sent.status.message, list(sent.events)) == ("", [])
    assert b"xylophonecanary" not in b"".join(received.bodies)
    foreign = TracerProvider().get_tracer("trulens").start_span("answer")
    assert not may_leave(foreign)  # type: ignore[arg-type] # the SDK's own
    assert may_leave(TracerProvider().get_tracer(SCOPE).start_span("answer"))  # type: ignore[arg-type] # as above
    assert spans.current_trace_id() == ""
