"""Test that a reused reply reveals nothing that only its own audience may read, before and after a revocation."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from pytest_django import Settings

from core.access.audiences import asker_for, audience_of
from core.api import ask
from core.asking.generation.markup import read_passages
from core.llm.scripted import answers, script_model
from core.models import ModelReply
from core.serialization import as_json
from core.types import Audience
from tests.integration.leaks.worlds import (
    IN_SECTIONS,
    NO_COMMON_ROLE,
    ONE_READER,
    QUESTION,
    Built,
    World,
    built,
    held_marks,
    readable_by,
    tried,
    worlds,
)

pytestmark = pytest.mark.usefixtures("floors", "fast")
MOST_CALLS = 20


@pytest.fixture(autouse=True)
def _replies_are_kept(settings: Settings) -> None:
    settings.MODEL_CACHE_HOURS = 24


def tell_everything(messages: list[dict[str, Any]]) -> Any:
    """Reply as a model that repeats everything that it is shown."""
    prompt = "\n".join(part["text"] for message in messages for part in message["content"])
    return answers(*((passage.text, passage.number, passage.text) for passage in read_passages(prompt)))


def assert_told_apart(here: Built) -> None:
    """Assert that each audience, asking twice in turn, gets no mark of a document that it may not read."""
    alone = audience_of([here.asker().pk])
    readable = {here.audience(): here.readable(), alone: readable_by([here.asker().pk], frozenset())}
    readable[Audience.nobody()] = set()
    for audience in (*readable, *readable):
        told = json.dumps(as_json(ask(QUESTION, asker=asker_for(here.asker()), audience=audience)))
        assert held_marks(told, here.marks_outside(readable[audience])) == set()


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(10)
def test_what_is_kept_for_one_audience_is_told_to_no_other(world: World) -> None:
    """Nor to the same one when something has been taken from it: then nothing is kept any more."""
    with built(world) as here, script_model(*[tell_everything] * MOST_CALLS):
        assert_told_apart(here)
        for number in world.revoked:
            here.roles[number].document_access.all().delete()
            assert not ModelReply.objects.exists()
        assert_told_apart(here)
