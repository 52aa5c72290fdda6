"""Describe a document beside its title: its authors, the file it came as, its citation in full.

The description follows from the document alone. It does not reveal that another one has the same title.
"""

from core.language.nlp.text import one_line
from core.models import Document
from core.values.document_names import find_file_name, name_authors

_LONGEST_AUTHORS = 300  # characters; some papers have thousands of authors
_LONGEST_NAME = 300
_LONGEST_CITATION = 2000


def describe_document(document: Document) -> dict[str, str]:
    """The fields of core.types.PlacedText that describe a document."""
    stated = name_authors(document.metadata.get("authors")) or name_authors(document.metadata.get("author"))
    authors = _shorten(stated, _LONGEST_AUTHORS)
    file_name = _shorten(find_file_name(document.source, document.original_name), _LONGEST_NAME)
    full_citation = document.full_citation or _cite_in_full(document, authors, file_name)
    return {
        "authors": authors,
        "file_name": file_name,
        "full_citation": _shorten(one_line(full_citation), _LONGEST_CITATION),
    }


def _cite_in_full(document: Document, authors: str, file_name: str) -> str:
    """A citation of what is known: "Authors (2024-03-20). Title. report.pdf"; for one that states none itself."""
    date = f"({document.document_date.isoformat()})" if document.document_date else ""
    by = " ".join(part for part in (authors, date) if part)
    return ". ".join(part for part in (by, document.title.rstrip("."), file_name) if part)


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rpartition(" ")[0] + "…"
