"""The passages that come closest obey the rule of access as an answer does, when they are found and ever after."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from hypothesis import example, given
from hypothesis import strategies as st
from pytest_django import Settings

from core.access.audiences import asker_for, audience_of
from core.api import ask, guidance_beside, stored_quotes, stored_result
from core.library import embedding
from core.library.embedding import LiteLLMProvider
from core.models import Answer as AnswerRow
from core.models import Budget, Citation, Document, Role, User, UserRole
from core.models.budgets import Scope
from core.serialization import as_json, citation_as_json
from core.testing import make_document
from core.types import Refusal
from tests.integration.leaks.test_doors import by_mcp
from tests.integration.leaks.worlds import (
    IN_SECTIONS,
    NO_COMMON_ROLE,
    ONE_READER,
    QUESTION,
    World,
    built,
    held_marks,
    logged,
    readable_by,
    tried,
    without_ids,
    worlds,
)
from tests.integration.rest.conftest import Caller

PAID = LiteLLMProvider("openai/hash-384", batch_size=2, api_base="http://127.0.0.1:9/v1")

pytestmark = pytest.mark.usefixtures("floors", "fast", "close")


@pytest.fixture
def close(settings: Settings) -> None:
    """Nothing is sure enough for an answer, and all that is found comes close."""
    settings.ANSWER_FROM, settings.CLOSEST_FROM, settings.SECURE_SSL_REDIRECT = 1.0, 0.0, False


@pytest.fixture
def used_up(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """No model that costs may be called."""
    monkeypatch.setenv("OPENAI_API_KEY", "of-tests")
    Budget.objects.create(scope=Scope.INSTALLATION, hard_tokens=0)


@given(world=worlds(), later=st.lists(st.integers(0, 7), min_size=1, max_size=3))
@example(world=NO_COMMON_ROLE, later=[1])
@example(world=ONE_READER, later=[0])
@tried(12)
def test_they_are_what_everyone_may_read_then_and_later(world: World, later: list[int]) -> None:
    """It holds when asked, when seen by other people, and after grants are gone; and the log has nothing else."""
    with built(world) as here, logged() as lines:
        readable = here.readable()
        forbidden = here.marks_outside(readable)
        first = ask(QUESTION, asker=asker_for(here.asker()), audience=here.audience())
        assert isinstance(first, Refusal)
        assert bool(first.closest) == bool(readable)
        assert {citation.document_id for citation in first.closest} <= readable
        assert held_marks(json.dumps(as_json(first)), forbidden) == set()
        assert held_marks(" ".join(lines), forbidden) == set()
        for number in world.revoked:
            here.roles[number].document_access.all().delete()
        looking = [here.people[number % len(here.people)].pk for number in later]
        audience, now = audience_of(looking), readable_by(looking, frozenset())
        again = stored_result(first.request_id, audience=audience)
        quotes = [quote.citation for quote in stored_quotes(first.request_id, audience=audience)]
        assert isinstance(again, Refusal)
        assert [c.document_id for c in again.closest] == [c.document_id for c in first.closest if c.document_id in now]
        assert [c.number for c in again.closest] == list(range(1, len(again.closest) + 1))
        shown = json.dumps([as_json(again), [citation_as_json(citation) for citation in quotes]])
        assert held_marks(shown, here.marks_outside(now)) == set()


@given(world=worlds(guests=False))
@example(world=ONE_READER)
@example(world=IN_SECTIONS)
@tried(8)
def test_no_door_tells_of_more_beside_them(world: World) -> None:
    """Guidance beside them counts one person's readable documents, and names nothing else, by REST, MCP and command."""
    with built(world.read_by_the_first()) as here, logged() as lines:
        person, readable = here.asker(), here.readable()
        caller, out = Caller(person), StringIO()
        call_command("ask", QUESTION, "--as", person.email, "--json", stdout=out)
        by_tool = json.loads(by_mcp(caller, "ask", question=QUESTION))["result"]["structuredContent"]
        for said in (caller.ask(QUESTION), by_tool, json.loads(out.getvalue())):
            assert sum(shelf["documents"] for shelf in said["guidance"]["collections"]) == len(here.wholes(readable))
            assert held_marks(json.dumps(said), here.marks_outside(readable)) == set()
        secret = {mark for mark in here.marks_outside(readable) if mark.startswith("secret-")}
        assert held_marks(" ".join(lines), secret) == set()


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(8)
def test_what_may_not_be_read_changes_none_of_them(world: World) -> None:
    """They are those of a library that holds nothing but what the audience may read."""

    def said() -> str:
        result = ask(QUESTION, asker=asker_for(here.asker()), audience=here.audience())
        assert isinstance(result, Refusal)
        helps = guidance_beside(result, audience=here.audience())
        return json.dumps(
            [result.message, result.confidence, str(without_ids(result.closest)), str(result.retrieved), str(helps)]
        )

    with built(world) as here:
        before = said()
        Document.objects.exclude(pk__in=here.readable()).delete()
        assert said() == before


