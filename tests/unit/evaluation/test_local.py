"""The local functions, which score by words and embeddings."""

import pytest

from core.evaluation.local import LocalScorer, coverage, numbers, statements
from core.testing import fast_embedding
from tests.precision import SAME_SCORE

PASSAGES = [
    "The brakes of the crane are inspected every six weeks by a qualified engineer.",
    "Visitors sign the book at the gate. The gate closes at 18:30 on weekdays.",
]
QUESTION = "How often are the brakes of the crane inspected?"


def groundedness(answer: str) -> float:
    """The groundedness of an answer in the two passages."""
    with fast_embedding():
        return LocalScorer().groundedness(answer, PASSAGES)


def test_statements_are_the_sentences_that_say_something_without_citation_marks() -> None:
    """Marks go, each line and sentence counts, and what has no content word does not."""
    answer = "The brakes are inspected [1][2].\nThe gate closes at 18:30. So it is. [3]"
    assert statements(answer) == ["The brakes are inspected.", "The gate closes at 18:30."]


def test_coverage_is_the_share_of_content_words_found() -> None:
    """Function words and endings do not count; a text without content words is covered by nothing."""
    assert coverage("When does the gate close?", "The gate was closed.") == 1.0
    assert coverage("gate visitors", "a gate") == 0.5
    assert coverage("of the", "of the") == 0.0


def test_numbers_are_taken_as_written() -> None:
    """Times and decimals stay whole."""
    assert numbers("At 18:30, 2.5 or 1,000") == {"18:30", "2.5", "1,000"}


def test_an_answer_that_stands_in_the_passages_word_for_word_is_wholly_grounded() -> None:
    """Whatever its line breaks, case and citation marks."""
    answer = "The brakes of the crane are\n inspected every six weeks by a qualified engineer. [1]"
    assert groundedness(answer.replace("\n", "")) == 1.0
    assert groundedness("the gate closes at 18:30 on weekdays [1]") == 1.0


def test_a_number_that_no_passage_has_makes_a_statement_ungrounded() -> None:
    """However well the other words fit; the other statement keeps its half."""
    assert groundedness("The gate closes at 19:30 on weekdays.") == 0.0
    both = "The gate closes at 19:30 on weekdays. [1]\nVisitors sign the book at the gate. [1]"
    assert groundedness(both) == 0.5


def test_reworded_statements_are_more_grounded_than_foreign_ones() -> None:
    """Between nothing and all, in the right order."""
    reworded = groundedness("A qualified engineer inspects the crane's brakes every six weeks.")
    foreign = groundedness("The canteen serves lentil soup and bread.")
    assert 0.9 < reworded < 1.0
    assert 0.0 < foreign < 0.2


def test_an_answer_that_says_nothing_is_grounded_in_nothing_and_answers_nothing() -> None:
    """There is no statement that could be checked."""
    with fast_embedding():
        scorer = LocalScorer()
        assert scorer.groundedness("So it is.", PASSAGES) == 0.0
        assert scorer.answer_relevance(QUESTION, "So it is.") == 0.0


def test_the_best_passage_decides_relevance() -> None:
    """Further passages that do not help take nothing away."""
    with fast_embedding():
        scorer = LocalScorer()
        both = scorer.relevance(QUESTION, PASSAGES)
        assert both == pytest.approx(scorer.relevance(QUESTION, PASSAGES[:1]), abs=SAME_SCORE)
        assert both > 0.85 > 0.5 > scorer.relevance(QUESTION, PASSAGES[1:])


def test_the_best_statement_decides_answer_relevance() -> None:
    """An answer to the question scores high, one to another question low."""
    with fast_embedding():
        scorer = LocalScorer()
        assert scorer.answer_relevance(QUESTION, PASSAGES[0]) > 0.85
        assert scorer.answer_relevance(QUESTION, PASSAGES[1]) < 0.15


def test_the_method_names_its_version_and_the_embedding_model() -> None:
    """Scores of different models are not comparable, and the record says which it was."""
    with fast_embedding():
        assert LocalScorer().method == "local:1:hashing-test-double"
