"""Test the figures about models and their statements."""

import pytest
from litellm import exceptions

from core.llm.scripted import answers, script_model, verdicts
from core.types import Answer
from tests.integration.answers.conftest import Asking
from tests.integration.counted import count_from_now

OPENS = "The canteen in the harbour office opens at noon"
DOUBTED = "Only the canteen in the harbour office opens at noon."
INVENTED = "The canteen in the harbour office opens at 9:15."


def test_tokens_doubts_and_verdicts_are_counted(ask_as_bob: Asking) -> None:
    """Two calls, one of them the judge's; what rules doubt is counted though the judge lets it through."""
    risen = count_from_now()
    with script_model(answers((DOUBTED, 1, OPENS)), judge=verdicts("yes")):
        assert isinstance(ask_as_bob(), Answer)
    assert risen("footnote_model_tokens_total", model="scripted/model", kind="prompt") == 20
    assert risen("footnote_model_tokens_total", model="scripted/model", kind="completion") == 10
    assert risen("footnote_model_cost_usd_total", model="scripted/model") == 0
    assert risen("footnote_judge_verdicts_total", verdict="yes") == 1
    assert risen("footnote_statements_doubted_total", reason="quantifier") == 1
    assert risen("footnote_statements_dropped_total", reason="quantifier") == 0


def test_vetoes_are_counted_by_reason(ask_as_bob: Asking) -> None:
    """A number that is in no quote counts, also in the draft that is sent after its repair."""
    risen = count_from_now()
    draft = answers((INVENTED, 1, OPENS))
    with script_model(draft, draft, judge=verdicts("yes")):
        ask_as_bob()
    assert risen("footnote_statements_dropped_total", reason="number") == 1
    assert risen("footnote_judge_verdicts_total", verdict="yes") == 0


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (exceptions.AuthenticationError("who?", "scripted", "model"), "authentication"),
        (exceptions.RateLimitError("slowly", "scripted", "model"), "rate_limit"),
        (exceptions.Timeout("late", "model", "scripted"), "timeout"),
        (exceptions.NotFoundError("what?", "model", "scripted"), "refused"),
    ],
)
def test_failures_of_a_model_are_counted_by_kind(ask_as_bob: Asking, error: Exception, kind: str) -> None:
    """Once, and the answer in the documents' own words that takes the place of its."""
    risen = count_from_now()
    with script_model(error):
        answered = ask_as_bob()
    assert isinstance(answered, Answer)
    assert risen("footnote_model_errors_total", kind=kind) == 1
    assert risen("footnote_answer_seconds_count", surface="command", outcome="answered") == 1
