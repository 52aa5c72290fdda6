"""An examined model is asked last month's questions before it answers anybody, and is admitted by a yes alone."""

import re
from typing import Any

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from core import api
from core.access.audiences import asker_for, audience_of
from core.asking.generation.modes import prompts_of
from core.llm.client import identify, model_settings
from core.llm.scripted import Script, script_model
from core.models import ChangeLimit, Document, ModelExamination, QueryLog
from core.quality.change_checks import running
from core.quality.change_checks.deciding import DecisionError, approve, decline
from core.quality.change_checks.submitting import CheckError, check_model
from core.testing import Cast
from core.values.change_checks import ChangeKind, CheckState
from tests.integration.change_checks.conftest import Deciding, ask, run

CANTEEN_HOURS = "When does the canteen close?"
State = ModelExamination.State


@pytest.fixture(autouse=True)
def _required(settings: Settings) -> None:
    settings.MODEL_ADMISSION, settings.AGENT_MODE = "required", "plain_text"


def copies(messages: list[dict[str, Any]]) -> str:
    """Reply with the first sentence of the passage, cited."""
    prompt = str(messages[-1]["content"])
    found = re.search(r"The canteen opens[^.]*\.", prompt)
    return f"{found[0]} [1]" if found else "There is no answer."


def examined() -> ModelExamination:
    """Store an examination of the model that is set, which came to its end."""
    model = model_settings()
    return ModelExamination.objects.create(
        model=model.model,
        identity=identify(model),
        prompt_hash=prompts_of(model),
        state=State.EXAMINED,
        finished_at=timezone.now(),
    )


def answered_by(cast: Cast, script: Script) -> str:
    """Ask as Bob, and return the provider of the model that answered."""
    ask(cast.bob, CANTEEN_HOURS)
    return QueryLog.objects.latest("created_at").model_provider


def test_a_model_waits_for_a_yes_whatever_it_does(cast: Cast, library: dict[str, Document], deciding: Deciding) -> None:
    """It is asked only with the change; people are answered without it until then."""
    asked = ask(cast.bob, CANTEEN_HOURS)
    admitting = deciding(cast.alice, "admit_models")
    with script_model(*[copies] * 40) as script:
        check = run(check_model(examined(), by=admitting))
        assert (check.state, check.crossed, check.limits) == (CheckState.HELD, [], {})
        assert script.asked
        assert check.lines.filter(query=asked).count() == 1
        assert check.figures["failed"] == 0
        asked_so_far = len(script.asked)
        assert answered_by(cast, script) == "extractive"
        assert len(script.asked) == asked_so_far
        with pytest.raises(DecisionError):
            approve(check, by=deciding(cast.charlie))
        assert ModelExamination.objects.get().state == State.EXAMINED
        approve(check, by=admitting)
        assert ModelExamination.objects.get().state == State.ADMITTED
        assert answered_by(cast, script) == "scripted"


def test_a_model_that_fails_takes_no_answer_and_waits_even_so(
    cast: Cast, library: dict[str, Document], deciding: Deciding
) -> None:
    """The key-free road answers in its place, as it would answer people. Nothing of the error is kept."""
    ChangeLimit.objects.create(kind=ChangeKind.MODEL, is_on=True)
    ask(cast.bob, CANTEEN_HOURS)
    admitting = deciding(cast.alice, "admit_models")
    with script_model(*[RuntimeError("secret internals")] * 40) as script:
        check = run(check_model(examined(), by=admitting))
        assert script.asked
        assert (check.state, check.crossed, check.limits["most_worse"]) == (CheckState.HELD, [], 0)
        assert check.figures["same"] == check.figures["questions"]
        decline(check, by=admitting)
    assert ModelExamination.objects.get().state == State.EXAMINED
    assert "secret" not in str(check.figures) + check.reason


def test_another_model_than_was_examined_is_not_checked(cast: Cast, library: dict[str, Document]) -> None:
    with script_model():
        examination = examined()
    check = check_model(examination, by=cast.alice)
    running.run_check(check.pk)
    check.refresh_from_db()
    assert (check.state, check.lines.count()) == (CheckState.FAILED, 0)
    assert "Another model is set" in check.reason


def test_a_later_check_of_the_same_model_takes_the_place_of_the_earlier(
    cast: Cast, library: dict[str, Document]
) -> None:
    """A model that is still examined cannot be checked."""
    with script_model():
        examination = examined()
    first, second = (check_model(examination, by=cast.alice) for _ in range(2))
    first.refresh_from_db()
    assert (first.state, second.state) == (CheckState.DECLINED, CheckState.WAITING)
    ModelExamination.objects.update(state=State.RUNNING, finished_at=None)
    with pytest.raises(CheckError):
        check_model(ModelExamination.objects.get(), by=cast.alice)


def test_asking_as_a_person_is_kept_apart(cast: Cast, library: dict[str, Document]) -> None:
    """Store nothing that a check asks as somebody's question."""
    with script_model(*[copies] * 40):
        check = check_model(examined(), by=cast.alice)
        before = QueryLog.objects.count()
        run(check)
        assert QueryLog.objects.count() == before
    assert api.ask(CANTEEN_HOURS, asker=asker_for(cast.bob), audience=audience_of([cast.bob.pk]))