@pytest.mark.usefixtures("used_up")
@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(8)
def test_those_that_are_found_by_words_alone_are_no_others(world: World) -> None:
    """A budget lets no model embed the question: the passages are as if there were no others than the readable ones."""

    def said() -> Refusal:
        with embedding.use(PAID):
            result = ask(QUESTION, asker=asker_for(here.asker()), audience=here.audience())
        assert isinstance(result, Refusal)
        return result

    with built(world) as here, logged() as lines:
        readable = here.readable()
        forbidden = here.marks_outside(readable)
        first = said()
        assert bool(first.closest) == bool(readable)
        assert {citation.document_id for citation in first.closest} <= readable
        assert held_marks(json.dumps(as_json(first)), forbidden) == set()
        assert held_marks(" ".join(lines), forbidden) == set()
        Document.objects.exclude(pk__in=readable).delete()
        again = said()
        assert (again.reason, again.message) == (first.reason, first.message)
        assert str(without_ids(again.closest)) == str(without_ids(first.closest))


def test_every_door_and_the_admin_withhold_them() -> None:
    """REST and MCP show a person theirs; an administrator without the role is shown none of their words."""
    role, other = Role.objects.create(name="readers"), Role.objects.create(name="others")
    person = User.objects.create_user("reader@example.com")
    UserRole.objects.create(user=person, role=role)
    UserRole.objects.create(user=person, role=other)
    administrator = User.objects.create_superuser("admin@example.com", "password")
    UserRole.objects.create(user=administrator, role=other)
    make_document("Plans", "The secret of the harbour house is canaryalpha.", roles=[role])
    make_document("Maps", "The harbour house has a map of canarybravo.", roles=[other])
    caller = Caller(person)
    asked = caller.post("ask", question=QUESTION).json()
    assert asked["answer"] is None
    assert len(asked["closest"]) == 2
    by_tool = json.loads(by_mcp(caller, "ask", question=QUESTION))["result"]["structuredContent"]
    assert by_tool["closest"] == asked["closest"]
    again = caller.get(f"queries/{asked['request_id']}").json()
    assert again["closest"] == asked["closest"]
    caller.post("feedback", request_id=asked["request_id"], verdict="down", comment="Not canaryalpha, I think.")
    row = AnswerRow.objects.get(query__request_id=asked["request_id"])
    assert Citation.objects.filter(answer=row).count() == 2
    browser = Client()
    browser.force_login(administrator)
    pages = [reverse("admin:core_answer_change", args=[row.pk])]
    pages += [reverse("admin:core_feedback_change", args=[one.pk]) for one in row.feedback.all()]
    assert len(pages) == 2
    said = " ".join(browser.get(page, follow=True).content.decode() for page in pages)
    assert "canaryalpha" not in said
    assert "canarybravo" in said
