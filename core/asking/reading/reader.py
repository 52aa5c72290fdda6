"""Read with the reader that READER names: whether passages answer a question, and where; whether quotes support claims.

It is loaded once for a process, and is never in the way: where it cannot be loaded or fails, or its time is over, what
was not read has no reading, and the caller goes on without.
"""

import hashlib
import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from cachetools import LRUCache
from django.conf import settings

from core.asking.reading import AFTER_HEADING, CARD, NONE, SCANNER_CARD
from core.asking.reading.readings import Reading, Spans
from core.asking.reading.tables import Written, write_passage
from core.errors import ReaderError
from core.language.nlp.scripts import is_beyond_latin
from core.language.query_understanding.synonyms import reword, reword_times

if TYPE_CHECKING:
    from core.asking.reading.runtime import Output, Runtime

logger = logging.getLogger(__name__)

# A row among many like it is read with less certainty than alone. So the row that seems to answer is read once more by
# itself, and the mean counts where it is higher. Decision 0082.
_LOOKED_AT_AGAIN = -3.0  # logit; what is read with less is no answer either way
# A passage that says in other words what is asked is read with less certainty: "holidays" for "annual leave" by two to
# four logits. So what is not read with certainty is read once more for the question in its own words.
_UNSURE = (-4.0, 4.0)  # logit
_MOST_KEPT = 400  # readings, of about 50 kB each

_kept: LRUCache[bytes, Reading] = LRUCache(_MOST_KEPT)  # by digests: no document's words are kept
_keeping = threading.Lock()

_Keyed = tuple[bytes, tuple[str, str]]  # a passage as (heading, text), behind its key

PACKAGED = Path(__file__).with_name("weights")

_loading = threading.Lock()


def read(question: str, passages: Sequence[tuple[str, str]], *, budget_s: float | None = None) -> list[Reading | None]:
    """Read passages, each given as (heading, text), for a question, the first ones first. None for each not read.

    budget_s: the time for what was not read before, READER_BUDGET_MS where it is None. Late readings are kept, so that
    a question reads each of its passages once, whoever asks for it on the way.
    """
    if not _knows_writing(question):
        return [None] * len(passages)
    keys = [_make_key(question, heading, text) for heading, text in passages]
    with _keeping:
        known = {key: reading for key in keys if (reading := _kept.get(key))}
    new = [(key, passage) for key, passage in dict(zip(keys, passages, strict=True)).items() if key not in known]
    if new and budget_s != 0:
        known |= _read_new(question, new, settings.READER_BUDGET_MS / 1000 if budget_s is None else budget_s)
    with _keeping:
        _kept.update(known)
    return [known.get(key) for key in keys]


def _read_new(question: str, passages: Sequence[_Keyed], budget_s: float) -> dict[bytes, Reading]:
    deadline = time.monotonic() + budget_s
    texts, tables = zip(*(write_passage(heading, text) for _, (heading, text) in passages), strict=True)
    found: dict[bytes, Reading] = {}
    rows: list[tuple[bytes, str]] = []
    for output in _run_texts(find_reader(), question, texts, budget_s):
        key, (heading, _) = passages[output.place]
        table = tables[output.place]
        found[key] = reading = _make_reading(output, len(heading) + len(AFTER_HEADING), table)
        if table and reading.answers > _LOOKED_AT_AGAIN and (row := _find_row(reading, table)):
            rows.append((key, f"{heading}{AFTER_HEADING}{row}"))
    _read_again(found, [(key, question, text) for key, text in rows], deadline, share=0.5)
    if len(found) < len(passages):  # else one that is read twice would win over the right one that was not read
        return found
    again = [
        (key, reworded, text)
        for (key, (heading, _)), text in zip(passages, texts, strict=True)
        if key in found
        and _is_unsure(found[key], question, text, heading)
        and (reworded := reword(question, text, heading=heading)) != question
    ]
    _read_again(found, again, deadline, share=1.0)
    return found


def _is_unsure(reading: Reading, question: str, text: str, heading: str) -> bool:
    """Return True if a passage may be read otherwise in its own words.

    What a reader makes of a time that is said otherwise, of "in february" and a column for November to April, is no
    sign: such a passage is read again however it was read.
    """
    low, high = _UNSURE
    return reading.answers < high and (
        reading.answers > low or reword_times(question, text, heading=heading) != question
    )


