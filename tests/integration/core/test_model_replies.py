"""Replies of models that are given again: to the same audience, from the same library, and never across."""

import datetime as dt
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from core.access.audiences import asker_for, audience_of
from core.access.grants import revoke
from core.api import ask, erase_texts, open_conversation
from core.asking.spending.replies import forget_old
from core.llm.scripted import Script, answers, script_model, verdicts
from core.models import Answer as AnswerRow
from core.models import BudgetUse, ModelReply, User
from core.testing import Cast, make_document
from core.types import Answer, Origin, Refusal

pytestmark = pytest.mark.usefixtures("fast")

CANTEEN = "The canteen in the harbour office opens at noon and closes at three."
CANARY = "The canteen in the harbour office opens with the code K7741 for the owners."
QUESTION = "When does the canteen in the harbour office open?"
TOLD = answers(("The canteen opens at noon.", 1, CANTEEN))
DOUBTED = answers(("Only the canteen in the harbour office opens at noon.", 1, CANTEEN))


@pytest.fixture(autouse=True)
def _replies_are_kept(settings: Settings) -> None:
    settings.MODEL_CACHE_HOURS = 24


@pytest.fixture(autouse=True)
def _library(cast: Cast, fast: None) -> None:
    make_document("Canteen rules", CANTEEN, roles=[cast.staff], section="Opening")


def ask_as(user: User, question: str = QUESTION, *, again_in: object = None) -> Answer | Refusal:
    asker = asker_for(user)
    conversation = again_in or open_conversation(origin=Origin.REST, asker=asker)
    return ask(question, asker=asker, audience=audience_of([user.pk]), conversation=conversation)


def calls_of(script: Script) -> tuple[int, int]:
    return len(script.asked), len(script.judged)


def test_the_same_question_of_the_same_audience_calls_no_model_twice(cast: Cast) -> None:
    """Nor its judge. The answer is verified and recorded as any other, at no cost, with the tokens that it spared."""
    cast.charlie.roles.add(cast.staff)
    with script_model(DOUBTED, judge=verdicts("yes")) as script:
        first, second = ask_as(cast.bob), ask_as(cast.charlie)
    assert calls_of(script) == (1, 1)
    assert isinstance(first, Answer)
    assert isinstance(second, Answer)
    assert (second.text, len(second.citations)) == (first.text, 1)
    rows = [AnswerRow.objects.get(query=result.query_id) for result in (first, second)]
    assert [(row.prompt_tokens, row.completion_tokens, row.saved_tokens) for row in rows] == [(20, 10, 0), (0, 0, 30)]
    use = BudgetUse.objects.get(scope="installation")
    assert (use.calls, use.missed, use.reused, use.saved_tokens) == (2, 2, 2, 30)


def test_another_audience_gets_a_reply_of_its_own(cast: Cast) -> None:
    """Though it is shown the same passages: Alice has one more role than Bob."""
    with script_model(TOLD, TOLD) as script:
        ask_as(cast.bob)
        ask_as(cast.alice)
    assert calls_of(script) == (2, 0)


def test_nothing_is_left_after_a_revocation_or_a_deletion(cast: Cast) -> None:
    """The change itself erases the rows, and the next who asks is answered anew, without what was taken away."""
    secret = make_document("Canteen code", CANARY, roles=[cast.owners])
    told = answers(("The canteen opens with the code K7741.", 1, CANARY))
    question = "With which code does the canteen in the harbour office open?"
    with script_model(told) as script:
        assert "K7741" in ask_as(cast.alice, question).text
    assert "K7741" in str(list(ModelReply.objects.values_list("reply", flat=True)))
    revoke(cast.owners, [secret], by=None)
    assert not ModelReply.objects.exists()
    with script_model(TOLD) as script:
        result = ask_as(cast.alice, question)
    assert calls_of(script) == (1, 0)
    assert "K7741" not in f"{script.asked}{result}"
    secret.delete()
    assert not ModelReply.objects.exists()


def test_who_repeats_a_question_in_a_conversation_wants_another_reply(cast: Cast) -> None:
    """The model is called again."""
    with script_model(TOLD, TOLD) as script:
        first = ask_as(cast.bob)
        ask_as(cast.bob, again_in=first.conversation_id)
    assert calls_of(script) == (2, 0)


def test_replies_that_led_to_nothing_are_not_kept(cast: Cast) -> None:
    """A reply that could not be parsed is not kept, nor are the steps after it."""
    with script_model("", "", "", "", ""):
        ask_as(cast.bob)
    assert not ModelReply.objects.exists()


@pytest.mark.parametrize("name", ["MODEL_CACHE_HOURS", "MODEL_CACHE_MOST"])
def test_settings_switch_it_off(cast: Cast, settings: Any, name: str) -> None:
    """Nothing is kept, and nothing is looked for."""
    setattr(settings, name, 0)
    with script_model(TOLD, TOLD):
        ask_as(cast.bob)
        ask_as(cast.bob)
    assert not ModelReply.objects.exists()
    assert BudgetUse.objects.get(scope="installation").missed == 0


def test_replies_go_with_age_number_and_texts(cast: Cast, settings: Any) -> None:
    """A reply that is too old is not reused, and is deleted.

    So are the oldest of too many, and all when texts are erased.
    """
    with script_model(TOLD, TOLD) as script:
        ask_as(cast.bob)
        ModelReply.objects.update(created_at=timezone.now() - dt.timedelta(hours=25))
        ask_as(cast.bob)
        assert calls_of(script) == (2, 0)
    assert (forget_old(), ModelReply.objects.count()) == (0, 1)  # the newer one took its place
    settings.MODEL_CACHE_MOST = 0
    assert (forget_old(), ModelReply.objects.count()) == (1, 0)
    settings.MODEL_CACHE_MOST = 10
    with script_model(TOLD):
        ask_as(cast.bob)
    assert ModelReply.objects.exists()
    erase_texts(before=timezone.now() - dt.timedelta(days=1))
    assert not ModelReply.objects.exists()
