"""Load the reader that READER names, and the scanner in its folder, once for a process."""

import logging
import threading
import time
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

from core.asking.reading import CARD, NONE, SCANNER_CARD
from core.errors import ReaderError

if TYPE_CHECKING:
    from core.asking.reading.runtime import Runtime

logger = logging.getLogger(__name__)

PACKAGED = Path(__file__).with_name("weights")

_loading = threading.Lock()


def find_reader() -> "Runtime | None":
    """Return the reader; None where none is set or it cannot be loaded, which the log says once."""
    return _find(CARD)


def find_scanner() -> "Runtime | None":
    """Return the scanner; None as for `find_reader`, and where the reader's folder has none."""
    return _find(SCANNER_CARD)


def _find(card: str) -> "Runtime | None":
    if settings.READER == NONE:
        return None
    with _loading:  # thirty threads at once load it once
        return _load(settings.READER, card)


@lru_cache(maxsize=4)
def _load(name: str, card: str) -> "Runtime | None":
    from core.asking.reading.runtime import Runtime

    folder = Path(name) if name else PACKAGED
    if card == SCANNER_CARD and not (folder / card).exists():
        return None
    started = time.perf_counter()
    try:
        runtime = Runtime(folder, card)
    except ReaderError as error:
        logger.error("reader_not_loaded", extra={"error": error.message})
        return None
    logger.info("reader_loaded", extra={"reader": runtime.name, "seconds": round(time.perf_counter() - started, 2)})
    return runtime
