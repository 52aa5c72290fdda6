"""Order passages by what the search says of them and by what a reader does, half and half.

A reader alone orders worse than the search: it is no substitute for retrieval. Of 152 questions of
evaluation/ordinary.jsonl and everyday.jsonl the first passage holds the answer of .60 as the search orders, of .76 half
and half; of the first three .79 and .85.

Passages of collections that are asked last stay behind the others. Such a guide on the use of a program speaks of
adding, showing and forgetting in general words, and so seems near to many questions about something else. Its passages
count only where the question names the collection, or where a reader finds the answer in them and in none of the
others.
"""

import time
from collections.abc import Sequence
from dataclasses import replace

from core.asking.reading.reader import read, recall, scan
from core.asking.reading.readings import Reading, find_most
from core.language.nlp.changed_rules import find_change, is_older
from core.language.nlp.document_types import type_from_word
from core.language.nlp.structure import find_unit_at
from core.language.nlp.text import content_stems
from core.types import Passage

# Passages of a search that are read, in steps until one surely answers. Reading all twelve finds no more: of the 152
# questions half need one step, the mean is 6.7 passages.
READ, _STEP = 12, 3
SURE = 2.0  # logit: of the passages with more nine of ten answer
_READERS_SHARE = 0.5
# Logits of the scanner under which a passage is not read: decision 0109.
_SCANNED_FROM, _SCANNED_FROM_OF_LAST = -2.0, 0.0

MARGIN_OF_LAST = 1.0  # logits by which a passage that is asked last has to be read as the better answer
SHARE_OF_FIRST = 0.6  # of the time for reading that passages asked first have, where others wait behind them
READ_LAST = 6  # passages that are asked last, and read
LEAST_OF_LAST = 1.0  # logit from which it is one at all; measured: docs/decisions/0082


def order_by_reading(
    question: str, passages: Sequence[Passage], *, budget_s: float, is_wide: bool = False, is_last: bool = False
) -> tuple[Passage, ...]:
    """Return passages of one search, best first; as they are where nothing is read.

    budget_s: seconds for reading. What is not read in that time counts by the search alone. is_wide: the question asks
    for several things, so that reading does not end with the first passage that answers. is_last: other passages were
    asked first, so that these seldom answer.
    """
    first, rest = passages[:READ], passages[READ:]
    readings = read_in_steps(question, first, budget_s=budget_s, is_wide=is_wide, is_last=is_last)
    if not any(readings):
        return tuple(passages)
    best = max(passage.score for passage in first) or 1.0

    def rate(each: tuple[Passage, Reading | None]) -> float:
        passage, reading = each
        probability = reading.probability if reading else 0.0
        return (1 - _READERS_SHARE) * passage.score / best + _READERS_SHARE * probability

    ordered = sorted(zip(first, readings, strict=True), key=rate, reverse=True)
    placed = [*(passage for passage, _ in ordered), *rest]
    if changed := _find_changed(ordered, placed):
        placed = [placed[0], changed, *(passage for passage in placed[1:] if passage is not changed)]
    return tuple(replace(passage, rank=rank) for rank, passage in enumerate(placed, 1))


def _find_changed(read: Sequence[tuple[Passage, Reading | None]], passages: Sequence[Passage]) -> Passage | None:
    """Return a passage of another document that says of an answer that was read that it has changed; None without one.

    Whoever asks about "friends" finds the rule on guests sooner than the circular that changes it, and reading ends
    with what surely answers.
    """
    for best, reading in read:
        if not reading or reading.answers < SURE:
            continue
        unit = find_unit_at(best.content, reading.best[0].start) if reading.best else None
        rule = best.content[unit.start : unit.end] if unit else ""
        for passage in passages:
            if passage.document_id == best.document_id or is_older(passage.document_date, best.document_date):
                continue
            if find_change(rule, passage.content):
                return passage
    return None


def read_in_steps(
    question: str, passages: Sequence[Passage], *, budget_s: float, is_wide: bool = False, is_last: bool = False
) -> list[Reading | None]:
    """Read passages, the first ones first, until one surely answers; None for each that was not read.

    Behind the first step only what may answer is read, and the scanner's word is taken for the rest; where is_last,
    from the first passage on. budget_s, is_wide, is_last: as for `order_by_reading`.
    """
    sure = float("inf") if is_wide else SURE
    deadline = time.monotonic() + budget_s
    texts = [(passage.source, passage.content) for passage in passages]
    readings: list[Reading | None] = [None] * len(passages)

    def read_until_sure(places: Sequence[int]) -> bool:
        for start in range(0, len(places), _STEP):
            step = places[start : start + _STEP]
            left = max(deadline - time.monotonic(), 0.0)
            found = read(question, [texts[place] for place in step], budget_s=left)
            for place, reading in zip(step, found, strict=True):
                readings[place] = reading
            if any(reading and reading.answers >= sure for reading in found):
                return True
        return False

    first, least = (0, _SCANNED_FROM_OF_LAST) if is_last else (_STEP, _SCANNED_FROM)
    if not read_until_sure(range(len(passages))[:first]):
        left = max(deadline - time.monotonic(), 0.0)
        readings[first:] = scan(question, texts[first:], least=least, budget_s=left)
        read_until_sure([place for place in range(first, len(passages)) if not readings[place]])
    return readings


def order_asked_last_behind(
    question: str, passages: Sequence[Passage], *, budget_s: float, is_wide: bool
) -> tuple[Passage, ...]:
    """Return passages of one search ordered by reading, without those that are asked last unless only they answer.

    budget_s, is_wide: as for `order_by_reading`.
    """
    deadline = time.monotonic() + budget_s
    first, last = _split_asked_last(question, passages)
    own = budget_s * SHARE_OF_FIRST if last else budget_s
    ordered = order_by_reading(question, first[:READ], budget_s=own, is_wide=is_wide)
    best = _recall_most(question, ordered)
    if not last or (best is not None and best >= SURE):
        return ordered
    left = max(deadline - time.monotonic(), 0.0)
    behind = order_by_reading(question, last[:READ_LAST], budget_s=left, is_wide=is_wide, is_last=bool(first))
    best_behind = _recall_most(question, behind)
    is_better = best_behind is not None and best_behind >= max(
        LEAST_OF_LAST, LEAST_OF_LAST if best is None else best + MARGIN_OF_LAST
    )
    if ordered and not is_better:
        return ordered
    return tuple(replace(passage, rank=rank) for rank, passage in enumerate((*behind, *ordered), 1))


def _split_asked_last(question: str, passages: Sequence[Passage]) -> tuple[list[Passage], list[Passage]]:
    """Return the passages to read first, and those of collections that are asked last.

    A question that names such a collection, with a word of its name that is no kind of document, asks it as any other.
    """
    asked = set(content_stems(question))
    first: list[Passage] = []
    last: list[Passage] = []
    for passage in passages:
        # "footnote" of "Footnote guides"
        names = (word for word in passage.asked_last.split() if not type_from_word(word))
        is_named = any(stem in asked for name in names for stem in content_stems(name))
        is_last = bool(passage.asked_last) and not is_named
        (last if is_last else first).append(passage)
    return first, last


def _recall_most(question: str, passages: Sequence[Passage]) -> float | None:
    """Return the logit of the passage that was read to answer best; None where none was read."""
    return find_most(recall(question, [(passage.source, passage.content) for passage in passages]))
