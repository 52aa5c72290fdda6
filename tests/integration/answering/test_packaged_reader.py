"""The reader that is packaged, with questions in other words than the documents'."""

import pytest
from pytest_django import Settings

from core.access.audiences import asker_for, audience_of
from core.api import ask
from core.asking.answering.follow_ups import NOTHING_MORE
from core.asking.reading import reader
from core.models import Document
from core.testing import Cast, make_document
from core.types import Answer, Refusal
from tests.integration.answering.conftest import asking, conversation_of


@pytest.fixture
def library(cast: Cast, settings: Settings) -> list[Document]:
    """Pages of a harbour for all staff, with the real reader, which has all the time that it needs."""
    settings.READER, settings.READER_BUDGET_MS = "", 600_000
    pages = {
        "Staff rules": "Whoever falls ill rings the duty desk before eight. A doctor's note is due from the fourth "
        "day. Annual leave is 28 days. At the end of March what is left of it lapses.",
        "Boat lift": "The lift takes boats up to twelve tonnes. It rests while the wind is above force six. Mr Falk "
        "services it in October.",
        "Canteen": "The kitchen serves soup from noon to two. Staff pay three euros, guests five.",
    }
    return [make_document(name, text, roles=[cast.staff]) for name, text in pages.items()]


def asked(cast: Cast, question: str) -> Answer | Refusal:
    return ask(question, audience=audience_of([cast.bob.pk]), asker=asker_for(cast.bob))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how many vacation days do we get", "28 days"),
        ("when is the mechanic coming", "October"),
        ("can you pull out a boat that weighs 10 tons", "twelve tonnes"),
        ("what do visitors pay for lunch", "guests five"),
    ],
)
def test_a_question_in_other_words_is_answered(
    library: list[Document], cast: Cast, question: str, expected: str
) -> None:
    """By the sentence that says it; without the reader none of them is."""
    result = asked(cast, question)
    assert isinstance(result, Answer)
    assert expected in result.text


@pytest.mark.parametrize(
    ("question", "expected"),
    [("how many holidays do I get per year?", "31 days"), ("what do I do when I quit", "letter")],
)
def test_a_question_is_read_in_the_words_of_a_page(
    library: list[Document], cast: Cast, question: str, expected: str
) -> None:
    """A count of holidays is one of days of annual leave."""
    text = "Crew have 31 days of annual leave a year. Who wants to resign hands in a letter six weeks before."
    make_document("Rules for crews", text, roles=[cast.staff])
    result = asked(cast, question)
    assert isinstance(result, Answer)
    assert expected in result.text


@pytest.mark.parametrize(
    "question",
    ["who painted the boat lift", "what does the harbour master earn", "how many cooks work in the canteen"],
)
def test_what_no_page_says_is_not_answered(library: list[Document], cast: Cast, question: str) -> None:
    """Though a page has most of the words."""
    assert isinstance(asked(cast, question), Refusal)


@pytest.mark.parametrize(
    ("first", "question", "expected", "understood"),
    [
        ("how many vacation days do we get", "until when?", "End of March".lower(), "(vacation days get)"),
        ("what do guests pay in the canteen", "and staff?", "three euros", "what do staff pay in the canteen"),
        ("what can the boat lift take", "who services it?", "Mr Falk", "(the boat lift take)"),
        ("what can the boat lift take", "are you sure?", "twelve tonnes", "what can the boat lift take"),
        ("what can the boat lift take", "when does the kitchen serve soup?", "noon", "kitchen serve soup?"),
    ],
)
def test_a_follow_up_gets_the_meaning_that_a_page_answers(
    library: list[Document], cast: Cast, first: str, question: str, expected: str, understood: str
) -> None:
    """It takes the place of a thing, asks more about the same, doubts the answer, or has nothing to do with it."""
    conversation = conversation_of(cast, "bob")
    follow = asking(cast, "bob")
    follow(first, conversation=conversation)
    follow("thanks!", conversation=conversation)  # to which nothing refers
    result = follow(question, conversation=conversation)
    assert isinstance(result, Answer), result
    assert expected in result.text.lower() or expected in result.text
    assert result.asked.endswith(understood)
    assert NOTHING_MORE not in result.message


def test_without_the_reader_questions_are_answered_all_the_same(
    library: list[Document], cast: Cast, settings: Settings
) -> None:
    """As before: by words and by meaning."""
    settings.READER = "none"
    result = asked(cast, "When does the kitchen serve soup?")
    assert isinstance(result, Answer)
    assert "from noon" in result.text


def test_the_card_names_every_file_of_the_folder() -> None:
    """And the folder has no others but the description of the model; each file is under 64 MB."""
    files = {path.name: path.stat().st_size for path in reader.PACKAGED.iterdir()}
    assert set(files) == {
        "README.md",
        "reader.json",
        "tokenizer.json",
        "weights-1.safetensors",
        "weights-2.safetensors",
        "activations.safetensors",
        "scanner.json",
        "scanner.safetensors",
    }
    assert max(files.values()) < 64_000_000
