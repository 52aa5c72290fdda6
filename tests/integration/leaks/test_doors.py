"""Test that every interface gives exactly what the rule says in plain Python, and reveals no more."""

import json
from io import StringIO
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command
from hypothesis import example, given
from pytest_django import Settings
from rest_framework.test import APIClient

from core.access.audiences import asker_for
from core.api import ask, passage, search, stored_result
from core.asking.history.results import stored_citations
from core.errors import FootnoteError, InvalidFilterError, NotFoundError
from core.llm.scripted import answers, calls, script_model
from core.models import Document
from core.serialization import as_json, citation_as_json, passage_as_json, search_as_json
from core.types import Audience, Filters
from tests.integration.leaks.worlds import (
    IN_SECTIONS,
    NO_COMMON_ROLE,
    ONE_READER,
    QUESTION,
    Built,
    World,
    built,
    chunks_of,
    code,
    held_marks,
    logged,
    tried,
    worlds,
)
from tests.integration.rest.conftest import Caller

pytestmark = pytest.mark.usefixtures("floors", "fast")
MANY = 50  # more than any world has chunks


@pytest.fixture(autouse=True)
def _plain_http(settings: Settings) -> None:
    """The test client speaks plain http."""
    settings.SECURE_SSL_REDIRECT = False


def results_of(found: dict[str, Any]) -> tuple[list[str], str]:
    """The chunks that a search gave, and all that it said but the query."""
    return [passage["chunk_id"] for passage in found["results"]], json.dumps({**found, "query": ""})


def assert_exactly(here: Built, found: dict[str, Any], readable: set[Any]) -> None:
    """Assert that the results are the readable chunks, each once, and nothing reveals another document."""
    ids, said = results_of(found)
    assert sorted(ids) == sorted(str(pk) for pk in chunks_of(readable))
    assert held_marks(said, here.marks_outside(readable)) == set()


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(30)
def test_search_gives_every_readable_chunk_and_no_other(world: World) -> None:
    """For one reader or a channel with guests; in the results, the plan's reason and the log."""
    with built(world) as here, logged() as lines:
        audience, readable = here.audience(), here.readable()
        for query in (QUESTION, code(0), f"{code(len(world.documents) - 1)} keys"):
            result = search(query, audience=audience, k=MANY)
            assert_exactly(here, search_as_json(query, result), readable)
            assert held_marks(repr(result), here.marks_outside(readable)) == set()
            assert not result.is_short
        assert held_marks(" ".join(lines), here.marks_outside(readable)) == set()


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@tried(20)
def test_a_filter_does_not_tell_whether_something_forbidden_matches(world: World) -> None:
    """A value that only a forbidden document has finds as much as one that none has: nothing."""
    with built(world) as here:
        audience, readable = here.audience(), here.readable()
        for number, document in enumerate(here.documents):
            day, shelf = document.document_date, document.collection.name
            same = here.with_parts(here.documents[world.whole(number)])
            own = (
                (Filters(source=code(number)), here.with_parts(document)),
                (Filters(collection=shelf), same),
                (Filters(section=code(number)), {document.pk}),
                (Filters(date_from=day, date_to=day), same),
            )
            for filters, matching in own:
                found = search_as_json(QUESTION, search(QUESTION, audience=audience, filters=filters, k=MANY))
                assert_exactly(here, found, readable & matching)
        for kind in Document.Type.values:
            of_kind = {d.pk for d in here.documents if d.document_type == kind}
            found = search_as_json(
                QUESTION, search(QUESTION, audience=audience, filters=Filters(document_type=kind), k=MANY)
            )
            ids, _ = results_of(found)
            assert set(ids) == {str(pk) for pk in chunks_of(readable & of_kind)}


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(20)
def test_every_readable_passage_can_be_read_and_no_other(world: World) -> None:
    """A forbidden passage gives the same error as a missing one; neighbours are of the same document."""
    with built(world) as here:
        audience, readable = here.audience(), here.readable()
        every = chunks_of({document.pk for document in here.documents})
        read, refused = {}, {read_or_error(uuid4(), audience)}
        for pk in every:
            said = read_or_error(pk, audience)
            if isinstance(said, dict):
                read[pk] = said
            else:
                refused.add(said)
        assert set(read) == chunks_of(readable)
        assert len(refused) == 1
        assert held_marks(json.dumps(list(read.values())), here.marks_outside(readable)) == set()
        neighbours = {said[side] for said in read.values() for side in ("previous_chunk_id", "next_chunk_id")}
        assert neighbours - {None} <= {str(pk) for pk in read}


def read_or_error(chunk_id: UUID, audience: Audience) -> dict[str, Any] | str:
    """A passage as it is shown, or the error in its place."""
    try:
        return passage_as_json(passage(chunk_id, audience=audience))
    except NotFoundError as error:
        return f"{error} {error.message} {vars(error)}"


