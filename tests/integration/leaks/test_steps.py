"""The steps of an answer say how much they work on: of what every reader may read, and of nothing else."""

import pytest

from bot.delivery.results import _count_documents
from core.access.audiences import asker_for
from core.api import ask
from core.testing import Cast, make_document
from core.values.steps import Step

pytestmark = pytest.mark.usefixtures("fast")
QUESTION = "When is soup served in the canteen of the harbour office?"


def told(cast: Cast) -> list[tuple[str, int]]:
    """Return the steps of an answer that Bob hears of, and the number of documents said to be searched."""
    steps: list[tuple[str, int]] = []

    def hear(step: str) -> None:
        assert isinstance(step, Step)
        steps.append((str(step), step.count))

    audience = cast.audience(cast.bob)
    ask(QUESTION, asker=asker_for(cast.bob), audience=audience, on_step=hear)
    return [("documents", _count_documents(audience)), *steps]


def test_no_count_of_a_step_tells_of_a_hidden_document(cast: Cast) -> None:
    """Bob hears the same numbers whether or not there is a document on his question that Alice alone may read."""
    make_document("Canteen rules", "The canteen in the harbour office serves soup at noon.", roles=[cast.staff])
    before = told(cast)
    assert before == [("documents", 1), ("searching", 0), ("reading", 1), ("checking", 1)]
    make_document("Board rules", "The canteen in the harbour office serves soup at one.", roles=[cast.owners])
    assert told(cast) == before
    assert _count_documents(cast.audience(cast.alice)) == 2
