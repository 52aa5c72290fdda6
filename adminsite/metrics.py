"""Figures about Footnote in Prometheus' form. Counts and times only; no labels that name a person or a document."""

import os
from collections.abc import Iterator

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from core.infrastructure.measures.families import REGISTRY
from core.infrastructure.measures.port import is_allowed
from core.infrastructure.version import VERSION, find_commit
from core.models import Alert, Chunk, Document, EngineChange
from core.models.row_security import bypass_row_security

_COUNTED = 10_000  # rows; of a larger table PostgreSQL's own estimate is shown

# Reads what waits and what runs, by partial indexes, however many jobs are done.
_WAITING = """
    SELECT job.task_name, count(*),
           coalesce(max(extract(epoch FROM clock_timestamp() - greatest(job.scheduled_at, deferred.at))), 0)
    FROM procrastinate_jobs job
    JOIN LATERAL (
        SELECT max(event.at) AS at FROM procrastinate_events event
        WHERE event.job_id = job.id AND event.type IN ('deferred', 'deferred_for_retry')
    ) deferred ON true
    WHERE job.status = 'todo' AND (job.scheduled_at IS NULL OR job.scheduled_at <= clock_timestamp())
    GROUP BY job.task_name
"""
_RUNNING = "SELECT task_name, count(*) FROM procrastinate_jobs WHERE status = 'doing' GROUP BY task_name"


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Show the figures to who brings METRICS_TOKEN as a bearer token. Without that setting only DEBUG shows them."""
    given = request.headers.get("Authorization", "")
    if not (is_allowed(given, settings.METRICS_TOKEN) if settings.METRICS_TOKEN else settings.DEBUG):
        raise Http404
    return HttpResponse(generate_latest(_build_registry()), content_type=CONTENT_TYPE_LATEST)


class DatabaseCollector(Collector):
    """Figures from the database, the same whichever process is asked. No table is read whole."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Return one family of values per figure."""
        build = GaugeMetricFamily("footnote_build_info", "Which Footnote runs; always 1.", labels=["version", "commit"])
        build.add_metric([VERSION, find_commit()], 1)
        yield build
        yield from _collect_jobs()
        yield GaugeMetricFamily("footnote_documents", "Documents in the library.", value=_count_rows(Document))
        yield GaugeMetricFamily("footnote_chunks", "Chunks in the library.", value=_count_rows(Chunk))
        alerts = Alert.objects.filter(acknowledged_at=None).count()
        yield GaugeMetricFamily("footnote_alerts", "Alerts that nobody has acknowledged.", value=alerts)
        changes = _count_rows(EngineChange)
        yield GaugeMetricFamily(
            "footnote_engine_changes", "Changes of which the vector engine has still to be told.", value=changes
        )
        heard_at = apps.get_model("bot", "SocketHeartbeat")._default_manager.values_list("alive_at", flat=True).first()
        if heard_at:  # only where Slack is heard over Socket Mode
            silence_s = (timezone.now() - heard_at).total_seconds()
            yield GaugeMetricFamily(
                "footnote_slack_silence_seconds", "Seconds since Slack last answered over Socket Mode.", value=silence_s
            )


def _collect_jobs() -> Iterator[GaugeMetricFamily]:
    waiting = GaugeMetricFamily("footnote_jobs_waiting", "Background jobs that are due, by task.", labels=["task"])
    oldest = GaugeMetricFamily(
        "footnote_oldest_job_seconds", "For how long the oldest job of a task has been due.", labels=["task"]
    )
    running = GaugeMetricFamily("footnote_jobs_running", "Background jobs that workers do now.", labels=["task"])
    with connection.cursor() as cursor:
        cursor.execute(_WAITING)
        for task, count, seconds in cursor.fetchall():
            waiting.add_metric([task], count)
            oldest.add_metric([task], max(0.0, float(seconds)))
        cursor.execute(_RUNNING)
        for task, count in cursor.fetchall():
            running.add_metric([task], count)
    yield from (waiting, oldest, running)


def _count_rows(model: type[Chunk | Document | EngineChange]) -> int:
    """Count the rows: exactly while they are few, else by PostgreSQL's statistics."""
    with bypass_row_security():
        count = model.objects.order_by()[: _COUNTED + 1].count()
    if count <= _COUNTED:
        return count
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples::bigint FROM pg_class WHERE oid = %s::regclass", [model._meta.db_table])
        (estimate,) = cursor.fetchone()
    return max(count, int(estimate))


def _build_registry() -> CollectorRegistry:
    registry = CollectorRegistry()
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    else:
        registry.register(REGISTRY)
    for collector in (ProcessCollector(registry=None), PlatformCollector(registry=None), DatabaseCollector()):
        registry.register(collector)
    return registry
