"""Comments come into the library where an administrator wants them, and nowhere else."""

import io

import pytest
from django.db import connection
from docx import Document as WordDocument

from core.library.ingestion.document import ParsedDocument
from core.library.ingestion.parsers import parse
from core.library.ingestion.store import store
from core.library.retrieval.search import search_by_words
from core.models import Chunk, Collection, Document
from core.models.row_security import bypass_row_security
from core.testing import Cast, fetch_chunks
from core.types import Filters

MARK = "wolverine"
pytestmark = pytest.mark.usefixtures("fast")


@pytest.fixture
def parsed() -> ParsedDocument:
    """A Word file with a comment."""
    document = WordDocument()
    document.add_paragraph("Leave is 18 days in a year.")
    document.add_comment(document.paragraphs[0].runs, f"The {MARK} says that it is 20.", author="Ann Lee")
    out = io.BytesIO()
    document.save(out)
    [found] = parse(out.getvalue(), "leave.docx").documents
    return found


def put(parsed: ParsedDocument, shelf: Collection, cast: Cast) -> Document:
    """Ingest the file."""
    return store(parsed, collection=shelf, source="leave.docx", content_hash="a" * 64, roles=[cast.staff])


def words_of_the_library() -> str:
    """Everything that the database has of documents and chunks."""
    with bypass_row_security(), connection.cursor() as cursor:
        cursor.execute("SELECT string_agg(core_document::text, '') FROM core_document")
        documents = cursor.fetchone()[0]
        cursor.execute("SELECT string_agg(core_chunk::text, '') FROM core_chunk")
        return f"{documents}{cursor.fetchone()[0]}"


def test_by_default_no_word_of_a_comment_is_kept(parsed: ParsedDocument, cast: Cast) -> None:
    """Nor the name of who wrote it; it is counted as left out."""
    document = put(parsed, Collection.objects.create(name="Rules"), cast)
    said = words_of_the_library()
    assert "18 days" in said
    assert MARK not in said
    assert "Ann" not in said
    assert (document.left_out_count, document.extent) == (
        1,
        {"found": {"comments": 1}, "left_out": {"comments": 1}},
    )


def test_a_passage_says_that_it_is_a_comment(parsed: ParsedDocument, cast: Cast) -> None:
    """In its words and in its place; found by those alone who may read the document."""
    document = put(parsed, Collection.objects.create(name="Rules", reads_comments=True), cast)
    own, comment = fetch_chunks(document)
    assert own.content == "Leave is 18 days in a year."
    assert comment.content == f"Comment: The {MARK} says that it is 20."
    assert comment.section_title.startswith("Comment by Ann Lee, 20")
    assert comment.page_number is None
    assert document.left_out_count == 0
    found = [
        search_by_words(MARK, audience=cast.audience(person), filters=Filters(), limit=5).passages
        for person in (cast.bob, cast.charlie)
    ]
    assert [[one.content for one in passages] for passages in found] == [[comment.content], []]


def test_another_choice_reads_the_same_file_anew(parsed: ParsedDocument, cast: Cast) -> None:
    """As a new version, though its bytes are the same; the same choice leaves it as it is."""
    shelf = Collection.objects.create(name="Rules")
    contents = []
    for wanted in (False, False, True, True, False):
        shelf.reads_comments = wanted
        shelf.save()
        document = put(parsed, shelf, cast)
        contents.append((document.version, len(fetch_chunks(document)), document.left_out_count))
    assert contents == [(1, 1, 1), (1, 1, 1), (2, 2, 0), (2, 2, 0), (3, 1, 1)]
    assert MARK not in words_of_the_library()


def test_a_document_of_before_comments_were_counted_is_read_anew(parsed: ParsedDocument, cast: Cast) -> None:
    """Read comments in a collection that has begun to ask for them."""
    shelf = Collection.objects.create(name="Rules")
    document = put(parsed, shelf, cast)
    Document.objects.update(extent=None, left_out_count=None)
    assert put(parsed, shelf, cast).version == 1
    Document.objects.update(extent=None, left_out_count=None)
    shelf.reads_comments = True
    shelf.save()
    assert put(parsed, shelf, cast).version == 2
    with bypass_row_security():
        assert Chunk.objects.filter(document=document, content__contains=MARK).count() == 1
