"""Test that an answer with a model is never a worse one than the documents' own words."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from django.test import override_settings

from core.asking.answering import composition, relevance
from core.asking.reading.readings import Reading, Spans
from core.asking.verification.statements import Verified
from core.llm.scripted import Script, answers, script_model
from core.testing import Cast, make_document
from core.types import Answer, Refusal, Statement
from tests.integration.answers.conftest import CANTEEN, Asking, log_of

OPENS = "The canteen in the harbour office opens at noon."
DOGS = "Visitors may not bring dogs."
QUESTION = "When does the canteen open?"

pytestmark = pytest.mark.usefixtures("fast")


@contextmanager
def small_model(reply: str) -> Iterator[Script]:
    with script_model(reply) as script, override_settings(LLM_MODEL="scripted/model-1.5b"):
        yield script


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A reader that finds what opens at noon the answer, and nothing else; a number by what a text holds."""
    logits = {"opens at noon": 5.0}

    def read_answer(question: str, text: str) -> float | None:
        return max((logit for words, logit in logits.items() if words in text), default=-4.0)

    for module in (relevance, composition):  # both imported: one imported only now would keep the other's double
        monkeypatch.setattr(module, "read_answer", read_answer)
    return logits


@pytest.mark.parametrize("is_small", [True, False], ids=["small", "large"])
def test_a_true_sentence_about_something_else_gives_way_to_the_documents_answer(
    ask_as_bob: Asking, read: Any, is_small: bool
) -> None:
    with small_model(DOGS) if is_small else script_model(answers((DOGS, 1, CANTEEN))):
        result = ask_as_bob()
    assert isinstance(result, Answer)
    assert "opens at noon" in result.text
    assert (result.model_provider, log_of(result).model) == ("extractive", "extractive/sentences")
    assert result.message == ""  # the model did respond


@pytest.mark.parametrize("is_small", [True, False], ids=["small", "large"])
def test_a_model_that_answers_as_well_keeps_its_words(ask_as_bob: Asking, read: Any, is_small: bool) -> None:
    """Also where it is read as a little less of an answer than the documents' words."""
    read["opens at noon and closes"] = 6.5
    with small_model(OPENS) if is_small else script_model(answers((OPENS, 1, CANTEEN))):
        result = ask_as_bob()
    assert isinstance(result, Answer)
    assert result.model_provider == "scripted"
    assert result.text == f"{OPENS} [1]"


def test_where_the_documents_are_not_sure_a_small_model_gives_no_answer(
    ask_as_bob: Asking, read: Any, settings: Any
) -> None:
    """A small model says what is near, and reads as an answer: the day of a decision, asked for the day of pay.

    So it is not asked: nobody waits for it.
    """
    with small_model(OPENS) as script:
        assert isinstance(ask_as_bob(), Answer)
    asked_when_sure = len(script.asked)
    settings.ANSWER_FROM = 1.0  # outside of the block: what is set within would keep the model after the test
    with small_model(OPENS) as script:
        assert isinstance(ask_as_bob(), Refusal)
    assert (asked_when_sure, len(script.asked)) == (1, 0)


def test_where_the_documents_are_not_sure_a_large_model_may_be(ask_as_bob: Asking, read: Any, settings: Any) -> None:
    settings.ANSWER_FROM = 1.0
    with script_model(answers((OPENS, 1, CANTEEN))):
        assert isinstance(ask_as_bob(), Answer)


@pytest.mark.parametrize(("is_small", "is_shown"), [(True, False), (False, True)], ids=["small", "large"])
def test_other_words_than_the_documents_answer_have_to_be_read_as_well(
    ask_as_bob: Asking, read: Any, is_small: bool, is_shown: bool
) -> None:
    """Of a small model, which would say them of any question; one that steers may conclude."""
    read[DOGS] = 4.0
    with small_model(DOGS) if is_small else script_model(answers((DOGS, 1, CANTEEN))):
        result = ask_as_bob()
    assert isinstance(result, Answer)
    assert (DOGS in result.text) == is_shown


def verified(text: str) -> Verified:
    return Verified(text=text, citations=(), dropped=0, reasons={})


