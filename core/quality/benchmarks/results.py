"""Measurements as they are printed and stored."""

import datetime as dt
import secrets
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from core.models import BenchmarkResult
from core.quality.benchmarks.measuring import Measurement

# The columns of BenchmarkResult; other figures are in its details.
_COLUMNS = ("index_type", "strategy", "recall_at_k", "memory_usage_mb", "corpus_size")


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
