"""Read the thresholds of answers: those that somebody put live in the admin, else those of the settings."""

import threading
from dataclasses import dataclass

from cachetools import TTLCache, cached
from django.conf import settings

from core.models import AnswerThresholds

_SECONDS = 5  # after which every process goes by what was put live
_KEPT: "TTLCache[str, Thresholds | None]" = TTLCache(maxsize=1, ttl=_SECONDS)
_LOCK = threading.Lock()


@dataclass(frozen=True, kw_only=True, slots=True)
class Thresholds:
    """Holds the estimates, 0..1, from which there is an answer, and from which the closest passages are shown."""

    answer_from: float
    closest_from: float
    is_put_live: bool = False  # in the admin, which then counts before ANSWERS_RIGHT too


@cached(_KEPT, key=lambda: "thresholds", lock=_LOCK)
def _read_put_live() -> Thresholds | None:
    row = AnswerThresholds.objects.first()
    if row is None:
        return None
    return Thresholds(answer_from=row.answer_from, closest_from=row.closest_from, is_put_live=True)


def read_thresholds() -> Thresholds:
    """Return the thresholds that hold now; another process's change within some seconds."""
    own = Thresholds(answer_from=float(settings.ANSWER_FROM), closest_from=float(settings.CLOSEST_FROM))
    return _read_put_live() or own


def forget_thresholds() -> None:
    """Have them read anew: they were changed here."""
    with _LOCK:
        _KEPT.clear()
