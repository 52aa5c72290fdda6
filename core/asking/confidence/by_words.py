"""Estimate by words alone, for questions in writing that the packaged models do not know.

The embedding model and the reader know English: what they say of Chinese is chance. So the key-free model answers such
a question only with a sentence that has all of its words and the kind of thing asked for, and else shows what comes
closest. The bounds are set, not fitted.
"""

from collections.abc import Sequence

from core.language.nlp.other_questions import may_answer
from core.language.nlp.sentence_scoring import ignore_meaning, match
from core.types import Passage

ALL_WORDS = 0.99  # share of the question's weight that the answer's own sentence holds
FEWEST_WORDS = 2  # of a question that is answered: by one word anything is found
SURE = 0.7  # "medium" in words
_MOST_CLOSE = 0.4  # under any ANSWER_FROM that is worth setting


def estimate_by_words(question: str, passages: Sequence[Passage]) -> float:
    """Return how sure it is that these passages answer a question, 0..1; over _MOST_CLOSE only for all of its words."""
    found = match(question, [(passage.source, passage.content) for passage in passages], ignore_meaning)
    if not found.sentences or not found.weights:
        return 0.0
    best = max(found.sentences, key=lambda sentence: sentence.coverage)
    is_whole = best.coverage >= ALL_WORDS and len(found.weights) >= FEWEST_WORDS
    return SURE if is_whole and may_answer(question, best.text) else _MOST_CLOSE * best.coverage
