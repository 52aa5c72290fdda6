"""Scores without a judging model, by the reader that Footnote brings along."""

from decimal import Decimal

import pytest
from pytest_django import Settings

from core.models import EvaluationResult
from core.quality.evaluation.triad.evaluate import evaluate
from core.testing import Cast, fetch_chunks, make_document
from tests.integration.evaluation.conftest import Asked

QUESTION = "When must the smoke alarms in the workshop be tested?"
PASSAGES = (
    "Smoke alarms in the workshop are tested on the first working day of each month. The result is written in the log.",
    "The workshop may be entered only with safety shoes. Visitors are lent a pair at the door.",
)


@pytest.fixture
def score(cast: Cast, asked: Asked, settings: Settings) -> object:
    """Scores an answer to the question, given the passages."""
    settings.READER = ""
    document = make_document("Workshop rules", *PASSAGES, roles=[cast.staff])

    def scored(answer: str) -> EvaluationResult:
        query = asked(chunks=fetch_chunks(document), question=QUESTION, answer=answer)
        result = evaluate(query.pk)
        assert result is not None
        result.refresh_from_db()
        assert (result.method, result.error) == ("local:4:large", "")
        return result

    return scored


def test_good_answers_score_high_and_bad_ones_low(score: object) -> None:
    """Verbatim, reworded, of the passages but beside the question, and about something else."""
    assert callable(score)
    verbatim = score("Smoke alarms in the workshop are tested on the first working day of each month. [1]")
    reworded = score("The workshop's smoke alarms have to be tested each month, on its first working day. [1]")
    beside = score("Visitors are lent a pair at the door. [2]")
    invented = score("The alarms are bought from a dealer in the next town, who repairs them too.")
    assert verbatim.answer_relevance_score > Decimal("0.9")
    assert reworded.answer_relevance_score > Decimal("0.9")
    assert beside.answer_relevance_score < Decimal("0.3")
    assert invented.answer_relevance_score < Decimal("0.5")
    assert {row.relevance_score for row in (verbatim, reworded, beside)} == {verbatim.relevance_score}
    assert verbatim.relevance_score > Decimal("0.85")
    assert {row.groundedness_score for row in (verbatim, reworded, beside, invented)} == {None}
