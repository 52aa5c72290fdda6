"""Models that cannot judge what they write: mended with the documents' words, and believed where passages are near."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.test import override_settings
from pytest_django import Settings

from core.llm.scripted import Script, answers, script_model
from core.types import Answer, Refusal
from tests.integration.answers.conftest import CANTEEN, QUESTION, Asking, is_silent, log_of, shown

OPENS = "The canteen in the harbour office opens at noon."
SENTENCE = "The canteen in the harbour office opens at noon and closes at three."
pytestmark = pytest.mark.usefixtures("fast")


@contextmanager
def small_model(reply: str) -> Iterator[Script]:
    """The scripted model under a name that says how small it is."""
    with script_model(reply) as script, override_settings(LLM_MODEL="scripted/model-1.5b"):
        yield script


def test_a_statement_gives_way_to_the_sentence_it_points_to(ask_as_bob: Asking) -> None:
    """The reason for dropping it is counted, and none of the model's words is shown."""
    said = "Only the canteen in the harbour office opens at noon."
    with small_model(said) as script:
        result = ask_as_bob()
    assert isinstance(result, Answer)
    assert result.text == f"{SENTENCE} [1]"
    assert is_silent(result)
    assert log_of(result).dropped_reasons == {"quantifier": 1}
    assert len(script.asked) == 1  # it is not asked to mend it


def test_of_a_draft_the_rest_is_mended(ask_as_bob: Asking) -> None:
    """A verified statement stays, and its quotes are not shown twice."""
    with small_model(f"{OPENS}\nOnly the canteen in the harbour office opens at noon.\nVisitors must bring dogs."):
        result = ask_as_bob()
    assert isinstance(result, Answer)
    assert result.text.startswith(f"{OPENS} [1]")
    assert result.text.count("opens at noon") == 1
    assert "must" not in shown(result)


def test_where_nothing_is_near_a_small_model_is_not_believed(ask_as_bob: Asking, settings: Settings) -> None:
    """A large one is: it can say that nothing answers."""
    settings.ANSWER_FROM = settings.CLOSEST_FROM = 1.0
    with script_model(answers((OPENS, 1, CANTEEN))):
        assert isinstance(ask_as_bob(), Answer)
    with small_model(OPENS):
        assert isinstance(ask_as_bob(), Refusal)


def test_what_is_not_of_the_kind_asked_for_is_no_answer(ask_as_bob: Asking) -> None:
    """A time is no e-mail address, however true it is."""
    question = QUESTION.replace("When does", "What is the e-mail address of").replace(" open?", "?")
    with small_model(OPENS):
        result = ask_as_bob(question)
    assert is_silent(result)
    assert OPENS not in shown(result)
