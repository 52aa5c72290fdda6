"""Decide if the engine is asked just now, and count by reason how often this process did without it."""

import logging
import time

from core.errors import EngineError
from core.infrastructure.measures.families import engine_not_used

logger = logging.getLogger(__name__)

PAUSE_S = 30.0  # in which an engine that failed is not asked again: each failure costs a person up to its time limit

_until = 0.0


def may_ask() -> bool:
    """Return True if the engine has not failed in the last half minute."""
    return time.monotonic() >= _until


def note_failure(error: EngineError) -> None:
    """Leave the engine alone for a while."""
    global _until
    _until = time.monotonic() + PAUSE_S
    note_missed(error.reason)


def note_missed(reason: str) -> None:
    """Count, and log, that a search went on without the engine.

    reason: one of core.infrastructure.measures.families.ENGINE_MISSES.
    """
    engine_not_used.labels(reason).inc()
    logger.warning("engine_not_used", extra={"reason": reason})


def forget() -> None:
    """Ask again at once."""
    global _until
    _until = 0.0
