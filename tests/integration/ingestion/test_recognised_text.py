"""Text that was recognised on a picture says so, from the chunk to the citation and the page of the document."""

import hashlib

import pytest

from core.access.audiences import asker_for
from core.api import ask
from core.library.ingestion.document import Block, ParsedDocument
from core.library.ingestion.store import store
from core.models import RECOGNISED, Collection, Document
from core.serialization import citation_as_json
from core.testing import Cast, fetch_chunks
from core.types import Answer

pytestmark = pytest.mark.django_db
PAGES = ("The bridge was built of oak in the year 1911.", "The load limit of the bridge is 3.5 tonnes.")


def bridge(cast: Cast, **metadata: object) -> Document:
    """A document of two pages that the staff reads."""
    blocks = tuple(
        Block(text=text, section=f"Part {number}", page_number=number) for number, text in enumerate(PAGES, 1)
    )
    return store(
        ParsedDocument(title="Bridge", blocks=blocks, metadata=metadata),
        collection=Collection.objects.create(name="Bridges"),
        source="bridge.pdf",
        content_hash=hashlib.sha256(repr(metadata).encode()).hexdigest(),
        roles=[cast.staff],
    )


def test_a_quote_says_that_it_was_recognised(cast: Cast) -> None:
    """That of a page that was a picture; that of another page does not. With the real embeddings."""
    bridge(cast, recognised_pages=[2])
    said = {}
    for question in ("What is the load limit of the bridge?", "What was the bridge built of?"):
        result = ask(question, asker=asker_for(cast.alice), audience=cast.audience(cast.alice))
        assert isinstance(result, Answer)
        said |= {citation.page_number: citation_as_json(citation)["is_recognised"] for citation in result.citations}
        rows = result.citations
        assert all(citation.is_recognised == (citation.page_number == 2) for citation in rows)
    assert said[2] is True


@pytest.mark.usefixtures("fast")
@pytest.mark.parametrize("stated", [7, "all", {"2": 1}, [None, "2", True], None])
def test_what_a_file_states_under_that_name_is_no_page(cast: Cast, stated: object) -> None:
    """Front matter may hold anything; it marks nothing, and ends nothing."""
    document = bridge(cast, recognised_pages=stated)
    assert [chunk.metadata.get(RECOGNISED) for chunk in fetch_chunks(document)] == [None, None]
