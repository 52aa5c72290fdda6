"""A document as a whole: for its readers, and for others as if it were not there."""

from uuid import uuid4

import pytest
from hypothesis import example, given

from core.library import embedding
from core.library.retrieval.outline import outline
from core.types import Filters
from tests.integration.leaks.worlds import (
    IN_SECTIONS,
    NO_COMMON_ROLE,
    ONE_READER,
    QUESTION,
    World,
    built,
    chunks_of,
    held_marks,
    tried,
    worlds,
)

pytestmark = pytest.mark.usefixtures("floors", "fast")
MOST = 50  # more than any document has chunks


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(20)
def test_only_what_may_be_read_is_gone_through(world: World) -> None:
    """Of every document, by its id: all or nothing, and nothing is the same as of no document."""
    vector = embedding.provider().embed([QUESTION])[0]
    with built(world) as here:
        audience, readable = here.audience(), here.readable()
        for document in here.documents:
            found = outline(document.pk, vector, audience=audience, filters=Filters(), limit=MOST)
            own = chunks_of({document.pk}) if document.pk in readable else set()
            assert {passage.chunk_id for passage in found.passages} == own
            assert held_marks(str(found.passages), here.marks_outside(readable)) == set()
            if not own:
                nowhere = outline(uuid4(), vector, audience=audience, filters=Filters(), limit=MOST)
                assert (found.passages, found.strategy, found.reason, found.is_short) == (
                    nowhere.passages,
                    nowhere.strategy,
                    nowhere.reason,
                    nowhere.is_short,
                )
