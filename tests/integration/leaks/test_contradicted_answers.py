"""Whoever may read one of two documents that disagree learns neither what the other says nor that there is one."""

import json
from collections.abc import Iterator

import pytest
from django.test import Client
from pytest_django import Settings

from core.access.audiences import asker_for, audience_of
from core.access.grants import revoke
from core.api import ask, stored_result
from core.infrastructure.public_address import PlaceInChunk, build_document_address
from core.llm.scripted import script_model
from core.models import Answer as AnswerRow
from core.models import Document, Query, User
from core.testing import Cast, fetch_chunks, make_document
from core.types import Answer
from tests.integration.citing import cite_only
from tests.integration.leaks.doors import (
    Door,
    by_admin,
    by_asking_again,
    by_citation,
    by_mcp,
    by_private_answer,
    by_quotes,
    by_replay,
    by_rest,
    by_result,
    by_shared_result,
    by_why,
    said_by,
)

QUESTION = "What does a berth cost per night?"
GUIDE = "A berth costs 24 euros per night, with water and electricity."
RULES = "One night at a berth costs 31 euros in the quagmire basin."
KEPT: tuple[Door, ...] = (by_result, by_shared_result, by_why, by_quotes, by_citation, by_rest)
TELL: tuple[Door, ...] = (by_result, by_shared_result, by_rest, by_admin, by_replay, by_mcp)  # to who reads both


@pytest.fixture(autouse=True)
def _with_reader(cast: Cast, settings: Settings) -> None:
    """The real reader, which has all the time that it needs; and people who may look at every page."""
    settings.READER, settings.READER_BUDGET_MS = "", 600_000
    settings.SECURE_SSL_REDIRECT, settings.PUBLIC_URL = False, "https://footnote.example.com"
    User.objects.filter(pk__in=[cast.alice.pk, cast.bob.pk]).update(is_staff=True, is_superuser=True)
    cast.alice.refresh_from_db()
    cast.bob.refresh_from_db()


@pytest.fixture
def rules(cast: Cast) -> Document:
    """Return the document that Alice alone may read; the guide is Bob's too."""
    make_document("Welcome guide", GUIDE, roles=[cast.staff])
    return make_document("Basin rules", RULES, roles=[cast.owners])


@pytest.fixture
def query(cast: Cast, rules: Document) -> Query:
    """Return Alice's question, whose answer cites the guide alone and says that the rules disagree."""
    with script_model(cite_only("Welcome guide")):
        result = ask(QUESTION, asker=asker_for(cast.alice), audience=audience_of([cast.alice.pk]))
    assert isinstance(result, Answer)
    assert result.contradiction is not None
    return Query.objects.get(request_id=result.request_id)


def marks(rules: Document) -> set[str]:
    """Return what tells of the other document, or that there is one."""
    [chunk] = fetch_chunks(rules)
    return {"quagmire", "31 euros", "Basin rules", str(rules.pk), str(chunk.pk), "sources disagree", "otherwise:"}


def told(doors: tuple[Door, ...], person: User, query: Query, rules: Document) -> Iterator[tuple[str, str]]:
    """Yield each interface with each mark that it shows to a person."""
    hidden = marks(rules)
    for name, said in said_by(doors, person, query).items():
        yield from ((name, mark) for mark in hidden if mark in said)


def test_readers_of_both_are_told(cast: Cast, query: Query, rules: Document) -> None:
    """Or the tests below would say nothing: by every interface that shows answers."""
    shown = set(told(TELL, cast.alice, query, rules))
    assert {name for name, mark in shown if mark == "quagmire"} == {door.__name__ for door in TELL}


def test_a_reader_of_one_is_told_nothing(cast: Cast, query: Query, rules: Document) -> None:
    """By no interface, of the answer that was given to somebody else, and of one of their own."""
    doors = (*KEPT, by_replay, by_asking_again, by_private_answer, by_mcp)
    assert list(told(doors, cast.bob, query, rules)) == []


def test_an_administrator_who_reads_one_is_told_nothing(cast: Cast, query: Query, rules: Document) -> None:
    """No word; and of ids what the pages have of each passage that was found, whether it contradicts or not."""
    with_it = list(told((by_admin,), cast.bob, query, rules))
    [chunk] = fetch_chunks(rules)
    assert {mark for _, mark in with_it} <= {str(rules.pk), str(chunk.pk)}
    AnswerRow.objects.update(contradiction=None)
    assert sorted(told((by_admin,), cast.bob, query, rules)) == sorted(with_it)


def test_it_looks_to_them_as_an_answer_that_nothing_contradicts(cast: Cast, query: Query) -> None:
    """To the letter."""
    doors = (by_result, by_shared_result, by_why, by_quotes, by_citation)
    with_it = said_by(doors, cast.bob, query)
    AnswerRow.objects.update(contradiction=None)
    assert said_by(doors, cast.bob, query) == with_it


def test_an_audience_with_them_is_told_nothing(cast: Cast, query: Query) -> None:
    """Alice sees it alone, and not where Bob reads along."""
    for people in ([cast.alice, cast.bob], [cast.bob]):
        seen = stored_result(query.request_id, audience=audience_of([person.pk for person in people]))
        assert isinstance(seen, Answer)
        assert seen.contradiction is None
    seen = stored_result(query.request_id, audience=audience_of([cast.alice.pk]))
    assert isinstance(seen, Answer)
    assert seen.contradiction is not None


def test_a_grant_that_is_gone_takes_both_quotes_along(cast: Cast, query: Query, rules: Document) -> None:
    """For who was told before: the right to the other document, and then to the cited one."""
    hidden = marks(rules)
    revoke(cast.owners, [rules], by=None)
    said = said_by((*KEPT, by_replay), cast.alice, query)
    assert [(name, mark) for name, words in said.items() for mark in hidden if mark in words] == []
    assert "24 euros" in said["by_result"]


def test_another_edition_is_not_quoted_in_place_of_what_was_read(cast: Cast, query: Query, rules: Document) -> None:
    """Neither its words nor those of before."""
    Document.objects.filter(pk=rules.pk).update(version=2)
    seen = stored_result(query.request_id, audience=audience_of([cast.alice.pk]))
    assert isinstance(seen, Answer)
    assert seen.contradiction is None


def test_the_place_of_the_other_document_opens_nothing_to_them(cast: Cast, query: Query, rules: Document) -> None:
    """The link that Alice was given is for Bob as that of a document that is not there."""
    [chunk] = fetch_chunks(rules)
    address = build_document_address(rules.pk, at=PlaceInChunk(chunk_id=chunk.pk, start=0, end=len(RULES)))
    assert address in json.dumps(said_by((by_result,), cast.alice, query))
    client = Client()
    for person, status in ((cast.alice, 200), (cast.bob, 404)):
        client.force_login(person)
        shown = client.get(address.removeprefix("https://footnote.example.com"))
        assert shown.status_code == status
        assert ("quagmire" in shown.content.decode()) is (status == 200)