def _read_again(
    found: dict[bytes, Reading], texts: Sequence[tuple[bytes, str, str]], deadline: float, *, share: float
) -> None:
    """Let a second reading count, as far as its share says, where it is higher.

    texts: each as the key of its passage, the question and the text to read.
    """
    for question in dict.fromkeys(question for _, question, _ in texts):
        asked = [(key, text) for key, other, text in texts if other == question]
        left = max(deadline - time.monotonic(), 0.0)
        for output in _run_texts(find_reader(), question, [text for _, text in asked], left):
            key, _ = asked[output.place]
            first = found[key].answers
            found[key] = replace(found[key], answers=max(first, (1 - share) * first + share * output.answers))


def _find_row(reading: Reading, table: Written) -> str:
    """Return the row, as it is written, that a reader takes for the answer; "" where that is no row."""
    best = reading.spans.find_best(1)
    row = table.find_row(best[0].start) if best else None
    return row.text if row else ""


def recall(question: str, passages: Sequence[tuple[str, str]]) -> list[Reading | None]:
    """Return what was read of passages for a question lately, without reading any further."""
    return read(question, passages, budget_s=0)


def scan(question: str, passages: Sequence[tuple[str, str]], *, least: float, budget_s: float) -> list[Reading | None]:
    """Return the scanner's reading of each passage, given as (heading, text), whose logit is less than least.

    A scanner takes a sixth of a reader's time, and is less sure: None for what a reader has to read. None for all where
    there is no scanner, and for what is not scanned in time. What is returned is kept as what was read.
    """
    if not _knows_writing(question):
        return [None] * len(passages)
    keys = [_make_key(question, heading, text) for heading, text in passages]
    with _keeping:
        new = [(key, each) for key, each in dict(zip(keys, passages, strict=True)).items() if key not in _kept]
    written = [write_passage(heading, text) for _, (heading, text) in new]
    found: dict[bytes, Reading] = {}
    for output in _run_texts(find_scanner() if new else None, question, [text for text, _ in written], budget_s):
        key, (heading, _) = new[output.place]
        if output.answers < least:
            found[key] = _make_reading(output, len(heading) + len(AFTER_HEADING), written[output.place][1])
    with _keeping:
        _kept.update(found)
    return [found.get(key) for key in keys]


def supports(statement: str, quotes: Sequence[str], *, budget_s: float | None = None) -> list[float | None]:
    """Return for each quote the logit that it supports a statement; None, and budget_s, as for `read`."""
    found: list[float | None] = [None] * len(quotes)
    for output in _run_texts(find_reader(), statement, quotes, budget_s):
        found[output.place] = output.supports
    return found


def is_on() -> bool:
    """Return True if a reader is set and can be loaded; the first call loads it."""
    return find_reader() is not None


def name() -> str:
    """Return the name of the reader that is set; "" where there is none or it cannot be loaded."""
    runtime = find_reader()
    return runtime.name if runtime else ""


def _knows_writing(question: str) -> bool:
    return bool(settings.READER) or not is_beyond_latin(question)  # the packaged reader knows English


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


def _run_texts(
    runtime: "Runtime | None", question: str, texts: Sequence[str], budget_s: float | None
) -> "list[Output]":
    if runtime is None:
        return []
    deadline = time.monotonic() + (settings.READER_BUDGET_MS / 1000 if budget_s is None else budget_s)
    try:
        return list(runtime.run(question, texts, deadline=deadline))
    except (RuntimeError, MemoryError) as error:  # of torch: no memory, or an input that it cannot take
        logger.error("reading_failed", extra={"error": type(error).__name__})
        return []


def find_reader() -> "Runtime | None":
    """Return the reader; None where none is set or it cannot be loaded, which the log says once."""
    return _find_runtime(CARD)


def find_scanner() -> "Runtime | None":
    """Return the scanner; None as for `find_reader`, and where the reader's folder has none."""
    return _find_runtime(SCANNER_CARD)


def _find_runtime(card: str) -> "Runtime | None":
    if settings.READER == NONE:
        return None
    with _loading:  # thirty threads at once load it once
        return _load_runtime(settings.READER, card)


@lru_cache(maxsize=4)
def _load_runtime(name: str, card: str) -> "Runtime | None":
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
