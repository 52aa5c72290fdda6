"""Choose what a follow-up means: the meaning that a passage which everybody here may read answers best."""

import math
import time

from django.conf import settings

from core.asking.answering.preparation import Prepared
from core.asking.answering.searches import Searching
from core.asking.reading.reader import read
from core.asking.reading.readings import find_most

TRIED = 3  # passages that are read of each meaning
SURE = 3.0  # logit from which a meaning is taken without looking at those behind it
# Logit by which a follow-up has to be answered better alone: many a passage answers "at what time?".
AHEAD_ALONE = 1.0


def choose_meaning(prepared: Prepared, searching: Searching, *, typed: str) -> Prepared:
    """Return the question in the meaning that is answered best; as the rules made it where nothing is read.

    typed: the question as it was typed.
    """
    if not prepared.others:
        return prepared
    meanings = list(prepared.others) if _is_among_others(prepared) else [prepared, *prepared.others]
    found = searching.search_each([meaning.understood.sub_queries[-1] for meaning in meanings], limit=TRIED)
    deadline = time.monotonic() + settings.READER_BUDGET_MS / 1000
    best, most = prepared, -math.inf
    for meaning, passages in zip(meanings, found, strict=True):
        left = max(deadline - time.monotonic(), 0.0)
        texts = [(passage.source, passage.content) for passage in passages]
        answers = find_most(read(meaning.understood.bare, texts, budget_s=left))
        handicap = AHEAD_ALONE if meaning.asked.text == typed and meaning is not meanings[0] else 0.0
        if answers is not None and answers - handicap > most:
            best, most = meaning, answers - handicap
        if most >= SURE:
            break
    return best


def _is_among_others(prepared: Prepared) -> bool:
    """Return True if what the rules made of a question is one of its meanings, or a worse form of one."""
    asked = prepared.asked
    return asked.is_joined or asked.text in {meaning.text for meaning in asked.meanings}
