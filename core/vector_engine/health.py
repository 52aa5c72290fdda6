"""Whether the engine is asked just now, and how often this process went without it, by reason."""

import logging
import threading
import time
from collections import Counter

from core.errors import EngineError

logger = logging.getLogger(__name__)

PAUSE_S = 30.0  # in which an engine that failed is not asked again: each failure costs a person up to its time limit

_lock = threading.Lock()
_missed: Counter[str] = Counter()
_until = 0.0


def may_ask() -> bool:
    """Whether the engine has not failed in the last half minute."""
    return time.monotonic() >= _until


def note_failure(error: EngineError) -> None:
    """Leave the engine alone for a while."""
    global _until
    _until = time.monotonic() + PAUSE_S
    note_missed(error.reason)


def note_missed(reason: str) -> None:
    """Count, and log, that a search went on without the engine. reason: a word of the code, such as "away"."""
    with _lock:
        _missed[reason] += 1
    logger.warning("engine_not_used", extra={"reason": reason, "times": _missed[reason]})


def count_missed() -> dict[str, int]:
    """How often this process searched without the engine although it is configured, by reason."""
    with _lock:
        return dict(_missed)


def forget() -> None:
    """Ask again at once, with all counts at none."""
    global _until
    with _lock:
        _missed.clear()
        _until = 0.0
