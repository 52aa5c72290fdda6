"""Explain beside the scores what they do and do not show, and what is no measurement."""

from collections.abc import Iterable

from django.utils.safestring import SafeString

from adminsite.figures import score_bar
from core.models import EvaluationResult
from core.quality.evaluation.triad.metrics import GROUNDEDNESS

_LOCAL = "local:"  # what the method of scores without a judging model begins with
NOT_A_MEASUREMENT = "not a measurement here"
NOT_AVAILABLE = "not available"
_LOCAL_TELLS = (
    "These scores come from the packaged reader. Context relevance is the probability that one of the passages that "
    "were read answers the question, answer relevance that the answer does. They do not say that the answer is right "
    "or complete, and raise no alerts. Groundedness is not a measurement here: an answer is shown only if its words "
    "are in the documents, so comparing them again would always say 1. A judging model (EVALUATION_MODEL) measures it."
)
_UNREAD_TELLS = (
    "No reader read this answer: READER is off, or cannot be loaded. So there are no scores. "
    "A judging model (EVALUATION_MODEL) can give them."
)
_JUDGE_TELLS = (
    "These scores are the judgement of a language model that read the question, the passages and the answer. It can be "
    "wrong, and another model judges otherwise: compare only scores of one method."
)
_NONE_TELLS = "Nothing was scored: there was no answer, or its text was gone."


def explain_method(method: str) -> str:
    """Explain what the scores of a method do and do not show."""
    if method.startswith(_LOCAL):
        return _UNREAD_TELLS if method.endswith(":none") else _LOCAL_TELLS
    return _JUDGE_TELLS if ":" in method else _NONE_TELLS


def explain_current(judge: str) -> str:
    """Explain what the scores computed now show. judge: the setting EVALUATION_MODEL."""
    return _JUDGE_TELLS if judge else _LOCAL_TELLS


def explain_missing(method: str, metric: str) -> str:
    """Say in place of a figure why a method gives none; empty where it measures this."""
    if not method.startswith(_LOCAL):
        return ""
    return NOT_A_MEASUREMENT if metric == GROUNDEDNESS else NOT_AVAILABLE


def tell_of_rows(methods: Iterable[str]) -> str:
    """Say once for a list of scores why it has none of groundedness; empty where a method measures it."""
    return _LOCAL_TELLS if any(explain_missing(method, GROUNDEDNESS) for method in methods) else ""


def show_in_row(evaluation: EvaluationResult, metric: str) -> SafeString | str:
    """Return a score as a bar; a dash for what is no measurement, which tell_of_rows says for the whole list."""
    shown = show_score(evaluation, metric)
    return score_bar(None) if shown == NOT_A_MEASUREMENT else shown


def show_score(evaluation: EvaluationResult, metric: str) -> SafeString | str:
    """Return a score as a bar; in words where the method gives none."""
    missing = explain_missing(evaluation.method, metric)
    score = None if missing == NOT_A_MEASUREMENT else getattr(evaluation, f"{metric}_score")
    return missing if score is None and missing else score_bar(score)
