"""The door to reading: whether passages answer a question, and where; and whether quotes support a statement.

Never in the way: where the reader that READER names cannot be loaded or fails, or its time is over, what was not read
has no reading, and the caller goes on without.
"""

import hashlib
import logging
import threading
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from cachetools import LRUCache
from django.conf import settings

from core.errors import ReaderError
from core.reading import AFTER_HEADING, NONE
from core.reading.readings import Reading
from core.reading.spans import Spans
from core.reading.tables import Written, write_tables

if TYPE_CHECKING:
    from core.reading.runtime import Output, Runtime

logger = logging.getLogger(__name__)

PACKAGED = Path(__file__).with_name("weights")
_MOST_KEPT = 400  # readings, of about 50 kB each

_kept: LRUCache[bytes, Reading] = LRUCache(_MOST_KEPT)  # by digests: no document's words are kept
_keeping = threading.Lock()


def read(question: str, passages: Sequence[tuple[str, str]], *, budget_s: float | None = None) -> list[Reading | None]:
    """Read passages, each given as (heading, text), for a question, the first ones first. None for each not read.

    budget_s: the time for what was not read before, READER_BUDGET_MS where it is None. Late readings are kept, so that
    a question reads each of its passages once, whoever asks for it on the way.
    """
    keys = [_make_key(question, heading, text) for heading, text in passages]
    with _keeping:
        known = {key: reading for key in keys if (reading := _kept.get(key))}
    new = [(key, passage) for key, passage in dict(zip(keys, passages, strict=True)).items() if key not in known]
    if new and budget_s != 0:
        written = [write_tables(text) for _, (_, text) in new]
        texts = [
            f"{heading}{AFTER_HEADING}{table.text if table else text}"
            for (_, (heading, text)), table in zip(new, written, strict=True)
        ]
        for output in _run(question, texts, budget_s):
            key, (heading, _) = new[output.place]
            known[key] = _make_reading(output, len(heading) + len(AFTER_HEADING), written[output.place])
    with _keeping:
        _kept.update(known)
    return [known.get(key) for key in keys]


def recall(question: str, passages: Sequence[tuple[str, str]]) -> list[Reading | None]:
    """Return what was read of passages for a question lately, without reading any further."""
    return read(question, passages, budget_s=0)


def supports(statement: str, quotes: Sequence[str]) -> list[float | None]:
    """Return for each quote the logit that it supports a statement; None as for `read`."""
    found: list[float | None] = [None] * len(quotes)
    for output in _run(statement, quotes, None):
        found[output.place] = output.supports
    return found


def is_on() -> bool:
    """Return True if a reader is set and can be loaded; the first call loads it."""
    return _find_runtime() is not None


def _make_key(question: str, heading: str, text: str) -> bytes:
    parts = (settings.READER, question, heading, text)
    return hashlib.blake2b("\0".join(parts).encode(errors="replace"), digest_size=16).digest()


def _make_reading(output: "Output", shift: int, written: Written | None) -> Reading:
    """Return the reading, with places counted from the text's first character; the heading holds no answer."""
    first = next((number for number, (start, _) in enumerate(output.offsets) if start >= shift), len(output.offsets))
    offsets = [(start - shift, end - shift) for start, end in output.offsets[first:]]
    if written:
        offsets = [written.find(start, end) for start, end in offsets]
    return Reading(answers=output.answers, spans=Spans(output.begins[first:], output.ends[first:], offsets))


def _run(question: str, texts: Sequence[str], budget_s: float | None) -> "list[Output]":
    runtime = _find_runtime()
    if runtime is None:
        return []
    deadline = time.monotonic() + (settings.READER_BUDGET_MS / 1000 if budget_s is None else budget_s)
    try:
        return list(runtime.run(question, texts, deadline=deadline))
    except (RuntimeError, MemoryError) as error:  # of torch: no memory, or an input that it cannot take
        logger.error("reading_failed", extra={"error": type(error).__name__})
        return []


_loading = threading.Lock()


def _find_runtime() -> "Runtime | None":
    if settings.READER == NONE:
        return None
    with _loading:  # thirty threads at once load it once
        return _load(settings.READER)


@lru_cache(maxsize=2)
def _load(name: str) -> "Runtime | None":
    from core.reading.runtime import Runtime

    started = time.perf_counter()
    try:
        runtime = Runtime(Path(name) if name else PACKAGED)
    except ReaderError as error:
        logger.error("reader_not_loaded", extra={"error": error.message})
        return None
    logger.info("reader_loaded", extra={"reader": runtime.name, "seconds": round(time.perf_counter() - started, 2)})
    return runtime
