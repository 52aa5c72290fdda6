"""What helps after a refusal: what an audience may read, and questions near the refused one, of nothing else."""

from typing import Any

import pytest

from core.access import asker_for, revoke
from core.api import ask, guidance
from core.errors import NotFoundError
from core.models import Document
from core.testing import Cast, make_document
from core.types import Audience, Filters, Refusal
from tests.integration.bot import ends

pytestmark = pytest.mark.usefixtures("fast")

# So long that its hashed words are as far from the question as they must be to count as far.
FAR = (
    "Pressure valves open by themselves once steam rises above nine bar, gauges turn red, pumps slow down, bells ring "
    "thrice, lamps flash, engineers wake up, then somebody calls Berta."
)
QUESTION = "What of the vault and the canteen in the harbour office?"
OF_VAULT = "What is said about “Vault codes” in “House rules”?"
OF_CANTEEN = "What is said about “Canteen soup” in “Staff guide”?"


@pytest.fixture(autouse=True)
def library(cast: Cast, fast: None) -> dict[str, Document]:
    """Alice alone may read the house rules; Bob too the guide and a note about something else."""
    rows = {
        "house": ("House rules", "The vault in the harbour office has codes.", "House", "Vault codes", cast.owners),
        "guide": (
            "Staff guide",
            "The canteen in the harbour office has soup.",
            "Staff",
            "3.1 Canteen soup",
            cast.staff,
        ),
        "note": ("Boiler note", FAR, "Staff", "Valves", cast.staff),
    }
    return {
        name: make_document(title, text, roles=[role], collection=shelf, section=section)
        for name, (title, text, shelf, section, role) in rows.items()
    }


def refused(audience: Audience, cast: Cast, **filters: Any) -> str:
    """The request id of the question, which was refused."""
    return ends.refused(QUESTION, asker=asker_for(cast.alice), audience=audience, filters=Filters(**filters)).request_id


def test_it_is_made_of_what_the_audience_may_read(cast: Cast) -> None:
    """For Alice alone also of what is hers; beside Bob of what both may read; far sections are not asked about."""
    alone, both = cast.audience(cast.alice), cast.audience(cast.alice, cast.bob)
    hers, shared = (guidance(refused(readers, cast), audience=readers) for readers in (alone, both))
    assert [(shelf.name, shelf.documents) for shelf in hers.collections] == [("House", 1), ("Staff", 2)]
    assert set(hers.questions) == {OF_VAULT, OF_CANTEEN}
    assert [(shelf.name, shelf.documents) for shelf in shared.collections] == [("Staff", 2)]
    assert shared.questions == (OF_CANTEEN,)


def test_it_is_made_for_who_looks_now(cast: Cast, library: dict[str, Document]) -> None:
    """What was found for other readers, or may not be read any more, is not asked about."""
    request_id = refused(cast.audience(cast.alice), cast)
    assert guidance(request_id, audience=cast.audience(cast.bob)).questions == (OF_CANTEEN,)
    revoke(cast.staff, [library["guide"]], by=None)
    now = guidance(request_id, audience=cast.audience(cast.bob))
    assert ([shelf.documents for shelf in now.collections], now.questions) == ([1], ())
    assert guidance(request_id, audience=Audience.nobody()).collections == ()


def test_it_keeps_to_the_collections_of_the_channel(cast: Cast) -> None:
    """And not to the other filters, which were wishes."""
    readers = cast.audience(cast.alice)
    kept = guidance(refused(readers, cast, collections=("Staff",), source="guide"), audience=readers)
    assert [(shelf.name, shelf.documents) for shelf in kept.collections] == [("Staff", 2)]
    assert kept.questions == (OF_CANTEEN,)


def test_every_question_is_answered(cast: Cast) -> None:
    """As one is asked for each: it would be cruel to refuse twice."""
    readers = cast.audience(cast.alice)
    for question in guidance(refused(readers, cast), audience=readers).questions:
        assert not isinstance(ask(question, asker=asker_for(cast.alice), audience=readers), Refusal)


def test_there_are_no_more_than_wanted_and_none_of_an_unknown_request(cast: Cast) -> None:
    """The nearest comes first."""
    readers = cast.audience(cast.alice)
    assert len(guidance(refused(readers, cast), audience=readers, most_questions=1).questions) == 1
    with pytest.raises(NotFoundError):
        guidance("req_20260102_0a1b2c3d", audience=readers)