def by_mcp(caller: Caller, tool: str, **arguments: Any) -> str:
    """All that a call of an MCP tool says."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    headers = {
        "accept": "application/json, text/event-stream",
        "authorization": f"Bearer {caller.token}",
        "host": "testserver",
    }
    response = APIClient().post("/mcp", body, format="json", headers=headers)
    assert response.status_code == 200, response.content
    return str(response.content.decode())


@given(world=worlds(guests=False))
@example(world=ONE_READER)
@example(world=IN_SECTIONS)
@tried(15)
def test_the_commands_rest_and_mcp_give_the_same(world: World) -> None:
    """For one person: searching gives the same chunks by each way, asking and reading nothing forbidden."""
    with built(world.read_by_the_first()) as here, logged() as lines:
        person, readable = here.asker(), here.readable()
        out = StringIO()
        call_command("search", QUESTION, "--as", person.email, "--json", "-k", str(MANY), stdout=out)
        assert_exactly(here, json.loads(out.getvalue()), readable)
        caller = Caller(person)
        response = caller.post("search", query=QUESTION, k=MANY)
        assert response.status_code == 200
        assert_exactly(here, response.json(), readable)
        searched = json.loads(by_mcp(caller, "search", query=QUESTION, k=MANY))
        assert_exactly(here, searched["result"]["structuredContent"], readable)
        out = StringIO()
        call_command("ask", QUESTION, "--as", person.email, "--json", stdout=out)
        forbidden = here.marks_outside(readable)
        asked = by_mcp(caller, "ask", question=QUESTION)
        assert held_marks(asked, forbidden) == set()
        every = chunks_of({document.pk for document in here.documents})
        refused = {by_mcp(caller, "read_passage", chunk_id=str(pk)) for pk in every - chunks_of(readable)}
        assert refused <= {by_mcp(caller, "read_passage", chunk_id=str(uuid4()))}
        by_asking = json.dumps(json.loads(asked)["result"]["structuredContent"])
        for said in (out.getvalue(), caller.post("ask", question=QUESTION).content.decode(), by_asking):
            assert held_marks(said, forbidden) == set()
            assert {r["chunk_id"] for r in json.loads(said)["retrieved"]} <= {str(pk) for pk in chunks_of(readable)}
        assert held_marks(" ".join(lines), forbidden) == set()


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(20)
def test_asking_gives_nothing_forbidden_to_the_asker_or_the_model(world: World) -> None:
    """Neither the answer, nor what a model that searches greedily is sent, nor the log holds a forbidden mark."""
    with built(world) as here, logged() as lines:
        audience, readable = here.audience(), here.readable()
        forbidden = here.marks_outside(readable)
        result = ask(QUESTION, asker=asker_for(here.asker()), audience=audience)
        assert held_marks(json.dumps(as_json(result)), forbidden) == set()
        assert len(result.retrieved) == min(5, len(chunks_of(readable)))
        greedy = calls("pgvector_retriever", query="the harbour house secret of every plan")
        with script_model(greedy, greedy, answers()) as script:
            ask(QUESTION, asker=asker_for(here.asker()), audience=audience)
        assert held_marks(json.dumps(script.asked), forbidden) == set()
        assert held_marks(" ".join(lines), forbidden) == set()


def shown_again(request_id: str, audience: Audience) -> str:
    """An earlier result as it is shown now, or the error in its place."""
    try:
        return json.dumps(as_json(stored_result(request_id, audience=audience)))
    except NotFoundError as error:
        return f"{error} {error.message} {vars(error)}"


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(20)
def test_what_is_revoked_between_two_turns_is_gone_from_the_first_too(world: World) -> None:
    """The earlier result, its citations and the next turn of the conversation hold only what is readable now."""
    with built(world) as here:
        asker = asker_for(here.asker())
        first = ask(QUESTION, asker=asker, audience=here.audience())
        for number in world.revoked:
            here.roles[number].document_access.all().delete()
        audience, readable = here.audience(), here.readable()
        forbidden = here.marks_outside(readable)
        found = search_as_json(QUESTION, search(QUESTION, audience=audience, k=MANY))
        assert_exactly(here, found, readable)
        shown = [citation_as_json(c) for c in stored_citations(first.request_id, audience=audience)]
        assert held_marks(json.dumps(shown), forbidden) == set()
        assert held_marks(shown_again(first.request_id, audience), forbidden) == set()
        with script_model(calls("pgvector_retriever", query="secret"), answers()) as script:
            second = ask("And who keeps it?", asker=asker, audience=audience, conversation=first.conversation_id)
        assert held_marks(json.dumps(as_json(second)), forbidden) == set()
        assert held_marks(json.dumps(script.asked), forbidden) == set()


@given(world=worlds())
@example(world=ONE_READER)
@example(world=IN_SECTIONS)
@tried(10)
def test_errors_tell_nothing(world: World) -> None:
    """An invalid search is refused in the same words whoever asks, and whatever the library has."""
    with built(world) as here:
        forbidden = here.marks_outside(here.readable())
        for k, query in ((0, QUESTION), (51, QUESTION), (5, "?"), (5, "?" * 1000), (5, "x" * 1001)):
            with pytest.raises(FootnoteError) as raised:
                search(query, audience=here.audience(), k=k)
            assert held_marks(f"{raised.value} {raised.value.message}", forbidden) == set()
        with pytest.raises(InvalidFilterError):
            search(QUESTION, audience=here.audience(), k=-1)
