"""Test the names of cited documents: they distinguish documents of one title, and reveal nothing about others."""

import datetime as dt

import pytest

from core.library.retrieval.catalogue import describe_document
from core.models import Document
from core.types import Citation

DAY = dt.date(2024, 3, 20)


def _cite(name: str, date: dt.date | None, file_name: str) -> Citation:
    return Citation(
        number=1,
        chunk_id=None,
        document_id=None,
        document_name=name,
        document_date=date,
        page_number=None,
        section="",
        source_url="",
        excerpt="",
        quoted_excerpt="",
        start=0,
        end=1,
        relevance_score=1.0,
        file_name=file_name,
    )


@pytest.mark.parametrize(
    ("name", "date", "file_name", "shown"),
    [
        ("Annual report", DAY, "acme-2023.pdf", "Annual report, 2024-03-20"),
        ("Annual report", None, "acme-2023.pdf", "Annual report, acme-2023.pdf"),
        ("Annual report", None, "annual_report.pdf", "Annual report"),
        ("Annual report", None, "", "Annual report"),
    ],
)
def test_the_date_tells_documents_apart_else_the_file(
    name: str, date: dt.date | None, file_name: str, shown: str
) -> None:
    """A file that is called as the title says nothing more."""
    assert _cite(name, date, file_name).display_name == shown


@pytest.mark.parametrize(
    ("fields", "described"),
    [
        (
            {"metadata": {"authors": ["Ada Writer", "Bo Reader"]}, "source": "reports/acme.pdf", "document_date": DAY},
            ("Ada Writer, Bo Reader", "acme.pdf", "Ada Writer, Bo Reader (2024-03-20). Annual report. acme.pdf"),
        ),
        (
            {"source": "https://example.com/a/acme.pdf?v=2", "original_name": "as it came.pdf"},
            ("", "as it came.pdf", "Annual report. as it came.pdf"),
        ),
        ({"source": "a/acme.pdf", "document_date": DAY}, ("", "acme.pdf", "Annual report (2024-03-20). acme.pdf")),
        ({"source": "https://example.com/a/acme.html?v=2"}, ("", "acme.html", "Annual report. acme.html")),
        ({"source": "rows.jsonl#7", "metadata": {"author": "Ada"}}, ("Ada", "", "Ada. Annual report")),
        ({"source": "arxiv:2401.00001", "full_citation": "Ada (2024).\nA."}, ("", "", "Ada (2024). A.")),
    ],
)
def test_a_document_is_described_by_what_it_says_of_itself(
    fields: dict[str, object], described: tuple[str, str, str]
) -> None:
    """Authors, the file's name, and a citation: its own, or one made of what is known."""
    document = Document(title="Annual report", **fields)  # type: ignore[misc]
    assert tuple(describe_document(document).values()) == described


def test_thousands_of_authors_are_cut() -> None:
    """So that the row can hold them."""
    document = Document(title="T", source="x", metadata={"authors": [f"Author {n}" for n in range(2000)]})
    described = describe_document(document)
    assert len(described["authors"]) <= 300
    assert len(described["full_citation"]) <= 2000
