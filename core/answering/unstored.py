"""A question answered without a row of it stored: for replays, and to see what somebody would be told."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from django.utils import timezone

from core import embedding
from core.answering.composition import Composed, compose
from core.answering.record import readable_now, still_visible
from core.confidence.decision import Ending, confidence_of_refusal, confidence_of_verified
from core.embedding.similarity import vectors_of
from core.errors import ModelConfigurationError, ModelUnavailableError
from core.llm.client import ModelSettings
from core.query_understanding.plan import Understood
from core.types import Audience, Filters, Passage, RefusalReason, Run
from core.verified_answers.matching import Match, find_match


def answer_unstored(
    understood: Understood,
    passages: Sequence[Passage],
    model: ModelSettings,
    audience: Audience,
    *,
    match: Match | None = None,
) -> Run:
    """The end of a question: by a verified answer, or the model, or a verified answer that is outdated."""
    if match and not match.outdated:
        return build_verified_run(match)
    run = _answer(understood, passages, model, audience)
    return build_verified_run(match) if match and run.text is None else run


def find_verified(understood: Understood, audience: Audience, given: Filters) -> Match | None:
    """The verified answer that fits a question, if there is one."""
    provider, question = embedding.provider(), understood.question
    return find_match(
        question,
        vectors_of(provider, [question])[0],
        model=provider.name,
        audience=audience,
        filters=given,
        today=timezone.localdate(),
    )


def build_verified_run(match: Match) -> Run:
    """What a verified answer says."""
    return Run(
        text=match.row.cited_text,
        refusal="",
        confidence=confidence_of_verified(is_outdated=match.outdated is not None),
        citations=match.citations,
        closest=(),
        steps=(),
        dropped=0,
    )


def _answer(understood: Understood, passages: Sequence[Passage], model: ModelSettings, audience: Audience) -> Run:
    """By the model. It begins with the passages of the first search; searching gives the rest."""
    if not passages:
        return build_refused_run(RefusalReason.NOTHING_FOUND)
    composed = compose_unstored(understood, passages, model)
    if composed is None:
        return build_refused_run(RefusalReason.MODEL_UNAVAILABLE)
    return build_run(composed, audience, of_selection=passages[0].chunk_id is None)


def compose_unstored(understood: Understood, passages: Sequence[Passage], model: ModelSettings) -> Composed | None:
    """What comes of a question's passages; None when the model cannot be called."""
    shown = [passage for passage in passages if passage.rank <= understood.limit] or passages
    rest = [passage for passage in passages if passage.rank > understood.limit]
    try:
        return compose(understood, shown, search=lambda query: rest, model=model, timed=lambda step: nullcontext())
    except (ModelUnavailableError, ModelConfigurationError):
        return None


def build_run(composed: Composed, audience: Audience, *, of_selection: bool) -> Run:
    """What came of it, without what was taken away from its asker while the model wrote."""
    verified, closest = composed.verified, readable_now(composed.closest, audience)
    came: dict[str, Any] = {
        "confidence": composed.confidence,
        "steps": tuple(step.tool for step in composed.draft.steps),
        "dropped": composed.left_out.dropped,
        "reasons": dict(composed.left_out.reasons),
    }
    if composed.ending is Ending.ANSWER and still_visible(verified.citations, audience):
        return Run(text=verified.text, refusal="", citations=verified.citations, closest=(), **came)
    if closest:
        return Run(text=None, refusal=RefusalReason.UNSURE.value, citations=(), closest=closest, **came)
    return build_refused_run(RefusalReason.INSUFFICIENT if of_selection else RefusalReason.NOTHING_FOUND, **came)


def build_refused_run(
    reason: RefusalReason,
    *,
    confidence: float = 0.0,
    steps: tuple[str, ...] = (),
    dropped: int = 0,
    reasons: dict[str, int] | None = None,
) -> Run:
    """A question that ended without an answer and without passages to show."""
    return Run(
        text=None,
        refusal=reason.value,
        confidence=confidence_of_refusal(confidence),
        citations=(),
        closest=(),
        steps=steps,
        dropped=dropped,
        reasons=reasons or {},
    )
