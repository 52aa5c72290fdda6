"""Test that a verified answer reveals nothing to people who may not read all its sources, then and later."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.access.audiences import asker_for, audience_of
from core.api import ask, stored_result
from core.asking.verified_answers.editing import Content, verify_answer
from core.asking.verified_answers.quoting import SourceQuote
from core.errors import NotFoundError
from core.models import User, UserRole, VerifiedAnswer
from core.serialization import as_json
from core.types import Answer
from tests.integration.leaks.worlds import (
    IN_SECTIONS,
    NO_COMMON_ROLE,
    ONE_READER,
    QUESTION,
    Built,
    World,
    built,
    code,
    held_marks,
    logged,
    readable_by,
    tried,
    worlds,
)

pytestmark = pytest.mark.usefixtures("floors", "fast")


def write(here: Built, *numbers: int) -> VerifiedAnswer:
    """Somebody who may read everything verifies an answer that quotes these documents."""
    writer = User.objects.create_user("writer@example.com")
    UserRole.objects.bulk_create(UserRole(user=writer, role=role) for role in here.roles)
    words = [f"{code(number)} are kept in room 0." for number in numbers]
    named = [f"Plan {code(here.world.whole(number))}" for number in numbers]
    quotes = tuple(SourceQuote(document=name, quote=text) for name, text in zip(named, words, strict=True))
    text = "\n".join(f"In the harbour house the things of {one}" for one in words)
    return verify_answer(Content(question=QUESTION, text=text, quotes=quotes), by=writer)


@given(world=worlds(), later=st.lists(st.integers(0, 7), min_size=1, max_size=3), data=st.data())
@example(world=NO_COMMON_ROLE, later=[1], data=None)
@example(world=IN_SECTIONS, later=[1], data=None)
@example(world=ONE_READER, later=[0], data=None)
@tried(16)
def test_it_is_given_to_who_may_read_all_of_it(world: World, later: list[int], data: st.DataObject | None) -> None:
    """In any world, for any audience; and looked at later, by others and after grants are gone."""
    with built(world) as here, logged() as lines:
        granted = [number for number in range(len(world.documents)) if world.granted(number)]
        if not granted:
            return
        chosen = st.lists(st.sampled_from(granted), min_size=1, max_size=3, unique=True)
        numbers = data.draw(chosen) if data else granted[:2]
        write(here, *numbers)
        lines.clear()
        quoted, readable = {here.documents[number].pk for number in numbers}, here.readable()
        result = ask(QUESTION, asker=asker_for(here.asker()), audience=here.audience())
        is_given = isinstance(result, Answer) and result.verified is not None
        assert is_given is (quoted <= readable)
        assert held_marks(json.dumps(as_json(result)), here.marks_outside(readable)) == set()
        assert held_marks(" ".join(lines), here.marks_outside(readable)) == set()
        for number in world.revoked:
            here.roles[number].document_access.all().delete()
        looking = [here.people[number % len(here.people)].pk for number in later]
        try:
            again = stored_result(result.request_id, audience=audience_of(looking))
        except NotFoundError:
            return
        now = readable_by(looking, frozenset())
        assert held_marks(json.dumps(as_json(again)), here.marks_outside(now)) == set()
