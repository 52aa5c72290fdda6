"""An examination asks the model and the key-free road the same questions, and admits nothing by itself."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from core import api
from core.access.audiences import asker_for, audience_of
from core.asking.answering.admission import needs_admission
from core.infrastructure.queue import EXAMINE_MODEL
from core.llm import stopping
from core.llm.client import model_settings
from core.llm.scripted import Script, script_model
from core.models import (
    Alert,
    BudgetUse,
    Document,
    ExaminationLine,
    ModelExamination,
    Query,
    QueryLog,
)
from core.models import (
    Answer as AnswerRow,
)
from core.quality.examination.deciding import (
    ExaminationError,
    admit,
    find_standing,
    lapse_where_changed,
    refuse,
    reopen_restored,
    start,
    stop,
)
from core.quality.examination.questions import write_questions
from core.quality.examination.running import LOST_AFTER, WRONG_MODEL, end_lost, run_examination
from core.testing import Cast, make_document
from core.types import Answer

State = ModelExamination.State
Replying = Callable[[list[dict[str, Any]]], Any]


def copies(messages: list[dict[str, Any]]) -> str:
    """Write the line of the first passage that has the most words of the question, as an honest model may."""
    prompt = str(messages[-1]["content"])
    question = prompt.rpartition("\n")[2] + prompt[-400:]
    words = {word.strip("?,.()").casefold() for word in question.split() if len(word) > 3}
    lines = [line for line in prompt.splitlines()[:-3] if ":" in line or "|" in line]
    return max(lines, key=lambda line: sum(word in line.casefold() for word in words), default="NOTHING")


def says_nothing(messages: list[dict[str, Any]]) -> str:
    return "NOTHING"


def fails(messages: list[dict[str, Any]]) -> Exception:
    return RuntimeError("secret internals")


@pytest.fixture
def required(settings: Any) -> Any:
    settings.MODEL_ADMISSION, settings.AGENT_MODE, settings.EXAMINATION_QUESTIONS = "required", "plain_text", 9
    return settings


def examine(replying: Replying = says_nothing, *, replies: int = 60) -> tuple[ModelExamination, Script]:
    """Examine the scripted model once."""
    with script_model(*[replying] * replies) as script:
        examination = start(by=None)
        run_examination(examination.pk)
    examination.refresh_from_db()
    return examination, script


def test_questions_are_asked_as_readers_of_what_answers_them(cast: Cast, library: dict[str, Document]) -> None:
    """Each has its answer in a document that its audience may read; a third has it taken away."""
    questions = write_questions(9)
    assert len(questions) == 8
    assert sum(not one.is_answerable for one in questions) == 3
    for one in questions:
        readable = Document.objects.visible_to(one.audience)
        assert all(readable.filter(pk=place.document_id).exists() for place in one.places)
    assert {place.document_id for one in questions for place in one.places} == {one.pk for one in library.values()}


def test_an_examination_ends_with_figures_of_both_roads_and_decides_nothing(
    cast: Cast, library: dict[str, Document], required: Any
) -> None:
    examination, script = examine()
    assert examination.state == State.EXAMINED
    assert examination.total == 8 == ExaminationLine.objects.filter(examination=examination).count()
    assert script.asked
    model, key_free = examination.figures["model"], examination.figures["key_free"]
    assert model["questions"] == key_free["questions"] == 8
    assert model["invented"] == 0
    assert model["tokens"] > 0 == key_free["tokens"]
    assert sum(model[name] for name in ("right", "wrong", "missed", "invented", "withheld", "failed")) == 8


def test_nothing_of_it_is_stored_as_a_question_and_what_it_spends_is_counted(
    cast: Cast, library: dict[str, Document], required: Any
) -> None:
    examine()
    assert not Query.objects.exists()
    assert not QueryLog.objects.exists()
    assert not AnswerRow.objects.exists()
    assert BudgetUse.objects.get(scope="installation").calls > 0


def ask(cast: Cast) -> Answer:
    result = api.ask(
        "What is the cooling time of the kiln?", asker=asker_for(cast.bob), audience=audience_of([cast.bob.pk])
    )
    assert isinstance(result, Answer), result
    return result


def test_until_it_is_let_in_a_model_is_asked_nothing_and_answers_come_key_free(
    cast: Cast, library: dict[str, Document], required: Any
) -> None:
    """Waiting, examined, refused: the key-free road answers each time. Admitted, the model does."""
    with script_model(*[copies] * 3) as script:
        assert ask(cast).model_provider == "extractive"
        assert find_standing().answers is False
        assert script.asked == []
    examination, _ = examine()
    with script_model(*[copies] * 3) as script:
        assert ask(cast).model_provider == "extractive"
        refuse(examination, by=cast.alice)
        assert ask(cast).model_provider == "extractive"
        assert script.asked == []
    log = QueryLog.objects.latest("created_at")
    assert (log.model, log.model_settings["model"]) == ("extractive/sentences", "scripted/model")
    again, _ = examine()
    with script_model(*[copies] * 3) as script:
        admit(again, by=cast.alice)
        assert find_standing().answers is True
        ask(cast)
        assert len(script.asked) == 1


def test_after_a_restore_a_model_answers_nobody_until_it_is_let_in_anew(
    cast: Cast, library: dict[str, Document], required: Any
) -> None:
    """It may have been refused after the backup. Its examination need not be repeated."""
    examination, _ = examine()
    with script_model(*[copies] * 3) as script:
        admit(examination, by=cast.alice)
        assert reopen_restored() == 1
        assert ask(cast).model_provider == "extractive"
        assert (script.asked, find_standing().answers) == ([], False)
        admit(ModelExamination.objects.get(pk=examination.pk), by=cast.alice)
        ask(cast)
        assert len(script.asked) == 1
    assert reopen_restored() == 1
    assert reopen_restored() == 0


def test_with_a_damaged_record_a_local_model_that_is_named_has_to_be_let_in(settings: Any) -> None:
    """It may be the one that the record names. A model of a provider's is asked as before."""
    settings.LOCAL_MODEL, settings.LOCAL_MODEL_PROBLEM = None, "registered.json is damaged."
    for model, is_needed in (("llamafile/tiny-1b", True), ("ollama_chat/tiny:1b", True), ("openai/gpt-4.1", False)):
        settings.LLM_MODEL = model
        assert needs_admission(model_settings()) is is_needed


