"""The fields that describe a document, as front matter and JSON name them."""

import datetime as dt
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from core.language.nlp.document_types import type_from_word
from core.library.ingestion.cleaning import clean, one_line
from core.library.ingestion.document import MAX_TITLE, MAX_URL
from core.library.ingestion.naming import as_date
from core.values.document_names import name_authors

_TITLE = ("title", "name")
_DATE = ("date", "document_date", "published", "publication_date", "update_date", "updated")
_TYPE = ("document_type", "type", "kind")
_URL = ("source_url", "url", "abs", "link", "canonical_url")
_CITATION = ("full_citation", "citation")
_ARXIV = ("arxiv_id", "arxiv")
_AUTHORS = ("authors", "author")
_ARXIV_ID = re.compile(
    r"(?:arxiv:)?(?:(?P<now>\d{4}\.\d{4,5})|(?P<archive>[a-z-]+)(?:\.[a-z]{2})?/(?P<number>\d{7}))(?:v\d+)?",
    re.IGNORECASE,
)
_ARXIV_ADDRESS = re.compile(
    r"(?:https?://)?(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/([^?#\s]+?)(?:\.pdf)?/?(?:[?#].*)?", re.IGNORECASE
)


def arxiv_id(text: str) -> str | None:
    """Return the arXiv id in "2212.11770", "arxiv:2212.11770v2" or an address at arxiv.org, without version; else None.

    In arXiv's own form, so that one paper has one: an older id without its subject class, "math/0309136".
    """
    address = _ARXIV_ADDRESS.fullmatch(text.strip())
    match = _ARXIV_ID.fullmatch(address[1] if address else text.strip())
    if match is None:
        return None
    return match["now"] or f"{match['archive'].lower()}/{match['number']}"


def collect_fields(header: Mapping[str, Any], *, content_keys: Iterable[str] = ()) -> dict[str, Any]:
    """Return the fields of ParsedDocument that a header gives, title included and "" when it gives none.

    content_keys: keys whose values are the document's text. What is neither known nor content becomes metadata.
    """
    url = _http_url(_read_text(header, _URL))
    paper = next((found for value in (_read_text(header, _ARXIV), url) if (found := arxiv_id(value))), None)
    title = one_line(_read_text(header, _TITLE), MAX_TITLE)
    date = next((when for key in _DATE if (when := as_date(header.get(key)))), None)
    authors = _read_authors(header)
    known = {*_TITLE, *_DATE, *_TYPE, *_URL, *_CITATION, *_ARXIV, *content_keys, "metadata"}
    metadata = {str(key): plain(value) for key, value in header.items() if key not in known and value is not None}
    if isinstance(header.get("metadata"), Mapping):
        metadata |= {str(key): plain(value) for key, value in header["metadata"].items()}
    return {
        "title": title,
        "document_date": date,
        "document_type": next((word for key in _TYPE if (word := type_from_word(header.get(key)))), ""),
        "source_url": url or (f"https://arxiv.org/abs/{paper}" if paper else ""),
        "full_citation": clean(_read_text(header, _CITATION)) or citation(authors, title, date, paper),
        "arxiv_id": paper,
        "metadata": metadata,
    }


def describe(title: str, author: str, date: dt.date | None) -> dict[str, Any]:
    """The fields of a document that states no more of itself than these; "" and None for what it does not state."""
    author = name_authors(author)
    return {
        "title": title,
        "document_date": date,
        "full_citation": citation(author, title, date, None),
        "metadata": {"author": author} if author else {},
    }


def citation(authors: str, title: str, date: dt.date | None, paper: str | None) -> str:
    """Return a citation in full, "Authors (year). Title. arXiv:id"; "" when the authors are not known."""
    if not authors:
        return ""
    year = f" ({date.year})" if date else ""
    return f"{authors}{year}. {title}." + (f" arXiv:{paper}" if paper else "")


def plain(value: object) -> Any:
    """Return a value that JSON and the database can hold, text cleaned. Numbers that are none become their names."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {clean(str(key)): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return clean(str(value))


def _read_authors(header: Mapping[str, Any]) -> str:
    value = next((found for key in _AUTHORS if isinstance(found := header.get(key), str | list)), "")
    return one_line(name_authors([str(author) for author in value] if isinstance(value, list) else value))


def _read_text(header: Mapping[str, Any], keys: Iterable[str]) -> str:
    for key in keys:
        value = header.get(key)
        if isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    return ""


def _http_url(text: str) -> str:
    try:
        parts = urlsplit(text)
    except ValueError:
        return ""
    if parts.scheme.lower() not in {"http", "https"} or not parts.hostname or len(text) > MAX_URL:
        return ""
    return "" if re.search(r"\s", text) else text
