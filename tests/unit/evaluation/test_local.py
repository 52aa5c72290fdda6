"""Scores without a judging model: what the packaged reader says, as a probability."""

import pytest
from pytest_django import Settings

from core.asking.reading.readings import OF_ANSWER, OF_PASSAGE, Calibration
from core.errors import EvaluationError
from core.quality.evaluation.triad.local import LocalScorer, list_readings

PASSAGES = [
    "Crane manual, Maintenance\nThe brakes of the crane are inspected every six weeks by a qualified engineer.",
    "Site rules, Gate\nVisitors sign the book at the gate. The gate closes at 18:30 on weekdays.",
]
QUESTION = "How often are the brakes of the crane inspected?"
SCORES = ("relevance", "answer_relevance")


@pytest.fixture
def reading(settings: Settings) -> None:
    """The packaged reader reads."""
    settings.READER = ""


@pytest.mark.usefixtures("reading")
def test_the_best_passage_decides_relevance() -> None:
    """Further passages that do not help take nothing away."""
    scorer = LocalScorer()
    both = scorer.relevance(QUESTION, PASSAGES)
    assert both == pytest.approx(scorer.relevance(QUESTION, PASSAGES[:1]), abs=0.05)
    assert both > 0.8 > 0.3 > scorer.relevance(QUESTION, PASSAGES[1:])


@pytest.mark.usefixtures("reading")
@pytest.mark.parametrize(
    "question",
    ["What does a visitor pay at the gate?", "Who pays the crane's engineer?", "what colour are the crane's brakes"],
)
def test_the_words_of_a_passage_alone_are_no_relevance(question: str) -> None:
    """Each question shares words with what was read, and is answered by none of it."""
    assert LocalScorer().relevance(question, PASSAGES) < 0.5


@pytest.mark.usefixtures("reading")
@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("what's left over of my days off, is it gone?", "Leave\nUp to five unused days move into the next year."),
        ("when do they shut the entrance", "Site rules, Gate\nThe gate closes at 18:30 on weekdays."),
    ],
)
def test_a_question_in_other_words_is_as_relevant(question: str, passage: str) -> None:
    """Compared word by word, right answers to such questions raised alerts."""
    assert LocalScorer().relevance(question, [passage]) > 0.7


@pytest.mark.usefixtures("reading")
def test_an_answer_is_relevant_to_its_own_question() -> None:
    """Its citation marks are no part of it, and one that says nothing answers nothing."""
    scorer = LocalScorer()
    said = "The brakes of the crane are inspected every six weeks by a qualified engineer. [1][2]"
    assert scorer.answer_relevance(QUESTION, said) > 0.85
    assert scorer.answer_relevance(QUESTION, "The gate closes at 18:30 on weekdays. [1]") < 0.2
    assert scorer.answer_relevance(QUESTION, "[1]") == 0.0


@pytest.mark.usefixtures("reading")
def test_a_follow_up_is_held_against_what_answers_its_own_part() -> None:
    """Set behind the question before it, it would need a passage that answers both."""
    asked = "How many days of annual leave can be carried over into the next year? How is the exception recorded?"
    assert LocalScorer().relevance(asked, ["Leave\nThe exception is recorded on form HR-12 by 15 December."]) > 0.7


def test_groundedness_is_measured_by_a_judge_only(settings: Settings) -> None:
    """With and without a reader."""
    for reader in ("", "none"):
        settings.READER = reader
        assert "groundedness" not in LocalScorer().measures(QUESTION)
    with pytest.raises(EvaluationError, match="judging model"):
        LocalScorer().groundedness(QUESTION, "Six weeks.", PASSAGES)


def test_without_a_reader_nothing_is_measured_and_the_method_says_so(settings: Settings) -> None:
    """Nothing takes the reader's place; in writing that the packaged one does not know it has nothing to say either."""
    settings.READER = "none"
    assert (LocalScorer().method, LocalScorer().measures(QUESTION)) == ("local:4:none", ())
    settings.READER = ""
    assert (LocalScorer().method, LocalScorer().measures(QUESTION)) == ("local:4:large", SCORES)
    assert LocalScorer().measures("起重机的刹车多久检查一次？") == ()


def test_a_calibration_keeps_the_order_and_stays_within_0_and_1() -> None:
    """Whatever the logit."""
    for calibration in (OF_PASSAGE, OF_ANSWER, Calibration(slope=3.0, intercept=-1.0)):
        values = [calibration.probability(logit) for logit in (-1e6, -5, 0, 5, 1e6)]
        assert values == sorted(values)
        assert 0 <= values[0] < 0.1
        assert 0.9 < values[-1] <= 1


def test_a_last_part_that_says_little_by_itself_is_no_reading() -> None:
    """ "And why?" would be answered by anything."""
    assert list_readings("How often is the crane inspected? Why?") == ("How often is the crane inspected? Why?",)
    assert list_readings("What is the rate now?") == ("What is the rate now?", "What is the rate ?")
