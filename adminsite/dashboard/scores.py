"""Explain beside the scores what they do and do not show."""

from decimal import Decimal

_LOCAL = "local:"  # what the method of the local functions begins with
_LOCAL_TELLS = (
    "Local scores compare words and embeddings. Groundedness says whether the statements of an answer stand in the "
    "passages that were read: 1.00 means word for word, which answers made of quotes always reach. It does not say "
    "that the answer is right, complete, or about what was meant, and it sees no negation and no contradiction. A low "
    "score is a reason to look. A judging model (EVALUATION_MODEL) reads what these functions only compare."
)
_JUDGE_TELLS = (
    "These scores are the judgement of a language model that read the question, the passages and the answer. It can be "
    "wrong, and another model judges otherwise: compare only scores of one method."
)
_NONE_TELLS = "Nothing was scored: there was no answer, or its text was gone."


def explain_method(method: str) -> str:
    """Explain what the scores of a method do and do not show."""
    if method.startswith(_LOCAL):
        return _LOCAL_TELLS
    return _JUDGE_TELLS if ":" in method else _NONE_TELLS


def explain_current(judge: str) -> str:
    """Explain what the scores computed now show. judge: the setting EVALUATION_MODEL."""
    return _JUDGE_TELLS if judge else _LOCAL_TELLS


def is_word_for_word(method: str, groundedness: Decimal | float | None) -> bool:
    """Return True if the score means no more than a quoted answer: only that gives a whole 1 in comparing words."""
    return method.startswith(_LOCAL) and groundedness is not None and groundedness >= 1
