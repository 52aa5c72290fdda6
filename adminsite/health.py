"""For those who watch over the web process: does it live, and can it serve?

The answers name no hosts, versions, users or errors, so that they may be open to all.
"""

import logging

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from adminsite import pgvector
from adminsite.migrate_first import is_behind
from core.library.ingestion.sandbox.probe import probe

logger = logging.getLogger(__name__)


@require_safe
@never_cache
def livez(request: HttpRequest) -> JsonResponse:
    """200 while the process can answer at all."""
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when questions can be served; 503 with the failing check otherwise.

    `ingestion` reports the sandbox of a process that reads files on this machine. Questions can be served without it.
    """
    checks = {"database": "unavailable", "migrations": "unknown", "pgvector": "unknown"}
    try:
        checks["pgvector"] = "ok" if pgvector.problem(connection) is None else "unsuitable"
        checks["database"] = "ok"
        checks["migrations"] = "missing" if is_behind() else "ok"
    except DatabaseError as error:
        logger.warning("not_ready", extra={"error": type(error).__name__})
    ready = all(state == "ok" for state in checks.values())
    fence = probe()
    body = {
        "status": "ok" if ready else "unavailable",
        "checks": checks,
        "ingestion": {"fence": settings.INGEST_FENCE, "holds": fence.holds, **fence.as_json()},
    }
    return JsonResponse(body, status=200 if ready else 503)
