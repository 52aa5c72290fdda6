"""Examples in the OpenAPI schema."""

from drf_spectacular.utils import OpenApiExample

_ROW = {
    "key": "staff",
    "label": "staff",
    "questions": 120,
    "answered": 96,
    "closest": 14,
    "refused": 10,
    "up": 31,
    "down": 4,
    "reasons": {"wrong": 1, "not_found": 2, "bad_source": 0, "too_slow": 1, "other": 0},
    "evaluated": 96,
    "relevance": 0.91,
    "groundedness": 0.88,
    "answer_relevance": 0.86,
    "confidence": 0.74,
    "mean_similarity": 0.52,
    "latency_p50_ms": 840.0,
    "latency_p95_ms": 2310.0,
    "prompt_tokens": 250400,
    "completion_tokens": 31800,
    "cost_usd": 0.85,
}
REPORT_EXAMPLE = OpenApiExample(
    "By role",
    summary="GET /api/v1/reports?by=role&since=2026-03-01&until=2026-03-31",
    value={
        "since": "2026-03-01",
        "until": "2026-03-31",
        "by": "role",
        "total": {**_ROW, "key": "", "label": "All"},
        "rows": [_ROW],
    },
    response_only=True,
    media_type="application/json",
)
