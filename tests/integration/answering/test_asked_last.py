"""Collections that are asked last: their passages count where the question names them, or where no other answers."""

import pytest
from pytest_django import Settings

from core.access.audiences import asker_for, audience_of
from core.api import ask
from core.models import Collection, Document
from core.testing import Cast, make_document
from core.types import Answer, Refusal

GUIDE = "Harbour desk guides"


@pytest.fixture
def library(cast: Cast, settings: Settings) -> dict[str, Document]:
    """A guide on the use of a program beside the papers of a harbour, with the real reader and all the time."""
    settings.READER, settings.READER_BUDGET_MS = "", 600_000
    guide = make_document(
        "Using the desk program",
        "Press Forget to delete your questions. A failed sign-in locks the account for fifteen minutes.",
        "The program keeps a backup of each day for ninety days.",
        roles=[cast.staff],
        collection=GUIDE,
    )
    Collection.objects.filter(name=GUIDE).update(is_asked_last=True)
    page = make_document(
        "Boat lift", "The lift takes boats up to twelve tonnes. It rests in storms.", roles=[cast.staff]
    )
    return {"guide": guide, "page": page}


def asked(cast: Cast, question: str) -> Answer | Refusal:
    return ask(question, audience=audience_of([cast.bob.pk]), asker=asker_for(cast.bob))


def test_a_guide_answers_what_no_other_document_does(library: dict[str, Document], cast: Cast) -> None:
    result = asked(cast, "how long is an account locked after a failed sign-in")
    assert isinstance(result, Answer)
    assert [citation.document_id for citation in result.citations] == [library["guide"].pk]


def test_a_guide_is_not_among_the_closest_of_another_question(library: dict[str, Document], cast: Cast) -> None:
    """Not asked last, it would be: it speaks of keeping and of days."""
    question = "how many days may a boat stay in the lift program"
    result = asked(cast, question)
    assert isinstance(result, Refusal)
    assert library["guide"].pk not in {citation.document_id for citation in result.closest}
    assert all(passage.document_id != library["guide"].pk for passage in result.retrieved)
    Collection.objects.filter(name=GUIDE).update(is_asked_last=False)
    assert any(passage.document_id == library["guide"].pk for passage in asked(cast, question).retrieved)


def test_a_question_that_names_the_collection_asks_it_as_any_other(library: dict[str, Document], cast: Cast) -> None:
    result = asked(cast, "which boats does the harbour desk program lift")
    assert any(passage.document_id == library["guide"].pk for passage in result.retrieved)


def test_readers_of_the_guide_alone_are_answered_from_it(library: dict[str, Document], cast: Cast) -> None:
    library["page"].delete()
    result = asked(cast, "what deletes my questions")
    assert isinstance(result, Answer)
    assert "Press Forget" in result.text