def test_a_model_that_was_set_before_goes_on_answering_by_default(
    cast: Cast, library: dict[str, Document], settings: Any
) -> None:
    settings.AGENT_MODE = "plain_text"
    with script_model(copies) as script:
        assert find_standing().answers is True
        ask(cast)
        assert len(script.asked) == 1


def test_a_model_that_fails_is_asked_three_questions_and_examined_as_failed(
    cast: Cast, library: dict[str, Document], required: Any
) -> None:
    examination, _ = examine(fails)
    assert (examination.state, examination.figures) == (State.FAILED, {})
    assert "did not respond" in examination.reason
    assert "secret" not in examination.reason
    assert set(ExaminationLine.objects.values_list("model_outcome", flat=True)) == {"failed"}
    assert ExaminationLine.objects.count() == 3
    with pytest.raises(ExaminationError), script_model():
        admit(examination, by=cast.alice)


@pytest.mark.django_db(transaction=True)
def test_an_examination_that_is_stopped_is_never_admitted(
    cast: Cast, library: dict[str, Document], required: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends while it waits and amid a question."""
    monkeypatch.setattr(stopping, "LOOK_EVERY_S", 0.0)
    with script_model():
        waiting = start(by=cast.alice)
        stop(waiting)
        run_examination(waiting.pk)
    waiting.refresh_from_db()
    assert waiting.state == State.STOPPED

    def stops(messages: list[dict[str, Any]]) -> str:
        stop(ModelExamination.objects.get(state=State.RUNNING))
        connections.close_all()  # of the thread in which the model is called
        return "NOTHING"

    running, script = examine(stops)
    assert (running.state, running.figures) == (State.STOPPED, {})
    assert len(script.asked) <= 2
    with script_model():
        for one in (waiting, running):
            with pytest.raises(ExaminationError):
                admit(one, by=cast.alice)
            with pytest.raises(ExaminationError):
                stop(one)
    assert not ModelExamination.objects.filter(state=State.ADMITTED).exists()


def test_an_examination_that_crashes_has_failed(cast: Cast, library: dict[str, Document], required: Any) -> None:
    """Also where it is killed amid a question."""

    def crash(messages: list[dict[str, Any]]) -> Any:
        raise KeyboardInterrupt

    with script_model(*[crash] * 9):
        examination = start(by=None)
        with pytest.raises(KeyboardInterrupt):
            run_examination(examination.pk)
    examination.refresh_from_db()
    assert examination.state == State.FAILED
    assert examination.finished_at


def test_an_examination_whose_worker_has_gone_is_ended(cast: Cast, library: dict[str, Document], required: Any) -> None:
    """One that gives signs is left alone."""
    now = timezone.now()
    with script_model():
        lost = start(by=None)
    ModelExamination.objects.filter(pk=lost.pk).update(state=State.RUNNING, seen_at=now)
    assert end_lost() == 0
    ModelExamination.objects.filter(pk=lost.pk).update(seen_at=now - LOST_AFTER - timedelta(seconds=1))
    assert end_lost() == 1
    lost.refresh_from_db()
    assert lost.state == State.FAILED
    with script_model():
        start(by=None)  # it is in nobody's way


def test_only_one_examination_of_a_model_is_under_way(cast: Cast, library: dict[str, Document], required: Any) -> None:
    with script_model():
        start(by=None)
        with pytest.raises(ExaminationError, match="being examined already"):
            start(by=None)


def test_without_a_model_there_is_nothing_to_examine(cast: Cast, library: dict[str, Document]) -> None:
    with pytest.raises(ExaminationError, match="No model is set"):
        start(by=None)
    assert find_standing().is_key_free


def test_another_model_than_was_asked_for_is_not_examined_and_not_admitted(
    cast: Cast, library: dict[str, Document], required: Any
) -> None:
    examined, _ = examine()
    with script_model():
        waiting = start(by=None)
    required.LLM_API_BASE = "http://127.0.0.1:1/v1"
    with script_model():
        run_examination(waiting.pk)
        waiting.refresh_from_db()
        assert (waiting.state, waiting.reason) == (State.FAILED, WRONG_MODEL)
        with pytest.raises(ExaminationError, match="Another model is set"):
            admit(examined, by=cast.alice)


def test_an_admission_lapses_when_the_library_changes_much(
    cast: Cast, library: dict[str, Document], required: Any
) -> None:
    """There is one alert, and answers go on by the key-free road."""
    examination, _ = examine()
    with script_model(*[copies] * 3) as script:
        admit(examination, by=cast.alice)
        assert lapse_where_changed() == 0
        for number in range(3):
            make_document(f"New {number}", f"Room {number} has windows.", roles=[cast.staff])
        assert lapse_where_changed() == 1
        assert lapse_where_changed() == 0
        examination.refresh_from_db()
        assert examination.state == State.LAPSED
        assert "library has changed" in examination.reason
        assert ask(cast).model_provider == "extractive"
        assert script.asked == []
    alert = Alert.objects.get()
    assert (alert.examination, alert.metric) == (examination, "admission_lapsed")


def test_an_admission_lapses_when_the_prompts_change(cast: Cast, library: dict[str, Document], required: Any) -> None:
    """At once for answers, and within the hour by name."""
    examination, _ = examine()
    with script_model(*[copies] * 3) as script:
        admit(examination, by=cast.alice)
        required.AGENT_MODE = "quoted"
        assert ask(cast).model_provider == "extractive"
        assert script.asked == []
        assert lapse_where_changed() == 1
    examination.refresh_from_db()
    assert "prompts" in examination.reason


def test_a_later_decision_takes_the_place_of_an_earlier_one(
    cast: Cast, library: dict[str, Document], required: Any
) -> None:
    first, _ = examine()
    with script_model():
        admit(first, by=cast.alice)
    second, _ = examine()
    with script_model():
        refuse(second, by=cast.alice)
        assert find_standing().answers is False
    first.refresh_from_db()
    assert first.state == State.LAPSED


def test_the_worker_knows_the_job(cast: Cast) -> None:
    from procrastinate.contrib.django import app

    assert EXAMINE_MODEL in app.tasks
