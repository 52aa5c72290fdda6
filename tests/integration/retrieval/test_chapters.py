"""Find a chapter by its number, wherever a book gives that: in a heading of any level, or in its folders."""

import pytest
from django.utils import timezone

from core.api import search
from core.asking.answering.understanding import understand
from core.models import Chunk, Document
from core.models.row_security import bypass_row_security
from core.testing import Cast, make_document
from core.types import Filters

# source, chapter, section: of the pages of four books, each with a page of chapter 2 or 20.
PAGES = {
    "in the first heading": ("biology.pdf", "Chapter 2: Light and leaves", ""),
    "in a heading below the title": ("physics.md", "Physics for harbours", "Chapter Two. Waves > Long waves"),
    "as a bare number": ("chemistry.pdf", "2. Salts", "Brine"),
    "in a folder": ("course/chapter2/3.mdx", "Tides", "Spring tides"),
    "in a folder with zeros and words": ("guide/ch-02-moorings/knots.md", "Knots", ""),
    "in Roman": ("law.docx", "CHAPTER II", "Wreck"),
    "of another": ("biology.pdf#20", "Chapter 20: Fungi", ""),
    "of another folder": ("course/chapter20/1.mdx", "Currents", ""),
    "of none": ("notes/2.md", "Two notes", "Chapters"),
}
OF_CHAPTER_TWO = {place for place in PAGES if not place.startswith("of ")}


@pytest.fixture(autouse=True)
def books(cast: Cast, fast: None) -> None:
    """A page of each."""
    for place, (source, chapter, section) in PAGES.items():
        document = make_document(place, f"The harbour has {place} a lesson.", roles=[cast.staff])
        Document.objects.filter(pk=document.pk).update(source=source)
        with bypass_row_security():
            Chunk.objects.filter(document=document).update(chapter_name=chapter, section_title=section)


def found(cast: Cast, chapter: str) -> set[str]:
    results = search("harbour lesson", audience=cast.audience(cast.bob), filters=Filters(chapter=chapter), k=10)
    return {passage.document_name for passage in results.passages}


@pytest.mark.parametrize("chapter", ["Chapter 2", "chapter 02", "ch. 2", "Chapter Two", "chapter ii"])
def test_a_chapter_is_found_by_its_number(cast: Cast, chapter: str) -> None:
    """In whatever form it is asked for; chapter 20 is another one."""
    assert found(cast, chapter) == OF_CHAPTER_TWO


def test_other_words_are_part_of_the_heading(cast: Cast) -> None:
    """As before."""
    assert found(cast, "fungi") == {"of another"}
    assert found(cast, "chapter 20") == {"of another", "of another folder"}
    assert found(cast, "Chapter and verse") == set()


@pytest.mark.parametrize(("page", "pages"), [(2, {1, 2}), (3, {2, 3}), (9, set())])
def test_a_page_is_found_with_the_one_before(cast: Cast, page: int, pages: set[int]) -> None:
    """A passage that begins on that one may go on."""
    for number in (1, 2, 3):
        document = make_document(f"Sheet {number}", f"The harbour has lesson {number}.", roles=[cast.staff])
        with bypass_row_security():
            Chunk.objects.filter(document=document).update(page_number=number)
    results = search("harbour lesson", audience=cast.audience(cast.bob), filters=Filters(page=page), k=10)
    assert {passage.page_number for passage in results.passages} == pages


def test_a_page_that_a_question_names_goes_first(cast: Cast) -> None:
    """Its passages, and then those of the whole library."""
    for number in (1, 4):
        document = make_document(f"Sheet {number}", f"The harbour has lesson {number}.", roles=[cast.staff])
        with bypass_row_security():
            Chunk.objects.filter(document=document).update(page_number=number)
    audience, today = cast.audience(cast.bob), timezone.localdate()
    [first, last] = understand(
        "What does page 4 say of the harbour?", given=Filters(), audience=audience, today=today
    ).sub_queries
    assert (first.filters.page, first.preferred) == (4, True)
    assert last.filters.page is None
    [only] = understand(
        "What does page 7 say of the harbour?", given=Filters(), audience=audience, today=today
    ).sub_queries
    assert only.filters.page is None
