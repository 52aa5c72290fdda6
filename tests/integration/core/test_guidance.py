"""Test the guidance after a refusal: readable collections, and questions near the refused one, of nothing else."""

import json
from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command
from pytest_django import Settings

from core.access.audiences import asker_for
from core.access.grants import revoke
from core.api import ask, guidance, guidance_beside
from core.asking.suggestions import guidance as making
from core.errors import NotFoundError
from core.models import Document
from core.testing import Cast, make_document
from core.types import Audience, Filters, Guidance, Refusal
from tests.integration.bot import ends
from tests.integration.leaks.test_doors import by_mcp
from tests.integration.rest.conftest import Caller

pytestmark = pytest.mark.usefixtures("fast")

# So long that its hashed words are as far from the question as they must be to count as far.
FAR = (
    "Pressure valves open by themselves once steam rises above nine bar, gauges turn red, pumps slow down, bells ring "
    "thrice, lamps flash, engineers wake up, then somebody calls Berta."
)
QUESTION = "What of the vault and the canteen in the harbour office?"
OF_VAULT = "What are the vault codes?"
OF_CANTEEN = "What should I know about canteen soup?"


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
    """Documents found for other readers, or no longer readable, are not asked about."""
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


def test_it_stands_beside_refusals_and_closest_passages_alone(cast: Cast, settings: Settings) -> None:
    """Not beside an answer, a question that was none, or one about selected text."""

    def beside(question: str, **options: Any) -> Guidance | None:
        result = ask(question, asker=asker_for(cast.alice), audience=readers, **options)
        return guidance_beside(result, audience=readers)

    readers = cast.audience(cast.alice)
    settings.ANSWER_FROM, settings.CLOSEST_FROM = 0.0, 0.0
    assert beside(QUESTION) is None
    settings.ANSWER_FROM = 1.0
    closest = beside(QUESTION)
    settings.CLOSEST_FROM = 1.0
    refusal = beside(QUESTION)
    assert closest == refusal
    assert closest is not None
    assert [(shelf.name, shelf.documents) for shelf in closest.collections] == [("House", 1), ("Staff", 2)]
    assert beside("?") is None
    assert beside(QUESTION, selected_text="The harbour office has codes for its vault.") is None


def test_the_doors_tell_the_same_to_each_as_they_may_read(cast: Cast, settings: Settings) -> None:
    """REST, MCP and the command line; to Bob nothing of what is Alice's, to Charlie nothing, and later looks none."""
    settings.SECURE_SSL_REDIRECT = False
    question = "Which painter lived near a lighthouse in Zanzibar?"
    for person, shelves in ((cast.alice, [("House", 1), ("Staff", 2)]), (cast.bob, [("Staff", 2)]), (cast.charlie, [])):
        caller, out = Caller(person), StringIO()
        rest = caller.ask(question)
        mcp = json.loads(by_mcp(caller, "ask", question=question))["result"]["structuredContent"]
        call_command("ask", question, "--as", person.email, "--json", stdout=out)
        command = json.loads(out.getvalue())
        assert rest["answer"] is None
        assert rest["guidance"] == mcp["guidance"] == command["guidance"]
        told = rest["guidance"]["collections"]
        assert [(shelf["name"], shelf["documents"]) for shelf in told] == shelves
        assert caller.get(f"queries/{rest['request_id']}").json()["guidance"] is None


def test_people_read_it_on_the_command_line(cast: Cast) -> None:
    """It has the collections to look in, and nothing more where there are none."""
    question = "Which painter lived near a lighthouse in Zanzibar?"
    said = {}
    for person in (cast.bob, cast.charlie):
        out = StringIO()
        call_command("ask", question, "--as", person.email, stdout=out)
        said[person.pk] = out.getvalue().splitlines()[1:]
    assert said == {
        cast.bob.pk: ["What can be searched, by collection and number of documents: Staff (2)"],
        cast.charlie.pk: ["There is no document that this person may read."],
    }


def test_there_are_no_more_than_wanted_and_none_of_an_unknown_request(cast: Cast) -> None:
    """The nearest comes first."""
    readers = cast.audience(cast.alice)
    assert len(guidance(refused(readers, cast), audience=readers, most_questions=1).questions) == 1
    with pytest.raises(NotFoundError):
        guidance("req_20260102_0a1b2c3d", audience=readers)


@pytest.mark.parametrize(("is_read", "tried"), [(True, [0.7]), (False, [0.7, 0.0])])
def test_what_is_read_for_it_has_its_time(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, is_read: bool, tried: list[float]
) -> None:
    """No further question is read once the time is over, since the refusal waits; without a reader each is tried."""
    now, given = [0.0], list[float]()
    alone = cast.audience(cast.alice)
    request_id = refused(alone, cast)

    def take_time(_question: str, *, reading_s: float, **_: Any) -> bool:
        given.append(reading_s)
        now[0] += 0.8
        return False

    monkeypatch.setattr(making, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(making, "would_be_answered", take_time)
    monkeypatch.setattr(making.reader, "is_on", lambda: is_read)
    assert guidance(request_id, audience=alone).questions == ()
    assert given[:2] == tried
