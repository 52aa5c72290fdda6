"""Scores of stored answers, by TruLens on PostgreSQL."""

import json
import threading
from collections.abc import Sequence
from concurrent import futures
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from core.errors import EvaluationError
from core.models import Alert, Document, EvaluationResult, Query, QueryLog
from core.models.row_security import bypass_row_security
from core.quality.evaluation.triad import metrics, recorder
from core.quality.evaluation.triad.evaluate import evaluate
from core.quality.evaluation.triad.exchange import Exchange, Text, exchange_of
from core.quality.evaluation.triad.local import LocalScorer
from core.testing import fetch_chunks, make_document
from tests.integration.evaluation.conftest import INSPECTION, REPORT, Asked, Scripted

CANARY = "xylophonecanary"


def events(record_id: str) -> list[dict[str, object]]:
    """The attributes of all spans that TruLens keeps for a record."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT record_attributes FROM trulens_events "
            "WHERE record_attributes ->> 'ai.observability.record_id' = %s",
            [record_id],
        )
        return [row if isinstance(row, dict) else json.loads(row) for (row,) in cursor.fetchall()]


def trulens_text() -> str:
    """Return all text of TruLens's tables."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'trulens%%'")
        tables = [name for (name,) in cursor.fetchall()]
        rows: list[str] = []
        for table in tables:
            cursor.execute(f'SELECT row_to_json(t)::text FROM "{table}" AS t')  # noqa: S608 - names from the catalogue
            rows += [row for (row,) in cursor.fetchall()]
    assert "trulens_events" in tables
    return "\n".join(rows)


@pytest.fixture(autouse=True)
def judge(scripted: Scripted) -> Scripted:
    """The judge of every evaluation, but where a test sets another."""
    return scripted


def test_an_answer_gets_its_three_scores_and_its_record(manual: Document, asked: Asked) -> None:
    """As the judge gives them, and nothing is alarming."""
    query = asked(chunks=fetch_chunks(manual), answer=f"{INSPECTION} [1]")
    result = evaluate(query.pk)
    assert result == EvaluationResult.objects.get(query_log__query=query)
    result.refresh_from_db()
    assert result.groundedness_score == Decimal("1.000")
    assert (result.relevance_score, result.answer_relevance_score) == (Decimal("0.950"), Decimal("0.900"))
    assert (result.abstained, result.error) == (False, "")
    assert result.method == "trulens-litellm:scripted"
    assert not Alert.objects.exists()


def test_the_record_id_leads_to_the_record_and_from_there_to_the_rows(manual: Document, asked: Asked) -> None:
    """TruLens holds the query, the chunks by rank, the answer and the scores, all by reference."""
    chunks = fetch_chunks(manual)
    query = asked(chunks=chunks, answer=INSPECTION)
    result = evaluate(query.pk)
    assert result
    assert result.trulens_record_id
    spans = events(result.trulens_record_id)
    root = next(s for s in spans if s["ai.observability.span_type"] == "record_root")
    retrieval = next(s for s in spans if s["ai.observability.span_type"] == "retrieval")
    scores = {
        s["ai.observability.eval_root.metric_name"]: s["ai.observability.eval_root.score"]
        for s in spans
        if s["ai.observability.span_type"] == "eval_root"
    }
    assert root["ai.observability.record_root.input"] == f"query:{query.pk}"
    assert root["ai.observability.record_root.output"] == f"answer:{query.answer.pk}"
    assert retrieval["ai.observability.retrieval.retrieved_contexts"] == [f"chunk:{chunk.pk}" for chunk in chunks]
    assert root["ai.observability.app_version"] == result.method
    assert set(scores) == set(metrics.NAMES)
    assert scores["groundedness"] == 1.0


def test_no_text_of_question_passage_or_answer_is_in_trulens(manual: Document, asked: Asked) -> None:
    """So nothing there outlives the retention period, and its dashboard shows nobody what they may not read."""
    document = make_document("Secret manual", f"The {CANARY} is inspected every six weeks.", section=f"{CANARY} care")
    query = asked(
        chunks=fetch_chunks(document, manual),
        question=f"How often is the {CANARY} inspected?",
        answer=f"The {CANARY} is inspected every six weeks. [1]",
    )
    evaluate(query.pk)
    kept = trulens_text()
    assert CANARY not in kept
    assert "qualified engineer" not in kept
    assert f"query:{query.pk}" in kept


