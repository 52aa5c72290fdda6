"""List the parts of an answer that a receipt can hold, from its rows: the same when it is recorded and ever after.

What may change in a row later, such as who asked, is taken from the facts that were kept with the seal.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Model

from core.models import Answer, Citation, CitationWords, Query, mask_words, unmask_column
from core.serialization import split_statements
from core.types import Edition


def list_parts(
    query: Query,
    answer: Answer,
    quotes: Iterable[tuple[Citation, CitationWords]],
    facts: Mapping[str, Any],
    *,
    is_shown: bool = False,
) -> dict[str, Any]:
    """Return the parts of an answer by name, with words as they are kept: what digests are taken of.

    quotes: what the answer cites; nothing for a refusal, whose closest passages are no part of it. facts: as
    collect_facts of sealing.py returned them. is_shown: with words as they are shown, with secrets masked.

    What was made of a question, the text it was asked about and what was said besides have a part also where there is
    nothing of the kind: otherwise the number of digests would tell of it.
    """
    parts: dict[str, Any] = {
        "question": query.question_text,
        "understood": query.standalone_question or query.question_text,
        "selected_text": query.selected_text,
        "message": _read(answer, "message", is_shown=is_shown),
        "asked_at": _write_moment(query.created_at),
        "answered_at": _write_moment(answer.created_at),
        "confidence": {"level": answer.confidence_level, "value": answer.confidence},
        "model": {"name": answer.model, "provider": answer.model_provider, "footnote": facts.get("footnote")},
        **{name: facts[name] for name in ("asked_by", "origin", "audience", "verified") if name in facts},
    }
    if answer.answer_text is None:
        parts["refusal"] = answer.refusal_reason
        return parts
    text = _read(answer, "answer_text", is_shown=is_shown)
    parts["answer"] = text
    parts["statements"] = [
        {"statement": statement, "quotes": list(numbers)} for statement, numbers in split_statements(text)
    ]
    for citation, words in quotes:
        parts[f"quote_{citation.number}"] = _describe_quote(citation, words, is_shown=is_shown)
        edition = name_edition(citation.edition) if citation.edition else ""
        if file := facts.get("files", {}).get(edition):
            name = mask_words(file["name"]) if is_shown else file["name"]
            parts[f"file_{citation.number}"] = {**file, "name": name}
        if (readers := facts.get("readers", {}).get(edition)) is not None:
            parts[f"readers_{citation.number}"] = readers
    return parts


def name_edition(edition: Edition) -> str:
    """Name an edition among the facts of a seal."""
    return f"{edition.document_id}:{edition.version}"


def _read(row: Model, column: str, *, is_shown: bool) -> str:
    return str(getattr(row, column)) if is_shown else unmask_column(row, column)


def _describe_quote(citation: Citation, words: CitationWords, *, is_shown: bool) -> dict[str, Any]:
    def read(column: str) -> str:
        return _read(words, column, is_shown=is_shown)

    return {
        "quote": read("quoted_excerpt"),
        "document": read("document_name"),
        "document_id": str(citation.document_id) if citation.document_id else None,
        "edition": citation.document_version,
        "date": citation.document_date.isoformat() if citation.document_date else None,
        "page": citation.page_number,
        "chapter": read("chapter"),
        "section": read("section"),
        "authors": words.authors,
        "citation": read("full_citation"),
        "address": words.source_url,
        "is_recognised": citation.is_recognised,
    }


def _write_moment(moment: dt.datetime) -> str:
    return moment.astimezone(dt.UTC).isoformat(timespec="microseconds")
