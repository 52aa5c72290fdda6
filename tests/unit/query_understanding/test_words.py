"""Words that mean about the same, and words of other languages."""

import pytest

from core.language.nlp.text import stem
from core.language.query_understanding.languages import is_foreign
from core.language.query_understanding.synonyms import find_synonyms


@pytest.mark.parametrize(
    ("question", "word", "other"),
    [
        ("how much vacation do I get", "vacation", "leave"),
        ("can I take nitrogen in the elevator", "elevator", "lift"),
        ("how long is the trial period", "trial", "probation"),
        ("does my boss have to agree", "boss", "supervisor"),
        ("jobless rate in May", "jobless", "unemployment"),
        ("when do I get time off", "time", "leave"),
    ],
)
def test_one_word_for_another(question: str, word: str, other: str) -> None:
    """The replacement works by stems, also for a phrase, whose words all have it."""
    assert stem(other) in find_synonyms(question)[stem(word)]


def test_a_word_of_many_meanings_stands_for_nothing() -> None:
    """ "Leave" and "test" are looked for where vacations and inspections are asked for, and not the other way round."""
    assert find_synonyms("when do I leave and what does the test say") == {}


def test_what_the_question_says_itself_is_not_said_again() -> None:
    """A word of the question is no synonym of another."""
    assert "leav" not in find_synonyms("vacation or leave")["vacat"]


@pytest.mark.parametrize(
    "question",
    [
        "wie viele urlaubstage habe ich?",
        "combien de jours de congé par an ?",
        "numero de telefono de emergencia",
        "quanti giorni di ferie ho?",
        "Wer darf alleine im Labor arbeiten",
        "どこで駐車できますか",
        "Сколько дней отпуска?",
    ],
)
def test_another_language(question: str) -> None:
    """Told by the words that every sentence has, or by the letters."""
    assert is_foreign(question)


@pytest.mark.parametrize(
    "question",
    [
        "how many days of leave do I have",
        "What is the de minimis rule?",
        "Who is Mr de la Cruz?",
        "hotel limit",
        "what is a café au lait",
        "phone number for emergency",
        "wifi guest pw",
        "What does HNSW stand for?",
        "die casting rules",
    ],
)
def test_english_with_foreign_words_is_english(question: str) -> None:
    """Names, terms and fragments do not make another language."""
    assert not is_foreign(question)