def test_what_was_shown_while_the_model_wrote_is_not_taken_back() -> None:
    """The beginning was good enough; what comes behind it makes it longer, and reads as less."""
    quoted: list[str] = []

    def quote() -> Verified:
        quoted.append("x")
        return verified("It opens at noon. [1]")

    one = relevance.Beside("When does it open?", quote=quote, is_small=False)
    logits = iter([5.0, 5.5])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relevance, "read_answer", lambda question, text: next(logits))
        assert one.is_outdone(verified("It opens at noon. [1]")) is False
        assert one.is_outdone(verified("It opens at noon. And a great deal else. [1]")) is False
    assert quoted == ["x"]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Wann öffnet die Kantine und wer ist der Leiter?", "It opens at noon."),
        ("When does it open?", "Die Kantine ist am Mittag und bis um drei geöffnet."),
        ("食堂は何時に開きますか", "It opens at noon."),
        ("When does it open?", "[1]"),
    ],
)
def test_what_the_reader_does_not_know_is_not_compared(question: str, text: str) -> None:
    assert relevance.read_answer(question, text) is None
    one = relevance.Beside(question, quote=lambda: verified("It opens at noon. [1]"), is_small=True)
    assert not one.is_outdone(verified(text))


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader to which "noon" is the answer."""

    def read(question: str, passages: Sequence[tuple[str, str]], *, budget_s: float) -> list[Reading]:
        spans = Spans(np.zeros(1), np.zeros(1), [(0, 1)])
        return [Reading(answers=5.0 if "noon" in text else -3.0, spans=spans) for _, text in passages]

    monkeypatch.setattr(relevance, "read", read)


def order(*texts: str) -> list[str]:
    statements = [Statement(text=text, quotes=()) for text in texts]
    return [one.text for one in relevance.put_answer_first("When does the canteen open?", statements)]


@pytest.mark.usefixtures("reading")
class TestTheAskedFactFirst:
    """The sentence that answers comes first, as far as the others are read as well without it."""

    def test_a_fact_that_comes_last_is_put_first(self) -> None:
        said = ("The canteen is on the ground floor.", "Visitors may not bring dogs.", "The canteen opens at noon.")
        assert order(*said) == [said[2], said[0], said[1]]

    def test_what_is_first_stays(self) -> None:
        said = ("The canteen opens at noon.", "Lunch ends at noon on Fridays.", "Visitors may not bring dogs.")
        assert order(*said) == [*said]

    @pytest.mark.parametrize(
        "said",
        [
            ("1. Ring the bell.", "2. Wait until noon."),
            ("- Dogs stay outside.", "- The canteen opens at noon."),
            ("| Place | Opens |", "| Canteen | noon |"),
            ("These are the hours:", "The canteen opens at noon."),
            ("The canteen is on the ground floor.", "It opens at noon."),
            ("Dogs stay outside.", "The canteen opens at noon.", "It closes at three."),
            ("Dogs stay outside.", "However, lunch begins at noon."),
            ("Dogs stay outside.", "Cats stay outside."),
            ("The canteen opens at noon.",),
            tuple(f"Door {number} opens at noon." for number in range(20)),
        ],
    )
    def test_what_is_in_an_order_keeps_it(self, said: tuple[str, ...]) -> None:
        assert order(*said) == [*said]


def shorten(*texts: str) -> list[str]:
    statements = [Statement(text=text, quotes=()) for text in texts]
    return [one.text for one in relevance.leave_out_needless(QUESTION, statements, least=-1.5)]


@pytest.mark.usefixtures("reading")
class TestWhatASmallModelAdds:
    """Leave out of a small model's draft what does not belong to the answer."""

    def test_of_bullets_those_that_answer_are_left(self) -> None:
        said = ("- Dogs stay outside.", "- The canteen opens at noon.", "- On Fridays noon is at one.")
        assert shorten(*said) == [*said[1:]]

    def test_a_bullet_that_is_left_alone_is_a_sentence(self) -> None:
        assert shorten("- Dogs stay outside.", "- The canteen opens at noon.") == ["The canteen opens at noon."]

    def test_what_speaks_of_the_sentence_before_it_stays_and_goes_with_it(self) -> None:
        said = ("Dogs stay outside.", "They may bark.", "The canteen opens at noon.", "However, it is shut on Sundays.")
        assert shorten(*said) == [*said[2:]]

    @pytest.mark.parametrize(
        "said",
        [
            ("1. Ring the bell.", "2. Wait until noon."),
            ("These are the hours:", "- Noon on Fridays.", "- Dogs stay outside."),
            ("| Place | Opens |", "| Canteen | noon |"),
            ("Dogs stay outside.", "Cats stay outside."),
            ("Dogs stay outside.",),
        ],
    )
    def test_a_whole_stays_whole(self, said: tuple[str, ...]) -> None:
        assert shorten(*said) == [*said]

    def test_what_is_not_read_stays(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(relevance, "read", lambda question, passages, *, budget_s: [None] * len(passages))
        assert shorten("Dogs stay outside.", "The canteen opens at noon.") == [
            "Dogs stay outside.",
            "The canteen opens at noon.",
        ]


def test_a_small_models_answer_has_no_needless_sentence(ask_as_bob: Asking, reading: None, read: Any) -> None:
    with small_model(f"{OPENS}\n{DOGS}"):
        result = ask_as_bob()
    assert isinstance(result, Answer)
    assert result.text == f"{OPENS} [1]"


def test_of_the_documents_own_sentences_those_that_answer_are_quoted(
    ask_as_bob: Asking, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where nothing answers surely enough to be read: then what was chosen stays."""
    rule = "The boat shed is locked at nine in the evening. The boat shed is painted green each spring."
    make_document("Boat shed", rule, roles=[cast.staff])
    logits = {"locked": 4.0, "painted": -4.0}

    def read(question: str, passages: Sequence[tuple[str, str]], *, budget_s: float) -> list[Reading | None]:
        spans = Spans(np.zeros(1), np.zeros(1), [(0, 1)])
        found = [next((logit for word, logit in logits.items() if word in text), None) for _, text in passages]
        return [None if one is None else Reading(answers=one, spans=spans) for one in found]

    monkeypatch.setattr(relevance, "read", read)
    asked = "Tell me how the boat shed is kept."
    result = ask_as_bob(asked)
    assert isinstance(result, Answer)
    assert result.text == "The boat shed is locked at nine in the evening. [1]"
    logits.clear()
    result = ask_as_bob(asked)
    assert isinstance(result, Answer)
    assert "painted" in result.text


def test_facts_at_the_end_of_a_reply_begin_the_answer(ask_as_bob: Asking, reading: None, read: Any) -> None:
    with script_model(answers((DOGS, 1, CANTEEN), (OPENS, 1, CANTEEN))):
        result = ask_as_bob()
    assert isinstance(result, Answer)
    assert result.text.startswith(OPENS)
    assert DOGS in result.text


def test_steps_in_one_line_are_shown_as_steps(ask_as_bob: Asking, cast: Cast) -> None:
    alarm = (
        "How to reset the fire alarm in the boat shed:\n"
        "1. Hold the red button for ten seconds.\n2. Enter the code of your shift.\n3. Tell the guard at the gate."
    )
    make_document("Alarms", alarm, roles=[cast.staff])
    said = (
        "To reset the fire alarm in the boat shed: 1. Hold the red button for ten seconds. "
        "2. Enter the code of your shift. 3. Tell the guard at the gate."
    )
    for model in (small_model(said), script_model(answers((said, 1, alarm)))):
        with model:
            result = ask_as_bob("How do I reset the fire alarm in the boat shed?")
        assert isinstance(result, Answer)
        steps = [line for line in result.text.splitlines() if line[:1].isdigit()]
        assert [step[:7] for step in steps] == ["1. Hold", "2. Ente", "3. Tell"]


def test_of_sixty_sentences_a_screen_is_shown(ask_as_bob: Asking, cast: Cast) -> None:
    doors = " ".join(f"Door {number} of the boat shed is painted green." for number in range(1, 61))
    make_document("Doors", doors, roles=[cast.staff])
    said = "\n".join(f"Door {number} of the boat shed is painted green." for number in range(1, 61))
    with script_model(said):
        result = ask_as_bob("Which doors of the boat shed are painted green?")
    assert isinstance(result, Answer)
    assert len(result.text) < 3_600
    assert result.text.count("painted green") <= 24