def test_an_answer_from_selected_text_is_scored_against_that_text(cast: object, fast: None, asked: Asked) -> None:
    """The selection is the context; TruLens gets its pieces by position."""
    query = asked(answer=INSPECTION, selected_text=f"{INSPECTION} {REPORT}")
    result = evaluate(query.pk)
    assert result
    assert result.groundedness_score == Decimal("1.000")
    retrieval = next(s for s in events(str(result.trulens_record_id)) if s["ai.observability.span_type"] == "retrieval")
    assert retrieval["ai.observability.retrieval.retrieved_contexts"] == [f"selection:{query.pk}:0"]


def test_a_refusal_is_an_abstention_without_scores_record_or_alert(manual: Document, asked: Asked) -> None:
    """It is kept apart from the averages, not counted as nothing relevant."""
    query = asked(chunks=fetch_chunks(manual), answer=None)
    result = evaluate(query.pk)
    assert result
    assert result.abstained
    scores = (result.relevance_score, result.groundedness_score, result.answer_relevance_score)
    assert scores == (None, None, None)
    assert (result.trulens_record_id, result.error, result.method) == (None, "", "none")
    assert not Alert.objects.exists()


def test_scores_under_their_thresholds_raise_one_alert_each(manual: Document, asked: Asked, judge: Scripted) -> None:
    """Of a judge; answer relevance has no threshold, whatever it is."""
    judge.scores = {"relevance": 0.2, "groundedness": 0.1, "answer_relevance": 0.0}
    query = asked(chunks=fetch_chunks(manual), answer="The canteen serves lentil soup.")
    first = evaluate(query.pk)
    again = evaluate(query.pk)
    assert first == again
    assert EvaluationResult.objects.count() == 1
    alerts = {alert.metric: alert for alert in Alert.objects.all()}
    assert set(alerts) == {"relevance", "groundedness"}
    assert (alerts["relevance"].score, alerts["relevance"].threshold) == (Decimal("0.200"), Decimal("0.850"))
    assert alerts["groundedness"].threshold == Decimal("0.900")
    assert alerts["groundedness"].in_words == "0.10 is below 0.90"


