"""Documents that each have their own: which of them is meant is asked, or follows from the conversation."""

import pytest
from pytest_django import Settings

from core.access.audiences import asker_for, audience_of
from core.api import ask
from core.asking.answering.clarification import options_in
from core.models import Document
from core.testing import Cast, make_document
from core.types import Answer, Refusal, RefusalReason
from tests.integration.answering.conftest import asking, conversation_of

TUG = "Report on the tug Maribel"
BARGE = "Report on the barge Osprey"
QUESTION = "How old was the skipper?"


@pytest.fixture
def reports(cast: Cast, settings: Settings) -> dict[str, Document]:
    """Two reports with a skipper each, of which Bob may read both and Carol one, with the real reader."""
    settings.READER, settings.READER_BUDGET_MS = "", 600_000
    return {
        TUG: make_document(
            TUG,
            "The tug ran onto the mole in thick fog. The skipper was 58 years old and had a master's ticket.",
            roles=[cast.staff],
        ),
        BARGE: make_document(
            BARGE,
            "The barge lost its deck cargo off the breakwater. The skipper was 31 years old and on his first trip.",
            roles=[cast.owners],
        ),
    }


def test_it_is_asked_which_is_meant_and_the_reply_is_answered(reports: dict[str, Document], cast: Cast) -> None:
    follow, conversation = asking(cast, "alice"), conversation_of(cast, "alice")
    asked = follow(QUESTION, conversation=conversation)
    assert isinstance(asked, Refusal)
    assert asked.reason is RefusalReason.AMBIGUOUS
    assert set(options_in(asked.message)) == {f"“{TUG}”", f"“{BARGE}”"}
    chosen = follow("the barge", conversation=conversation)
    assert isinstance(chosen, Answer)
    assert "31" in chosen.text
    assert "58" not in chosen.text


def test_who_may_read_one_of_them_is_answered_from_it(reports: dict[str, Document], cast: Cast) -> None:
    """Nothing shows them that there is another."""
    result = ask(QUESTION, audience=audience_of([cast.bob.pk]), asker=asker_for(cast.bob))
    assert isinstance(result, Answer)
    assert "58" in result.text


def test_in_a_conversation_about_one_of_them_that_one_is_meant(reports: dict[str, Document], cast: Cast) -> None:
    follow, conversation = asking(cast, "alice"), conversation_of(cast, "alice")
    first = follow("What did the barge lose off the breakwater?", conversation=conversation)
    assert isinstance(first, Answer)
    result = follow(QUESTION, conversation=conversation)
    assert isinstance(result, Answer), result
    assert "31" in result.text
    assert {citation.document_id for citation in result.citations} == {reports[BARGE].pk}


@pytest.mark.parametrize(
    "question",
    [
        "How old was the skipper of the tug Maribel?",
        "Was there any fog?",
        "What did the barge lose?",
        "Which ticket did the skipper have?",  # says more of the one than its kind
    ],
)
def test_a_question_that_names_what_it_is_about_is_answered(
    reports: dict[str, Document], cast: Cast, question: str
) -> None:
    result = ask(question, audience=audience_of([cast.alice.pk]), asker=asker_for(cast.alice))
    assert not (isinstance(result, Refusal) and result.reason is RefusalReason.AMBIGUOUS)


def test_documents_that_say_the_same_are_not_asked_back(reports: dict[str, Document], cast: Cast) -> None:
    make_document("Summary of the year", "The skipper was 58 years old.", roles=[cast.staff])
    result = ask(QUESTION, audience=audience_of([cast.bob.pk]), asker=asker_for(cast.bob))
    assert isinstance(result, Answer)
