"""Share an answer to issue receipts of: a person asks, and a scripted model quotes one document."""

from collections.abc import Callable

import pytest

from core import api
from core.access.audiences import asker_for, audience_of
from core.llm.scripted import answers, script_model
from core.models import Document, User
from core.testing import Cast, make_document
from core.types import Answer

LAMP = "The lamp of the north pier is lit at dusk by the harbour master."
QUESTION = "Who lights the lamp of the north pier?"

Asks = Callable[[User], Answer]


@pytest.fixture
def document(cast: Cast) -> Document:
    """A document that staff reads."""
    return make_document("Pier handbook", LAMP, roles=[cast.staff])


@pytest.fixture
def asks(document: Document) -> Asks:
    """Ask the question as somebody, and get an answer with one quote."""

    def ask(person: User) -> Answer:
        with script_model(answers((LAMP, 1, LAMP))):
            result = api.ask(QUESTION, asker=asker_for(person), audience=audience_of([person.pk]))
        assert isinstance(result, Answer)
        return result

    return ask
