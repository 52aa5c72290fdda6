"""Test that a research knows nothing that one of its readers may not read: in its plan, its page, and its documents."""

import io
from uuid import UUID

import docx
import pytest
from django.test import Client
from hypothesis import example, given

from core import api
from core.access.audiences import asker_for, audience_of
from core.access.grants import revoke
from core.access.token_audiences import asker_on_behalf, find_readers
from core.asking.history.results import own_result
from core.asking.research.running import run_research
from core.errors import NotFoundError
from core.models import Document, Query, Research, ResearchLine, RoleDocumentAccess
from core.testing import Cast, make_document
from core.types import Origin
from core.values.research import PlannedQuestion
from core.values.token_audience import TokenAudience
from tests.integration.leaks.worlds import (
    IN_SECTIONS,
    NO_COMMON_ROLE,
    ONE_READER,
    Built,
    World,
    built,
    held_marks,
    logged,
    tried,
    worlds,
)

pytestmark = pytest.mark.usefixtures("floors", "fast")
TOPIC = "the rooms of the harbour house"
SECRET = "The vault in the harbour office is opened with the word quagmire."


def list_readers(here: Built) -> TokenAudience:
    """Return for whom besides the asker a program of theirs asks: all known readers of the world."""
    known = {here.people[reader].pk for reader in here.world.readers if reader is not None}
    return TokenAudience(people=frozenset(known - {here.asker().pk}))


def look(here: Built, research: Research) -> str:
    """Return all that a research shows to its readers as they are now, with the documents that are made of it."""
    readers = find_readers(research.user_id, research.asks_for)
    seen = api.read_research(
        research.pk, user_id=research.user_id, audience=readers.audience, asks_for=research.asks_for
    )
    word = docx.Document(io.BytesIO(api.write_research(seen, form="docx")))
    written = "".join(paragraph._p.xml for paragraph in word.paragraphs)
    return f"{seen} {api.write_research(seen, form='markdown').decode()} {written}"


@given(world=worlds(guests=False))
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(10, thorough=60)
def test_a_research_shows_what_all_its_readers_may_read(world: World) -> None:
    """In its plan, at its end, after grants are gone; its logs have no word of documents."""
    with built(world) as here, logged() as lines:
        asks_for = list_readers(here)
        asker = asker_on_behalf(here.asker(), asks_for)
        readers = find_readers(here.asker().pk, asks_for)
        try:
            research_id = api.plan_research(TOPIC, asker=asker, audience=readers.audience, origin=Origin.REST)
        except NotFoundError:
            return
        research = Research.objects.get(pk=research_id)
        assert held_marks(look(here, research), here.marks_outside(here.readable())) == set()
        Research.objects.filter(pk=research_id).update(state="waiting")
        run_research(research_id)
        seen = look(here, research)
        assert held_marks(seen, here.marks_outside(here.readable())) == set()
        assert "are kept in room" in seen  # there is something to show, to whom there was a plan
        RoleDocumentAccess.objects.filter(role__in=[here.roles[number] for number in world.revoked]).delete()
        assert held_marks(look(here, research), here.marks_outside(here.readable())) == set()
        assert held_marks("\n".join(lines), {f"secret-{number:02d}" for number in range(20)}) == set()


@pytest.fixture
def research(cast: Cast) -> Research:
    """A research of Alice's into what she may read by now, which has ended."""
    make_document("Quagmire rules", SECRET, roles=[cast.staff], section="The quagmire word")
    make_document("Canteen rules", "The canteen in the harbour office opens at noon.", roles=[cast.staff])
    audience = audience_of([cast.alice.pk])
    planned = api.plan_research(
        "the vault in the harbour office", asker=asker_for(cast.alice), audience=audience, origin=Origin.REST
    )
    Research.objects.filter(pk=planned).update(state="waiting")
    run_research(planned)
    return Research.objects.get(pk=planned)


def seen_by_alice(research: Research, cast: Cast) -> str:
    """Return all that Alice is shown of her research, and of each of its questions wherever she may look."""
    audience = audience_of([cast.alice.pk])
    told = [str(api.read_research(research.pk, user_id=cast.alice.pk, audience=audience))]
    for line in research.lines.all():
        assert line.query is not None
        try:
            told.append(str(own_result(line.query.request_id, user_id=cast.alice.pk, audience=audience)))
        except NotFoundError:
            continue
    return " ".join(told)


def list_sources(research: Research) -> set[UUID]:
    """Return the documents whose secret is in the plan."""
    return {one.document_id for line in research.lines.all() for one in line.made_of if "uagmire" in line.text}


def test_words_that_came_into_a_plan_go_with_the_right_to_read_them(research: Research, cast: Cast) -> None:
    """Heading, question, filters and quotes: all of them, at once, also where the single results are opened."""
    assert "quagmire" in seen_by_alice(research, cast).casefold()
    [document] = list_sources(research)
    revoke(cast.staff, Document.objects.filter(pk=document), by=None)
    assert "quagmire" not in seen_by_alice(research, cast).casefold()


def test_what_was_typed_is_all_that_viewers_of_questions_read(research: Research) -> None:
    """A planned question may hold words of documents: what the log of questions has is the topic."""
    asked = Query.objects.filter(research_line__research=research)
    assert {query.question_text for query in asked} == {"the vault in the harbour office"}
    assert not any("uagmire" in str(query.filters) for query in asked)
    assert all(query.named_documents for query in asked)


def test_a_research_is_nobody_elses(research: Research, cast: Cast, client: Client) -> None:
    """Not to read, change, start, stop or delete; and not to a program of Alice's that asks for others."""
    others = TokenAudience(people=frozenset({cast.bob.pk}))
    for user, asks_for in ((cast.bob, None), (cast.alice, others)):
        for act in (
            lambda u, a: api.read_research(research.pk, user_id=u.pk, audience=audience_of([u.pk]), asks_for=a),
            lambda u, a: api.change_plan(research.pk, [PlannedQuestion(text="Who?")], user_id=u.pk, asks_for=a),
            lambda u, a: api.start_research(research.pk, user_id=u.pk, asks_for=a),
            lambda u, a: api.stop_research(research.pk, user_id=u.pk, asks_for=a),
            lambda u, a: api.delete_research(research.pk, user_id=u.pk, asks_for=a),
        ):
            with pytest.raises(NotFoundError):
                act(user, asks_for)
        assert api.list_researches(user.pk, asks_for=asks_for) == ()


def test_a_deleted_document_leaves_no_word_in_a_plan(research: Research, cast: Cast) -> None:
    """In the database too."""
    Document.objects.get(pk__in=list_sources(research)).delete()
    assert not any("uagmire" in f"{line.heading}{line.text}{line.filters}" for line in ResearchLine.objects.all())
    assert not any("uagmire" in query.standalone_question for query in Query.objects.all())
    assert "quagmire" not in seen_by_alice(research, cast).casefold()
