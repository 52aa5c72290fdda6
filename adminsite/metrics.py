"""Figures about Footnote in Prometheus' form. Counts and times only; no labels that name a person or a document."""

import hmac
from collections.abc import Iterator

from django.apps import apps
from django.conf import settings
from django.db.models import Count, Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from procrastinate.contrib.django.models import ProcrastinateJob
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from core.models import Alert, Chunk, Document, EngineChange, Query, QueryLog
from core.models.row_security import bypass_row_security


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """The figures, for who brings METRICS_TOKEN as a bearer token. Without that setting only DEBUG shows them."""
    expected, given = f"Bearer {settings.METRICS_TOKEN}", request.headers.get("Authorization", "")
    allowed = hmac.compare_digest(given.encode(), expected.encode()) if settings.METRICS_TOKEN else settings.DEBUG
    if not allowed:
        raise Http404
    return HttpResponse(generate_latest(_registry()), content_type=CONTENT_TYPE_LATEST)


class DatabaseCollector(Collector):
    """What the database knows, counted at each request: the same whichever process is asked."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """One family of values per figure."""
        yield _by_value("footnote_questions", "Questions by state.", Query.objects.all(), "state")
        refused = QueryLog.objects.exclude(refusal_reason="")
        yield _by_value(
            "footnote_refusals",
            "Questions without an answer by reason; unsure: the closest passages were shown.",
            refused,
            "refusal_reason",
        )
        yield _by_value("footnote_jobs", "Background jobs by status.", ProcrastinateJob.objects.all(), "status")
        for name, help_text, rows in (
            ("footnote_documents", "Documents in the library.", Document.objects.all()),
            ("footnote_chunks", "Chunks in the library.", Chunk.objects.all()),
            (
                "footnote_short_retrievals",
                "Questions for which fewer passages were found than wanted, although more could be read.",
                QueryLog.objects.filter(retrieval_is_short=True),
            ),
            (
                "footnote_engine_changes",
                "Changes of which the vector engine has still to be told.",
                EngineChange.objects.all(),
            ),
            ("footnote_alerts", "Alerts that nobody has acknowledged.", Alert.objects.filter(acknowledged_at=None)),
        ):
            with bypass_row_security():
                yield GaugeMetricFamily(name, help_text, value=rows.count())
        heard_at = apps.get_model("bot", "SocketHeartbeat")._default_manager.values_list("alive_at", flat=True).first()
        if heard_at:  # only where Slack is heard over Socket Mode
            silence_s = (timezone.now() - heard_at).total_seconds()
            yield GaugeMetricFamily(
                "footnote_slack_silence_seconds", "Seconds since Slack last answered over Socket Mode.", value=silence_s
            )


def _by_value(name: str, help_text: str, rows: QuerySet[Model], field: str) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, help_text, labels=[field])
    for value, count in rows.order_by().values_list(field).annotate(Count("pk")):
        family.add_metric([value], count)
    return family


def _registry() -> CollectorRegistry:
    registry = CollectorRegistry()
    for collector in (ProcessCollector(registry=None), PlatformCollector(registry=None), DatabaseCollector()):
        registry.register(collector)
    return registry
