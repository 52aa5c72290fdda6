"""The rule of access twice, each floor for itself: the application's filter, and the database's row-level security."""

import pytest
from hypothesis import example, given

from core.library.retrieval.access_filter import select_permitted_chunks, select_permitted_documents
from core.models import Chunk, Document
from core.models.row_security import as_audience, bypass_row_security
from core.types import Filters
from tests.integration.leaks.worlds import (
    IN_SECTIONS,
    NO_COMMON_ROLE,
    ONE_READER,
    World,
    built,
    chunks_of,
    tried,
    worlds,
)

pytestmark = pytest.mark.usefixtures("fast")


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(60)
def test_the_application_filters_where_the_database_shows_everything(world: World) -> None:
    """`visible_to` gives exactly the documents and chunks for which every reader holds a granted role."""
    with built(world) as here, bypass_row_security():
        audience, readable = here.audience(), here.readable()
        assert Chunk.objects.count() == sum(len(shelf.topics) for shelf in world.documents)
        assert set(Document.objects.visible_to(audience).values_list("pk", flat=True)) == readable
        assert set(select_permitted_documents(audience, Filters()).values_list("pk", flat=True)) == readable
        for chunks in (Chunk.objects.visible_to(audience), select_permitted_chunks(audience, Filters())):
            found = list(chunks.values_list("pk", flat=True))
            assert sorted(found) == sorted(chunks_of(readable))


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(60)
def test_the_database_filters_where_the_application_forgets(world: World) -> None:
    """`Chunk.objects.all()` gives exactly the same chunks in a transaction that reads for the audience."""
    with built(world) as here:
        readable = here.readable()
        with as_audience(here.audience()):
            found = list(Chunk.objects.all().values_list("pk", flat=True))
            titles = set(Chunk.objects.values_list("document__title", flat=True))
        assert sorted(found) == sorted(chunks_of(readable))
        assert titles == {document.title for document in here.documents if document.pk in readable}
        assert not Chunk.objects.exists()
