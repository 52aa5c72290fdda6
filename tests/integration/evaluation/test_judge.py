"""A language model as the judge, through TruLens's LiteLLM provider, played by a script."""

import logging
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from core.errors import EvaluationError
from core.llm.client import litellm_ready, register
from core.models import BudgetUse, Document, EvaluationResult
from core.models.budgets import Scope
from core.quality.evaluation.triad.evaluate import evaluate
from core.quality.evaluation.triad.judge import JudgeScorer
from core.testing import fetch_chunks
from tests.integration.evaluation.conftest import INSPECTION, QUESTION, REPORT, Asked
from tests.integration.evaluation.test_evaluate import trulens_text

MODEL = "judging-double/strict"
UNFOUNDED = "The driver is paid by the hour."

Judge = Callable[[str], str]


class Bench:
    """The judge of a test: what it was asked, and how it answers."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.timeouts: list[Any] = []
        self.tells_usage = True
        self.verdict: Judge = lambda prompt: '{"score": 3}'


@pytest.fixture
def bench(settings: Settings) -> Iterator[Bench]:
    """EVALUATION_MODEL is a model of this process, which answers as the bench says."""
    litellm = litellm_ready()
    bench = Bench()

    class Double(litellm.CustomLLM):  # type: ignore[misc, name-defined]  # loaded at run time
        def completion(self, *args: Any, **kwargs: Any) -> Any:
            prompt = "\n".join(message["content"] for message in kwargs["messages"])
            bench.asked.append(prompt)
            bench.timeouts.append(kwargs.get("timeout"))
            message = {"role": "assistant", "content": bench.verdict(prompt)}
            return litellm.ModelResponse(
                model=MODEL,
                choices=[{"index": 0, "finish_reason": "stop", "message": message}],
                usage={"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15} if bench.tells_usage else None,
            )

    register("judging-double", Double(), litellm)
    settings.EVALUATION_MODEL = MODEL
    return bench


def verdict(prompt: str) -> str:
    """Full marks for whatever speaks of inspections; splits an answer where its lines end."""
    if "split" in prompt.casefold() and "score" not in prompt.casefold():
        return prompt[prompt.index(INSPECTION) :]
    score = 0 if UNFOUNDED in prompt else 3
    return f'{{"criteria": "as told", "supporting_evidence": "the manual", "score": {score}}}'


def test_the_judges_verdicts_become_the_scores(manual: Document, asked: Asked, bench: Bench) -> None:
    """One of two statements is unfounded, so groundedness is a half and raises its alert."""
    bench.verdict = verdict
    query = asked(chunks=fetch_chunks(manual), answer=f"{INSPECTION}\n{UNFOUNDED}")
    result = evaluate(query.pk)
    assert result
    assert result.method == f"trulens-litellm:{MODEL}"
    assert result.error == ""
    assert result.relevance_score == Decimal("1.000")
    assert result.groundedness_score == Decimal("0.500")
    assert result.answer_relevance_score == Decimal("0.000")
    assert [alert.metric for alert in result.alerts.all()] == ["groundedness"]


def test_the_judge_reads_question_passages_and_answer(manual: Document, asked: Asked, bench: Bench) -> None:
    """The texts, not the references; every passage that the model saw, and every call under a time limit."""
    bench.verdict = verdict
    evaluate(asked(chunks=fetch_chunks(manual), answer=INSPECTION).pk)
    relevance = next(prompt for prompt in bench.asked if QUESTION in prompt and REPORT in prompt)
    assert INSPECTION in relevance
    assert len(bench.asked) == 4  # relevance, the split of the answer, its one statement, answer relevance
    assert set(bench.timeouts) == {60}  # seconds, LLM_TIMEOUT_S
    assert not any("chunk:" in prompt or "query:" in prompt for prompt in bench.asked)


@pytest.mark.parametrize("is_told", [True, False])
def test_the_judges_calls_are_counted(manual: Document, asked: Asked, bench: Bench, is_told: bool) -> None:
    """They are counted as the server reports, call by call; else by the characters of what is sent and written."""
    bench.verdict, bench.tells_usage = verdict, is_told
    evaluate(asked(chunks=fetch_chunks(manual), answer=INSPECTION).pk)
    use = BudgetUse.objects.get(scope=Scope.INSTALLATION)
    assert use.calls == len(bench.asked) == 4
    if is_told:
        assert use.tokens == 4 * 15
    else:
        assert use.tokens > sum(len(prompt) for prompt in bench.asked) // 5


def test_the_judges_prompts_and_reasons_are_not_kept(manual: Document, asked: Asked, bench: Bench) -> None:
    """TruLens traces LiteLLM's calls with their messages; these are made outside of the trace."""
    bench.verdict = verdict
    evaluate(asked(chunks=fetch_chunks(manual), answer=INSPECTION).pk)
    kept = trulens_text()
    assert "qualified engineer" not in kept
    assert "as told" not in kept


@pytest.mark.parametrize("reply", ["I would rather not say.", '{"score": 11}', ""])
def test_a_reply_without_a_score_is_a_missing_score(manual: Document, asked: Asked, bench: Bench, reply: str) -> None:
    """Never a zero, which would raise an alert about an answer that nobody judged."""
    bench.verdict = lambda prompt: reply
    query = asked(chunks=fetch_chunks(manual), answer=INSPECTION)
    with pytest.raises(EvaluationError):
        evaluate(query.pk)
    stored = EvaluationResult.objects.get()
    assert (stored.relevance_score, stored.answer_relevance_score) == (None, None)
    assert stored.error
    assert not stored.alerts.exists()


def test_a_judge_that_cannot_be_reached_is_named_without_its_words(
    manual: Document, asked: Asked, bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    """The stored error says what to check; what the provider said, which may repeat the prompt, is in no log."""

    def away(prompt: str) -> str:
        raise RuntimeError(f"connection refused while sending {prompt}")

    bench.verdict = away
    caplog.set_level(logging.INFO)
    with pytest.raises(EvaluationError, match="Check EVALUATION_MODEL"):
        evaluate(asked(chunks=fetch_chunks(manual), answer=INSPECTION).pk)
    assert "qualified engineer" not in EvaluationResult.objects.get().error
    assert "qualified engineer" not in caplog.text
    assert "qualified engineer" not in trulens_text()


def test_a_provider_that_litellm_does_not_know_is_named(manual: Document, asked: Asked, settings: Settings) -> None:
    """The message names the setting and its value."""
    settings.EVALUATION_MODEL = "no-such-provider/model"
    with pytest.raises(EvaluationError, match="EVALUATION_MODEL 'no-such-provider/model' names no provider"):
        evaluate(asked(chunks=fetch_chunks(manual), answer=INSPECTION).pk)


def test_a_long_model_name_fits_the_record() -> None:
    """The method is stored in a hundred characters."""
    assert len(JudgeScorer("openai/" + "x" * 200).method) == 100
