"""Test the web process's report on itself."""

from datetime import timedelta
from unittest.mock import patch

import pytest
import requests
from django.conf import settings as configured
from django.core.checks import Tags, run_checks
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from adminsite import pgvector
from bot.models import SocketHeartbeat
from core.infrastructure.measures.port import serve
from core.infrastructure.version import VERSION, find_commit
from core.library.ingestion.sandbox.probe import probe
from core.models import Collection, Document

HEALTHY = {"database": "ok", "migrations": "ok", "pgvector": "ok"}


def _fence() -> dict[str, object]:
    """Return the expected report on the sandbox, by names alone."""
    report = probe()
    return {"fence": configured.INGEST_FENCE, "holds": report.holds, **report.as_json()}


@pytest.mark.django_db
def test_ready_when_the_database_is_as_the_code_wants_it(client: Client) -> None:
    """All three checks pass on a migrated database."""
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (200, {"status": "ok", "checks": HEALTHY, "ingestion": _fence()})


@pytest.mark.django_db
def test_not_ready_while_a_migration_waits(client: Client) -> None:
    """New code before its migration must get no requests."""
    applied = MigrationRecorder.Migration.objects.filter(app="core").order_by("name").last()
    assert applied is not None
    applied.delete()
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json() == {
        "status": "unavailable",
        "checks": HEALTHY | {"migrations": "missing"},
        "ingestion": _fence(),
    }


@pytest.mark.django_db
def test_not_ready_with_an_old_pgvector(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The start is refused by a system check as well, with the versions in words."""
    monkeypatch.setattr(pgvector, "MINIMUM", (999, 0, 0))
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["checks"] == HEALTHY | {"pgvector": "unsuitable"}
    [error] = [m for m in run_checks(tags=[Tags.database], databases=["default"]) if m.id == "footnote.E008"]
    assert "is too old: 999.0.0 or newer is needed" in error.msg
    assert "ALTER EXTENSION vector UPDATE" in str(error.hint)


@pytest.mark.django_db
def test_the_database_check_passes_here() -> None:
    """Otherwise the test above would prove nothing."""
    assert [m for m in run_checks(tags=[Tags.database], databases=["default"]) if m.is_serious()] == []


def test_a_database_that_is_away_shows_no_internals(client: Client) -> None:
    """Alive but not ready; neither answer nor check repeats what the driver said."""
    away = OperationalError("connection to server at 10.0.0.7 failed: password canary")
    with patch.object(connection, "cursor", side_effect=away):
        assert client.get("/livez").json() == {"status": "ok"}
        response = client.get("/readyz")
        messages = run_checks(tags=[Tags.database], databases=["default"])
    assert response.status_code == 503
    assert response.json()["checks"] == {"database": "unavailable", "migrations": "unknown", "pgvector": "unknown"}
    assert "canary" not in response.content.decode()
    assert "footnote.E007" in {message.id for message in messages}
    assert "canary" not in " ".join(map(str, messages))


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_health_can_only_be_read(client: Client, method: str) -> None:
    """Anything else is not allowed."""
    assert {getattr(client, method)(path).status_code for path in ("/livez", "/readyz", "/metrics")} == {405}


@pytest.mark.django_db
def test_figures_are_for_who_brings_the_token(client: Client, settings: Settings) -> None:
    """Without the setting there is no such page, and a wrong token gets nothing."""
    settings.DEBUG = False
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404
    settings.METRICS_TOKEN = "s3cret"
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer s3cret"}).status_code == 200


@pytest.mark.django_db
def test_figures_count_and_name_nothing(client: Client, settings: Settings) -> None:
    """Documents and refusals are counted; their titles and texts are nobody's business."""
    settings.METRICS_TOKEN = "s3cret"
    collection = Collection.objects.create(name="canary collection")
    Document.objects.create(title="canary title", collection=collection, ingested_at=timezone.now())
    text = client.get("/metrics", headers={"Authorization": "Bearer s3cret"}).content.decode()
    assert f'\nfootnote_build_info{{commit="{find_commit()}",version="{VERSION}"}} 1.0\n' in text
    assert "\nfootnote_documents 1.0\n" in text
    assert "\nfootnote_chunks 0.0\n" in text
    assert "process_resident_memory_bytes" in text
    assert "canary" not in text


@pytest.mark.django_db
def test_metrics_tell_since_when_slack_is_silent(client: Client, settings: Settings) -> None:
    """Only where it was ever heard over Socket Mode; the latest sign of life counts."""
    settings.METRICS_TOKEN = "s3cret"

    def shown() -> str:
        return client.get("/metrics", headers={"Authorization": "Bearer s3cret"}).content.decode()

    assert "footnote_slack_silence_seconds" not in shown()
    SocketHeartbeat.beat()
    SocketHeartbeat.objects.update(alive_at=timezone.now() - timedelta(seconds=90))
    assert "\nfootnote_slack_silence_seconds 9" in shown()
    SocketHeartbeat.beat()
    assert "\nfootnote_slack_silence_seconds 0." in shown()


@pytest.mark.django_db
def test_metrics_tell_what_waits_and_for_how_long(client: Client, settings: Settings) -> None:
    """A job counts from when it was due; later, finished and failed ones do not count."""
    settings.METRICS_TOKEN = "s3cret"
    with connection.cursor() as cursor:
        for status, due in (("todo", "90 seconds"), ("todo", "-1 hour"), ("succeeded", "1 day"), ("failed", "1 day")):
            cursor.execute(
                "INSERT INTO procrastinate_jobs (queue_name, task_name, status, scheduled_at)"
                " VALUES ('default', 'bot.answer', %s, clock_timestamp() - %s::interval)",
                [status, due],
            )
        # It was queued before it became due, as a job that is tried again later.
        cursor.execute("UPDATE procrastinate_events SET at = at - interval '1 day'")
    text = client.get("/metrics", headers={"Authorization": "Bearer s3cret"}).content.decode()
    assert '\nfootnote_jobs_waiting{task="bot.answer"} 1.0\n' in text
    assert '\nfootnote_oldest_job_seconds{task="bot.answer"} 9' in text
    assert "footnote_jobs_running{" not in text


def test_a_process_without_a_page_shows_its_figures_at_a_port() -> None:
    """With the token, at its path, and read only; a port that is taken is no reason to stop."""
    server = serve("127.0.0.1", 0, token="s3cret", with_disk=True)
    assert server is not None
    address = f"http://127.0.0.1:{server.server_address[1]}"
    right = {"Authorization": "Bearer s3cret"}
    try:
        shown = requests.get(f"{address}/metrics", headers=right, timeout=5)
        assert shown.status_code == 200
        assert "\nfootnote_short_retrievals_total " in shown.text
        assert "\nfootnote_sandbox_free_bytes " in shown.text
        wrong = [
            requests.get(f"{address}/metrics", timeout=5),
            requests.get(f"{address}/metrics", headers={"Authorization": "Bearer wrong"}, timeout=5),
            requests.get(f"{address}/", headers=right, timeout=5),
            requests.post(f"{address}/metrics", headers=right, timeout=5),
        ]
        assert [(each.status_code, each.text) for each in wrong] == [(404, "")] * 4
        assert serve("127.0.0.1", server.server_address[1], token="") is None
    finally:
        server.shutdown()
        server.server_close()


def test_browsers_find_the_icon_where_they_look_for_it(client: Client) -> None:
    """Pages that name none, such as a file or JSON, have it too."""
    answer = client.get("/favicon.ico", secure=True)
    assert answer.status_code == 301
    assert answer["Location"].endswith("adminsite/icon.svg")
