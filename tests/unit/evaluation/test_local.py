"""The local functions, which score by words and embeddings."""

import pytest

from core.evaluation.triad.asked import coverage, list_readings
from core.evaluation.triad.local import LocalScorer, numbers, statements
from core.testing import fast_embedding
from tests.precision import SAME_SCORE

PASSAGES = [
    "The brakes of the crane are inspected every six weeks by a qualified engineer.",
    "Visitors sign the book at the gate. The gate closes at 18:30 on weekdays.",
]
QUESTION = "How often are the brakes of the crane inspected?"


def groundedness(answer: str, *, question: str = QUESTION, passages: list[str] = PASSAGES) -> float:
    """The groundedness of an answer in passages; in the two above unless others are given."""
    with fast_embedding():
        return LocalScorer().groundedness(question, answer, passages)


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


CLASSES = """Safety manual, 2025-01-01, The Four Classes
- Class A, red label: toxic substances. At most 100 millilitres may stand outside the cabinet.
- Class C, white label: corrosive substances, both acids
  and alkalis. At most 500 millilitres may stand outside the cabinet.
Class D is never stored in Bay 3. Waste is."""


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("how much class a may stand outside?", "At most 100 millilitres may stand outside the cabinet. [1]", 1.0),
        ("how much class a may stand outside?", "At most 500 millilitres may stand outside the cabinet. [1]", 0.0),
        ("How much Class C may stand outside?", "At most 500 millilitres may stand outside the cabinet. [1]", 1.0),
        ("How much of Class C or Class A?", "At most 500 millilitres may stand outside the cabinet.", 1.0),
        ("How much may stand outside the cabinet?", "At most 500 millilitres may stand outside the cabinet.", 1.0),
        ("How much of Class K?", "At most 500 millilitres may stand outside the cabinet.", 1.0),
        ("What of Class A in Bay 3?", "Class D is never stored in Bay 3.", 0.0),
        ("What is in Bay 3?", "Class D is never stored in Bay 3.", 1.0),
    ],
)
def test_an_extract_of_another_subject_is_not_grounded(question: str, answer: str, expected: float) -> None:
    """It occurs word for word, and says of Class C what was asked of Class A."""
    assert groundedness(answer, question=question, passages=[CLASSES]) == expected


def test_a_statement_with_the_date_of_its_source_is_grounded_in_a_source_of_that_date() -> None:
    """The heading names the date in another form; a source of another date does not carry it."""
    passages = ["Statement, 2025-08-20, Decision\nThe rate falls to 3.75 per cent.", "Minutes, 2025-05-21\nNo change."]
    assert groundedness("20 August 2025: The rate falls to 3.75 per cent. [1]", passages=passages) == 1.0
    assert groundedness("21 May 2025: The rate falls to 3.75 per cent. [1]", passages=passages) == 0.0
    assert groundedness("1 July 2025: No change. [1]", passages=passages) == 0.0
    reworded = groundedness("20 August 2025: To 3.75 per cent falls the rate. [1]", passages=passages)
    assert 0.8 < reworded < 1.0


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("As of 20 August 2025, the rate falls to 3.75 per cent. [1]", 1.0),
        ("On 20 August 2025: the rate falls to 3.75 per cent. [1]", 1.0),
        ("In August 2025, the rate falls to 3.75 per cent. [1]", 1.0),
        ("As of 21 May 2025, the rate falls to 3.75 per cent. [1]", 0.0),
        ("The rate falls to 3.75 per cent on 1 July 2025. [1]", 0.0),
    ],
)
def test_a_date_is_grounded_in_whatever_form_its_source_has_it(answer: str, expected: float) -> None:
    """Compared number by number, "20" and "2025" do not occur beside 2025-08-20: each such answer raised an alert."""
    passages = ["Statement, 2025-08-20, Decision\nThe rate falls to 3.75 per cent.", "Minutes, 2025-05-21\nNo change."]
    assert groundedness(answer, passages=passages) == expected


def test_a_date_within_a_statement_counts_as_its_sources() -> None:
    """It is weighed like any other reworded statement, and not forbidden."""
    passages = ["Statement, 2025-08-20, Decision\nThe Board cut the lending rate of the bank to 3.75 per cent."]
    assert groundedness("The Board cut the lending rate on 20 August 2025 to 3.75 per cent.", passages=passages) > 0.9


RATE = "Statement, 2025-11-19, Decision\nThe Board decided to cut the lending rate to 3.50 per cent."
ALERT_BELOW = 0.85  # the default of ALERT_RELEVANCE_THRESHOLD


@pytest.mark.parametrize(
    "question",
    [
        "What is the lending rate at the moment?",
        "What is the lending rate as of November 2025?",
        "What was the lending rate on 19 November 2025?",
    ],
)
def test_a_time_in_a_question_takes_nothing_from_its_passage(question: str) -> None:
    """A passage does not say "at the moment" of itself, and its heading has the date in another form."""
    with fast_embedding():
        assert LocalScorer().relevance(question, [RATE]) >= ALERT_BELOW


def test_a_follow_up_is_held_against_what_answers_its_own_part() -> None:
    """Set behind the question before it, it would need a passage that answers both."""
    asked = "How many days of annual leave can be carried over into the next year? How is the exception recorded?"
    passage = "The exception is recorded on form HR-12 by 15 December and countersigned."
    with fast_embedding():
        scorer = LocalScorer()
        assert scorer.relevance(asked, [passage]) >= ALERT_BELOW
        assert scorer.answer_relevance(asked, passage) >= ALERT_BELOW
        assert scorer.relevance(asked, ["The canteen serves lentil soup."]) < 0.2


def test_a_last_part_that_says_little_by_itself_is_no_reading() -> None:
    """ "And why?" would be answered by anything."""
    assert list_readings("How often is the crane inspected? Why?") == ("How often is the crane inspected? Why?",)
    assert list_readings("What is the rate now?") == ("What is the rate now?", "What is the rate ?")
    assert coverage("the rate in May 2025", "Statement, 2025-05-21\nThe rate stays.") == 1.0
    assert coverage("the rate in May 2024", "Statement, 2025-05-21\nThe rate stays.") == 0.5


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
        assert scorer.groundedness(QUESTION, "So it is.", PASSAGES) == 0.0
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
        assert LocalScorer().method == "local:3:hashing-test-double"
