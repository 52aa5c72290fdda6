"""Room for questions: while one is being answered, ingestion works a share of the time.

What people wait for and what nobody waits for need the same processors. Embedding takes nearly all of them, so it is
there that ingestion gives way, after each batch of a few texts.
"""

import datetime as dt
import threading
from types import TracebackType
from typing import Self

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from core.models import Query
from core.types import FINAL_STATES

_LOOK_S = 0.1  # between two looks at whether a question is being answered; a statement that an index answers
_LONGEST = dt.timedelta(seconds=60)  # what began earlier waits for a model elsewhere, or its process is gone


class Room:
    """Knows within its block whether a question is being answered anywhere, and pauses ingestion for it."""

    def __init__(self) -> None:
        self._share: float = settings.INGEST_SHARE
        self._nobody_asks = threading.Event()
        self._nobody_asks.set()
        self._ended = threading.Event()
        self._watching: threading.Thread | None = None
        self._starting = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let whoever pauses go on, and stop looking."""
        self._ended.set()
        self._nobody_asks.set()
        if self._watching is not None:
            self._watching.join()

    @property
    def is_given(self) -> bool:
        """Return True if ingestion ever pauses for questions."""
        return self._share < 1

    def give_way(self, worked_s: float) -> None:
        """Pause while a question is being answered, but no longer than the share of the time allows.

        worked_s: how long the caller has worked since it last paused, in seconds.
        """
        with self._starting:
            if self._watching is None:
                self._watching = threading.Thread(target=self._watch, daemon=True, name="room for questions")
                self._watching.start()
        self._nobody_asks.wait(worked_s * (1 / self._share - 1))

    def _watch(self) -> None:
        while not self._ended.wait(_LOOK_S):
            if _is_asked():
                self._nobody_asks.clear()
            else:
                self._nobody_asks.set()
        connection.close()
        self._nobody_asks.set()


def _is_asked() -> bool:
    """Return True if any process is answering a question. False when the database is away: nothing is answered then."""
    try:
        asked = Query.objects.filter(created_at__gte=timezone.now() - _LONGEST).exclude(state__in=FINAL_STATES)
        return asked.exists()
    except DatabaseError:
        connection.close()
        return False
