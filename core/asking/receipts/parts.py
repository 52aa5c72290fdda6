"""List the parts of an answer that a receipt can hold, from its rows: the same when it is recorded and ever after.

What may change in a row later, such as who asked, is taken from the facts that were kept with the seal.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from core.models import Answer, Citation, CitationWords, Query, unmask
from core.serialization import split_statements
from core.types import Edition


def list_parts(
    query: Query,
    answer: Answer,
    quotes: Iterable[tuple[Citation, CitationWords]],
    facts: Mapping[str, Any],
    *,
    read: Callable[[str], str] = unmask,
) -> dict[str, Any]:
    """Return the parts of an answer by name, with words as they are kept: what digests are taken of.

    quotes: what the answer cites; nothing for a refusal, whose closest passages are no part of it. facts: as
    collect_facts of sealing.py returned them. read: str for words as they are shown, with secrets masked.
    """
    parts: dict[str, Any] = {
        "question": query.question_text,
        "asked_at": _write_moment(query.created_at),
        "answered_at": _write_moment(answer.created_at),
        "confidence": {"level": answer.confidence_level, "value": answer.confidence},
        "model": {"name": answer.model, "provider": answer.model_provider, "footnote": facts.get("footnote")},
        **{name: facts[name] for name in ("asked_by", "origin", "audience", "verified") if name in facts},
    }
    if query.standalone_question and query.standalone_question != query.question_text:
        parts["understood"] = query.standalone_question
    if query.selected_text is not None:
        parts["selected_text"] = query.selected_text
    if answer.message:
        parts["message"] = read(answer.message)
    if answer.answer_text is None:
        parts["refusal"] = answer.refusal_reason
        return parts
    text = read(answer.answer_text)
    parts["answer"] = text
    parts["statements"] = [
        {"statement": statement, "quotes": list(numbers)} for statement, numbers in split_statements(text)
    ]
    for citation, words in quotes:
        parts[f"quote_{citation.number}"] = _describe_quote(citation, words, read)
        for kind, of_editions in (("file", facts.get("files", {})), ("readers", facts.get("readers", {}))):
            found = of_editions.get(name_edition(citation.edition)) if citation.edition else None
            if found is not None:
                parts[f"{kind}_{citation.number}"] = found
    return parts


def name_edition(edition: Edition) -> str:
    """Name an edition among the facts of a seal."""
    return f"{edition.document_id}:{edition.version}"


def _describe_quote(citation: Citation, words: CitationWords, read: Callable[[str], str]) -> dict[str, Any]:
    return {
        "quote": read(words.quoted_excerpt),
        "document": read(words.document_name),
        "document_id": str(citation.document_id) if citation.document_id else None,
        "edition": citation.document_version,
        "date": citation.document_date.isoformat() if citation.document_date else None,
        "page": citation.page_number,
        "chapter": read(words.chapter),
        "section": read(words.section),
        "authors": words.authors,
        "citation": read(words.full_citation),
        "address": words.source_url,
        "is_recognised": citation.is_recognised,
    }


def _write_moment(moment: dt.datetime) -> str:
    return moment.astimezone(dt.UTC).isoformat(timespec="microseconds")