def test_a_low_score_without_a_judge_raises_no_alert_and_groundedness_is_none(
    manual: Document, asked: Asked, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the datasets' low scores blamed right answers; the reader's two scores are stored."""
    settings.READER = ""
    monkeypatch.setattr("core.quality.evaluation.triad.evaluate.choose_scorer", LocalScorer)
    result = evaluate(asked(chunks=fetch_chunks(manual), question="Which soup is served?", answer=INSPECTION).pk)
    assert result
    assert (result.method, result.groundedness_score, result.error) == ("local:4:large", None, "")
    assert result.relevance_score is not None
    assert result.relevance_score < Decimal("0.5")
    assert result.answer_relevance_score is not None
    assert result.trulens_record_id
    assert not Alert.objects.exists()


def test_without_a_reader_and_a_judge_there_are_no_scores_and_no_failure(
    manual: Document, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """READER=none, as in all tests: nothing is invented in its place, and the job is not tried again."""
    monkeypatch.setattr("core.quality.evaluation.triad.evaluate.choose_scorer", LocalScorer)
    result = evaluate(asked(chunks=fetch_chunks(manual), answer=INSPECTION).pk)
    assert result
    assert (result.method, result.error, result.abstained) == ("local:4:none", "", False)
    assert (result.relevance_score, result.groundedness_score, result.answer_relevance_score) == (None, None, None)


def test_a_score_at_its_threshold_raises_no_alert(manual: Document, asked: Asked, settings: Settings) -> None:
    """Below is below."""
    settings.ALERT_GROUNDEDNESS_THRESHOLD = 1.0
    settings.ALERT_RELEVANCE_THRESHOLD = 0.0
    evaluate(asked(chunks=fetch_chunks(manual), answer=INSPECTION).pk)
    assert not Alert.objects.exists()


def test_scores_once_stored_stay(manual: Document, asked: Asked, settings: Settings) -> None:
    """A second job for the same answer computes nothing, even with another method configured."""
    query = asked(chunks=fetch_chunks(manual), answer=INSPECTION)
    first = evaluate(query.pk)
    assert first
    settings.EVALUATION_MODEL = "no-such-provider/model"
    second = evaluate(query.pk)
    assert second
    assert (second.pk, second.trulens_record_id) == (first.pk, first.trulens_record_id)


def test_threads_stay_pythons_own(manual: Document, asked: Asked) -> None:
    """TruLens would put its own in their place, for everything in the process."""
    evaluate(asked(chunks=fetch_chunks(manual), answer=f"{INSPECTION} [1]").pk)
    assert (threading.Thread.__module__, futures.ThreadPoolExecutor.__module__) == (
        "threading",
        "concurrent.futures.thread",
    )


def test_a_query_that_is_gone_has_nothing_to_score(db: None) -> None:
    """The job ends well: the person or the retention was faster."""
    assert evaluate(uuid4()) is None


def test_an_erased_query_has_missing_scores_and_a_reason(manual: Document, asked: Asked) -> None:
    """It is no abstention, and trying again would not help."""
    query = asked(chunks=fetch_chunks(manual), answer=INSPECTION)
    Query.objects.filter(pk=query.pk).update(question_text="", erased_at=timezone.now())
    result = evaluate(query.pk)
    assert result
    assert (result.abstained, result.relevance_score, result.trulens_record_id) == (False, None, None)
    assert result.error == "The text was erased before the answer was scored."


def test_a_document_replaced_meanwhile_leaves_the_scores_missing(manual: Document, asked: Asked) -> None:
    """Scores against a part of what the model saw would be wrong."""
    query = asked(chunks=fetch_chunks(manual), answer=INSPECTION)
    with bypass_row_security():
        fetch_chunks(manual)[0].delete()
    result = evaluate(query.pk)
    assert result
    assert result.error == "A document was replaced or deleted before the answer was scored."
    assert result.groundedness_score is None
    assert not Alert.objects.exists()


def test_a_failed_score_is_stored_as_missing_and_scored_again_later(
    manual: Document, asked: Asked, judge: Scripted
) -> None:
    """The other two are kept, the job tries again, and the next run replaces the row."""
    query = asked(chunks=fetch_chunks(manual), answer=INSPECTION)
    judge.scores["relevance"] = EvaluationError("No score for now.")
    with pytest.raises(EvaluationError, match="No score for now"):
        evaluate(query.pk)
    stored = EvaluationResult.objects.get()
    assert (stored.relevance_score, stored.groundedness_score) == (None, Decimal("1.000"))
    assert stored.error == "No score for now."
    assert stored.trulens_record_id
    assert not Alert.objects.exists()
    judge.scores["relevance"] = 1.0
    result = evaluate(query.pk)
    assert result
    assert (result.pk, result.relevance_score, result.error) == (stored.pk, Decimal("1.000"), "")
    assert result.trulens_record_id != stored.trulens_record_id


def test_when_time_is_up_the_scores_left_are_missing(manual: Document, asked: Asked, settings: Settings) -> None:
    """TRULENS_FEEDBACK_TIMEOUT bounds the whole evaluation."""
    settings.TRULENS_FEEDBACK_TIMEOUT = 0
    query = asked(chunks=fetch_chunks(manual), answer=INSPECTION)
    with pytest.raises(EvaluationError):
        evaluate(query.pk)
    stored = EvaluationResult.objects.get()
    assert stored.groundedness_score is None
    assert stored.error


class Comparing(Scripted):
    """A judge that finds an answer grounded in a passage that holds it."""

    def groundedness(self, question: str, answer: str, passages: Sequence[str]) -> float:
        """1 or 0."""
        return float(answer in passages)


def test_threads_that_score_at_once_get_their_own_scores(fast: None) -> None:
    """The tracing context and the texts of one scoring never reach another."""
    scorer = Comparing()

    def scored(number: int) -> tuple[str, float | None]:
        text = f"Valve {number} opens at {number} bar."
        exchange = Exchange(
            question=Text(reference=f"query:{number}", content=f"At what pressure does valve {number} open?"),
            passages=(Text(reference=f"chunk:{number}", content=text),),
            answer=Text(reference=f"answer:{number}", content=text if number % 2 else f"It is {number + 1} bar."),
        )
        recorded = recorder.record(exchange, scorer, metrics.NAMES)
        return recorded.record_id, recorded.scores["groundedness"]

    with ThreadPoolExecutor(max_workers=6) as pool:
        results = list(pool.map(scored, range(12)))
    assert len({record_id for record_id, _ in results}) == 12
    assert [score for _, score in results] == [1.0 if number % 2 else 0.0 for number in range(12)]


def test_a_follow_up_is_scored_by_the_words_in_which_it_stands_alone(
    manual: Document, asked: Asked, judge: Scripted
) -> None:
    """ "And how often?" has no word in common with any answer."""
    query = asked(chunks=fetch_chunks(manual), answer=f"{INSPECTION} [1]", question="And how often?")
    Query.objects.filter(pk=query.pk).update(standalone_question="How often are the brakes of the crane inspected?")
    log = QueryLog.objects.select_related("query__answer").get(query=query)
    assert exchange_of(log).question.content == "How often are the brakes of the crane inspected?"
    evaluate(query.pk)
    assert judge.questions == ["How often are the brakes of the crane inspected?"]
