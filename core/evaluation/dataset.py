"""Questions with known answers: reading them, asking them, and saying which came out right."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.access import asker_for, audience_of
from core.api import ask
from core.errors import EvaluationError, FootnoteError
from core.evaluation.evaluate import evaluate
from core.evaluation.metrics import NAMES
from core.models import EvaluationResult, User
from core.types import Answer, Refusal, RefusalReason

RIGHT, WRONG, UNJUDGED, FAILED = "right", "wrong", "unjudged", "failed"
_FAILURES = (RefusalReason.MODEL_UNAVAILABLE, RefusalReason.OVER_QUOTA, RefusalReason.INVALID_QUESTION)


class DatasetError(FootnoteError):
    """The dataset cannot be used."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One question of a dataset, and what is known of its answer."""

    question: str
    email: str | None  # who asks, when the line says so
    expected: tuple[str, ...] | None  # one of these stands in a right answer; None when that is not known
    refusal_expected: bool  # the right answer is none
    source: str  # a part of the name or address of a document that a right answer cites, or ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What came of one question."""

    item: Item
    result: Answer | Refusal
    verdict: str  # RIGHT, WRONG, UNJUDGED, or FAILED when it could not be asked
    evaluation: EvaluationResult | None
    error: str  # why scores are missing

    @property
    def scores(self) -> dict[str, float | None]:
        """The three scores; None where missing."""
        found = {name: getattr(self.evaluation, f"{name}_score", None) for name in NAMES}
        return {name: None if score is None else float(score) for name, score in found.items()}


def read(lines: Iterable[str]) -> list[Item]:
    """The items of a dataset, a JSON object a line. DatasetError, naming the line, for what cannot be used."""
    items = []
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        try:
            items.append(_item(json.loads(raw)))
        except json.JSONDecodeError as error:
            raise DatasetError(f"Line {number} is not JSON: {error.msg} at column {error.colno}.") from error
        except ValueError as error:
            raise DatasetError(f"Line {number}: {error}.") from error
    if not items:
        raise DatasetError("The dataset has no questions.")
    return items


def ask_and_score(item: Item, person: User) -> Asked:
    """Ask one question as a person and score the answer."""
    result = ask(item.question, asker=asker_for(person), audience=audience_of([person.pk]))
    evaluation, error = None, ""
    if result.query_id is not None:
        try:
            evaluation = evaluate(result.query_id)
            error = evaluation.error if evaluation else ""
        except EvaluationError as failure:
            evaluation = EvaluationResult.objects.filter(query_log__query=result.query_id).first()
            error = failure.message
    return Asked(item=item, result=result, verdict=verdict(item, result), evaluation=evaluation, error=error)


def verdict(item: Item, result: Answer | Refusal) -> str:
    """Whether the result is what the item expects."""
    if isinstance(result, Refusal):
        if result.reason in _FAILURES:
            return FAILED
        if item.refusal_expected:
            return RIGHT
        return WRONG if item.expected or item.source else UNJUDGED
    if item.refusal_expected:
        return WRONG
    if not item.expected and not item.source:
        return UNJUDGED
    says = not item.expected or any(_folded(text) in _folded(result.text) for text in item.expected)
    cites = not item.source or any(
        _folded(item.source) in _folded(f"{citation.document_name} {citation.source_url}")
        for citation in result.citations
    )
    return RIGHT if says and cites else WRONG


def summary(asked: Sequence[Asked], *, seconds: float) -> dict[str, Any]:
    """The figures of a run. Averages are over the answers that have the score; None when none has it."""
    answered = [one for one in asked if isinstance(one.result, Answer)]
    averages = {name: _mean([one.scores[name] for one in answered]) for name in NAMES}
    return {
        "questions": len(asked),
        "answered": len(answered),
        "refused": sum(isinstance(one.result, Refusal) and one.verdict != FAILED for one in asked),
        **{outcome: sum(one.verdict == outcome for one in asked) for outcome in (RIGHT, WRONG, UNJUDGED, FAILED)},
        "unscored": sum(bool(one.error) for one in asked),
        "averages": averages,
        "methods": sorted({one.evaluation.method for one in answered if one.evaluation}),
        "processing_time_ms": _mean([float(one.result.processing_time_ms) for one in asked]),
        "seconds": round(seconds, 2),
    }


def _item(line: Any) -> Item:
    if not isinstance(line, Mapping):
        raise ValueError("not a JSON object")
    unknown = set(line) - {"question", "as", "expected", "source", "id"}
    if unknown:
        raise ValueError(f"unknown: {', '.join(sorted(unknown))}; known: question, as, expected, source, id")
    if not isinstance(line.get("question"), str):
        raise ValueError("it needs a question, as text")
    expected = line.get("expected")
    texts = [expected] if isinstance(expected, str) else expected
    if texts is not None and not (isinstance(texts, list) and all(isinstance(t, str) and t.strip() for t in texts)):
        raise ValueError("expected is a text, a list of texts of which one is enough, or null for a refusal")
    for name in ("as", "source"):
        if not isinstance(line.get(name) or "", str):
            raise ValueError(f"{name} is a text")
    return Item(
        question=line["question"],
        email=line.get("as"),
        expected=tuple(texts) if texts else None,
        refusal_expected="expected" in line and texts is None,
        source=line.get("source") or "",
    )


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 3) if known else None
