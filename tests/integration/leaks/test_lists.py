"""Lists of what may be read, one's own questions and suggested ones: nothing forbidden, not even in a count."""

import datetime as dt

import pytest
from hypothesis import example, given

from core.access.audiences import asker_for, audience_of
from core.api import (
    ask,
    guidance,
    new_documents,
    readable_collections,
    readable_documents,
    recent_questions,
    suggested_questions,
)
from core.asking.suggestions.suggesting import candidates
from core.models import Citation
from core.types import Filters
from tests.integration.leaks.worlds import (
    IN_SECTIONS,
    NO_COMMON_ROLE,
    ONE_READER,
    QUESTION,
    World,
    built,
    code,
    held_marks,
    logged,
    tried,
    worlds,
)

pytestmark = pytest.mark.usefixtures("floors", "fast")
MANY = 50  # more than any world has documents


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(20)
def test_the_lists_are_those_of_the_rule(world: World) -> None:
    """Collections, counts, dates and documents are what plain Python finds; suggestions name nothing else."""
    with built(world) as here, logged() as lines:
        audience, readable = here.audience(), here.readable()
        listable = here.wholes(readable)
        mine = [document for document in here.documents if document.pk in listable]
        shelves = {each.name: (each.documents, each.newest) for each in readable_collections(audience)}
        assert shelves == {
            shelf.name: (
                len([d for d in mine if d.collection_id == shelf.pk]),
                max((d.document_date for d in mine if d.collection_id == shelf.pk and d.document_date), default=None),
            )
            for shelf in {d.collection for d in mine}
        }
        listed = readable_documents(audience, limit=MANY)
        assert {document.document_id for document in listed.documents} == listable
        assert listed.total == len(listable)
        new = new_documents(audience, since=dt.datetime.min.replace(tzinfo=dt.UTC), limit=MANY)
        assert sorted(each.title for each in new) == sorted(d.title for d in mine)
        made = list(candidates(audience))
        assert {document for _, document in made} == readable
        suggested = (made, suggested_questions(audience, limit=4))
        said = f"{shelves} {listed} {new} {suggested} {' '.join(lines)}"
        assert held_marks(said, here.marks_outside(readable)) == set()


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@tried(10)
def test_a_filter_of_a_list_does_not_tell_whether_something_forbidden_matches(world: World) -> None:
    """A value that only a forbidden document has gives an empty list and a total of zero."""
    with built(world) as here:
        audience, readable = here.audience(), here.readable()
        for number, document in enumerate(here.documents):
            for filters in (Filters(source=code(number)), Filters(collection=document.collection.name)):
                listed = readable_documents(audience, filters=filters, limit=0)
                is_named = document.part_of_id is None or filters.collection
                assert listed.total == bool(is_named and here.documents[world.whole(number)].pk in readable)


@given(world=worlds(guests=False))
@example(world=ONE_READER)
@example(world=IN_SECTIONS)
@tried(10)
def test_recent_questions_show_nothing_that_was_revoked(world: World) -> None:
    """After a grant is taken away the question is shown as its asker wrote it, and no answer beside it."""
    with built(world) as here:
        person, audience = here.asker(), here.audience()
        ask(QUESTION, asker=asker_for(person), audience=audience)
        for number in world.revoked:
            here.roles[number].document_access.all().delete()
        audience, readable = here.audience(), here.readable()
        (recent,) = recent_questions(person.pk, audience=audience)
        assert recent.question == QUESTION
        assert not (recent.is_readable and not readable)
        assert held_marks(repr(recent), here.marks_outside(readable)) == set()


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(8)
def test_what_helps_after_a_refusal_names_nothing_else(world: World) -> None:
    """Neither what was found for a reader who may read more, nor what could be read when it was found."""
    with built(world) as here, logged() as lines:
        person = here.asker()
        result = ask(QUESTION, asker=asker_for(person), audience=audience_of([person.pk]))
        for number in world.revoked:
            here.roles[number].document_access.all().delete()
        Citation.objects.filter(answer__query=result.query_id).delete()  # as of a question that was refused
        readable = here.readable()
        helps = guidance(result.request_id, audience=here.audience())
        assert sum(shelf.documents for shelf in helps.collections) == len(here.wholes(readable))
        said = f"{helps} {' '.join(lines)}"
        assert held_marks(repr(helps), here.marks_outside(readable)) == set()
        assert held_marks(said, {mark for mark in here.marks_outside(readable) if mark.startswith("secret-")}) == set()
