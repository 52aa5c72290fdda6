"""Keep passages of collections that are asked last behind the others, such as guides on the use of a program.

Such a guide speaks of adding, showing and forgetting in general words, and so seems near to many questions about
something else. Its passages count only where the question names the collection, or where a reader finds the answer in
them and in none of the others.
"""

import time
from collections.abc import Sequence
from dataclasses import replace

from core.asking.answering.ordering import READ, SURE, order_by_reading
from core.asking.reading.reader import recall
from core.asking.reading.readings import find_most
from core.language.nlp.document_types import type_from_word
from core.language.nlp.text import content_stems
from core.types import Passage

MARGIN = 1.0  # logits by which a passage that is asked last has to be read as the better answer
SHARE = 0.6  # of the time for reading that passages asked first have, where others wait behind them
READ_LAST = 6  # passages that are asked last, and read
LEAST = 1.0  # logit from which it is one at all; measured: docs/decisions/0082


def order_asked_last_behind(
    question: str, passages: Sequence[Passage], *, budget_s: float, is_wide: bool
) -> tuple[Passage, ...]:
    """Return passages of one search ordered by reading, without those that are asked last unless only they answer.

    budget_s, is_wide: as for `order_by_reading`.
    """
    deadline = time.monotonic() + budget_s
    first, last = _split(question, passages)
    own = budget_s * SHARE if last else budget_s
    ordered = order_by_reading(question, first[:READ], budget_s=own, is_wide=is_wide)
    best = _find_most(question, ordered)
    if not last or (best is not None and best >= SURE):
        return ordered
    left = max(deadline - time.monotonic(), 0.0)
    behind = order_by_reading(question, last[:READ_LAST], budget_s=left, is_wide=is_wide, is_last=bool(first))
    best_behind = _find_most(question, behind)
    is_better = best_behind is not None and best_behind >= max(LEAST, LEAST if best is None else best + MARGIN)
    if ordered and not is_better:
        return ordered
    return tuple(replace(passage, rank=rank) for rank, passage in enumerate((*behind, *ordered), 1))


def _split(question: str, passages: Sequence[Passage]) -> tuple[list[Passage], list[Passage]]:
    """Return the passages to read first, and those of collections that are asked last.

    A question that names such a collection, with a word of its name that is no kind of document, asks it as any other.
    """
    asked = set(content_stems(question))
    first: list[Passage] = []
    last: list[Passage] = []
    for passage in passages:
        is_last = bool(passage.asked_last) and not asked & _naming_stems(passage.asked_last)
        (last if is_last else first).append(passage)
    return first, last


def _naming_stems(collection: str) -> set[str]:
    """Return the stems of a collection's name without its kind: "footnote" of "Footnote guides"."""
    return {stem for word in collection.split() if not type_from_word(word) for stem in content_stems(word)}


def _find_most(question: str, passages: Sequence[Passage]) -> float | None:
    """Return the logit of the passage that was read to answer best; None where none was read."""
    return find_most(recall(question, [(passage.source, passage.content) for passage in passages]))
