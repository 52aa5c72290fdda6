"""A question with two parts of which the library holds one: what is answered, and what is said of the other."""

import dataclasses

import pytest
from pytest_django import Settings

from bot.blocks.answer import answer
from core.access.audiences import audience_of
from core.api import stored_result
from core.models import Answer as AnswerRow
from core.models import Document, Query
from core.serialization import as_json
from core.testing import Cast, make_cast, make_document
from core.types import Answer, Refusal
from tests.integration.answering.conftest import Ask, asking

FERRY = "The ferry to the island of Holm leaves the northern pier at seven every morning."
SMOKEHOUSE = "The smokehouse on the southern pier was founded by the cooper Greta Lind in 1911."
VAULT = "The vault beneath the customs house was dug by the mason Olaf Stern in 1874."

FERRY_SIDE, SMOKEHOUSE_SIDE = "When does the ferry to Holm leave", "who founded the smokehouse on the southern pier"
VAULT_SIDE = "who dug the vault beneath the customs house"
REPTILE_SIDE = "which enzyme do reptiles need to digest cellulose"


@pytest.fixture
def cast(db: None) -> Cast:
    """The cast, with a library that the packaged model embeds: of the vault Alice alone may read."""
    cast = make_cast()
    make_document("Ferry rules", FERRY, roles=[cast.staff])
    make_document("Chronicle of the pier", SMOKEHOUSE, roles=[cast.staff])
    make_document("Customs house", VAULT, roles=[cast.owners])
    make_document("Canteen rules", "Soup is served in the canteen at noon.", roles=[cast.staff])
    return cast


@pytest.fixture
def bob(cast: Cast) -> Ask:
    """Asks as Bob."""
    return asking(cast, "bob")


@pytest.mark.parametrize("lacking", [REPTILE_SIDE, VAULT_SIDE], ids=["absent", "forbidden"])
def test_the_side_that_is_lacking_is_named(bob: Ask, lacking: str) -> None:
    """The other is answered; what Bob may not read is lacking as what is not there."""
    result = bob(f"{FERRY_SIDE}, and {lacking}?")
    assert isinstance(result, Answer)
    assert result.message == f"I found nothing certain enough about: {lacking}."
    assert "seven" in result.text
    assert "Olaf" not in str(result)
    assert "Ferry rules" in {citation.document_name for citation in result.citations}


def test_its_confidence_is_that_of_the_side_that_is_found(bob: Ask) -> None:
    """The missing side would be refused by itself, and is not averaged in."""
    half, found, lacking = (
        bob(text) for text in (f"{FERRY_SIDE}, and {REPTILE_SIDE}?", f"{FERRY_SIDE}?", f"{REPTILE_SIDE.capitalize()}?")
    )
    assert isinstance(half, Answer)
    assert isinstance(found, Answer)
    assert isinstance(lacking, Refusal)
    assert lacking.confidence < 0.5 <= half.confidence
    assert half.confidence > (found.confidence + lacking.confidence) / 2


def test_what_is_lacking_is_not_told_to_those_who_may_not_read_whose_words_it_is(bob: Ask, cast: Cast) -> None:
    """Its name repeats the standalone question, which may hold words of a document of a turn before."""
    result = bob(f"{FERRY_SIDE}, and {REPTILE_SIDE}?")
    vault = Document.objects.get(title="Customs house")
    Query.objects.filter(request_id=result.request_id).update(
        named_documents=[vault.pk], standalone_question="The vault was dug by Olaf Stern?"
    )
    seen_by_bob, seen_by_alice = (
        stored_result(result.request_id, audience=audience_of([person.pk])) for person in (cast.bob, cast.alice)
    )
    assert (seen_by_bob.message, seen_by_bob.asked) == ("", f"{FERRY_SIDE}, and {REPTILE_SIDE}?")
    assert (seen_by_alice.message, seen_by_alice.asked) == (result.message, "The vault was dug by Olaf Stern?")


def test_where_both_are_found_nothing_is_said(bob: Ask, cast: Cast) -> None:
    """Nor where the lacking sub-question is one that Alice may read."""
    both = bob(f"{FERRY_SIDE}, and {SMOKEHOUSE_SIDE}?")
    hers = asking(cast, "alice")(f"{FERRY_SIDE}, and {VAULT_SIDE}?")
    assert isinstance(both, Answer)
    assert isinstance(hers, Answer)
    assert (both.message, hers.message) == ("", "")
    assert ("seven" in both.text, "Greta Lind" in both.text) == (True, True)
    assert ("seven" in hers.text, "Olaf Stern" in hers.text) == (True, True)


def test_where_neither_is_found_it_is_a_refusal(bob: Ask, settings: Settings) -> None:
    """One message for the whole question, that of any question about nothing."""
    settings.CLOSEST_FROM = 0.25
    neither, nothing = (
        bob(f"{REPTILE_SIDE.capitalize()}, and {VAULT_SIDE}?"),
        bob("Which submarine did the walrus paint?"),
    )
    assert isinstance(neither, Refusal)
    assert isinstance(nothing, Refusal)
    assert (neither.message, neither.reason, neither.state) == (nothing.message, nothing.reason, nothing.state)


def test_what_is_lacking_is_stored_and_shown_wherever_the_answer_is(bob: Ask, cast: Cast) -> None:
    """In the row, in the result looked up later, in its JSON, and between the text and the sources in Slack."""
    result = bob(f"{FERRY_SIDE}, and {REPTILE_SIDE}?")
    assert isinstance(result, Answer)
    audience = audience_of([cast.bob.pk])
    later = stored_result(result.request_id, audience=audience)
    assert isinstance(later, Answer)
    assert (later.text, later.message, later.confidence) == (result.text, result.message, result.confidence)
    assert AnswerRow.objects.get(query__request_id=result.request_id).message == result.message
    assert as_json(result)["message"] == as_json(later)["message"] == result.message
    sections = [block["text"]["text"] for block in answer(later).blocks if block["type"] == "section"]
    assert sections[0] == result.text
    assert sections[1] == result.message
    assert [section.startswith("[1] <https://library.example/") for section in sections] == [False, False, True]


def test_an_answer_without_a_message_shows_none(bob: Ask) -> None:
    """Its JSON says null, and Slack has no empty section; a message is shown without markup of its own."""
    result = bob(f"{FERRY_SIDE}?")
    assert isinstance(result, Answer)
    assert (result.message, as_json(result)["message"]) == ("", None)
    kinds = [block["type"] for block in answer(result).blocks]
    assert kinds == ["section", "section", "context", "actions", "context_actions"]
    hostile = dataclasses.replace(result, message="I found nothing about: <!channel>.")
    assert answer(hostile).blocks[1]["text"]["text"] == "I found nothing about: &lt;!channel&gt;."


def test_a_part_that_refers_to_the_first_is_found(bob: Ask, cast: Cast) -> None:
    """It is what the first part names that was founded, and nothing is lacking."""
    make_document("Guide", "The smokehouse is a place where herring is cured over beech wood.", roles=[cast.staff])
    result = bob("What is the smokehouse on the southern pier and who founded it?")
    assert isinstance(result, Answer)
    assert "Greta Lind" in result.text
    assert result.message == ""
