"""JSON and JSONL: papers with sections, plain documents, arXiv abstracts."""

import json
import re
from collections.abc import Mapping
from typing import Any

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.document import ParsedDocument, ParsedFile
from core.library.ingestion.errors import NoDocumentError, make_unreadable_error
from core.library.ingestion.naming import title_from_name
from core.library.ingestion.parsers.header import collect_fields
from core.library.ingestion.parsers.outline import Outline

_TEXT = ("text", "content", "body", "summary", "abstract")
_PARAGRAPHS = re.compile(r"\n\s*\n")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_MOST_PROBLEMS = 20  # named one by one; a file with more is named as a whole


def parse_json(text: str, name: str) -> ParsedFile:
    """Parse a JSON object, or an array of objects, each of which is a document."""
    try:
        raw = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise make_unreadable_error(name, f"it is not valid JSON{where}") from error
    records = raw if isinstance(raw, list) else [raw]
    documents = [_read_document(record, name) for record in records if _holds_text(record)]
    if not documents:
        raise NoDocumentError(
            f'{name} contains no document. Expected JSON with "title" and "text", or with "title" and "sections".'
        )
    return ParsedFile(documents=tuple(documents))


def parse_jsonl(text: str, name: str) -> ParsedFile:
    """Parse a file of one document per line. Lines that cannot be read become problems; the others go on."""
    documents = []
    problems = []
    seen: dict[str, tuple[int, ParsedDocument]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            document = _document_of_line(line, f"{name}, line {number}")
        except ValueError as error:
            problems.append(str(error))
            continue
        first, same = seen.setdefault(document.identifier or f"line {number}", (number, document))
        if first == number:
            documents.append(document)
        elif document != same:  # the very same document once more is no problem
            problems.append(f"{name}, line {number}: the id of line {first} appears again with different text.")
    if not documents:
        raise make_unreadable_error(name, "none of its lines is a JSON document with a title and a text")
    if len(problems) > _MOST_PROBLEMS:
        problems = [*problems[:_MOST_PROBLEMS], f"{name}: {len(problems) - _MOST_PROBLEMS} more lines are unreadable."]
    return ParsedFile(documents=tuple(documents), problems=tuple(problems))


def _document_of_line(line: str, where: str) -> ParsedDocument:
    try:
        record = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"{where} is not valid JSON.") from error
    if not _holds_text(record):
        raise ValueError(f'{where} contains no text. Expected {{"id", "title", "text"}}.')
    return _read_document(record, where)


def _holds_text(record: object) -> bool:
    if not isinstance(record, Mapping):
        return False
    sections = record.get("sections")
    return _read_text(record) != "" or (isinstance(sections, list) and any(_holds_text(part) for part in sections))


def _read_text(record: Mapping[str, Any]) -> str:
    return next((value for key in _TEXT if isinstance(value := record.get(key), str) and value.strip()), "")


def _read_document(record: Mapping[str, Any], name: str) -> ParsedDocument:
    identifier = next((one_line(str(record[key])) for key in ("id", "_id") if record.get(key) is not None), "")
    fields = collect_fields(record, content_keys=("sections", *_TEXT))
    fields["title"] = fields["title"] or identifier or title_from_name(name)
    fields["document_type"] = fields["document_type"] or ("paper" if fields["arxiv_id"] else "")
    outline = Outline(fields["title"])
    sections = record.get("sections")
    if isinstance(sections, list) and sections:
        abstract = record.get("abstract")
        if isinstance(abstract, str):
            outline.heading(2, "Abstract")
            _write_paragraphs(abstract, outline)
        for section in sections:
            if isinstance(section, Mapping):
                _write_section(section, outline)
    else:
        _write_paragraphs(_read_text(record), outline)
    return ParsedDocument(**fields, identifier=identifier, blocks=outline.blocks)


def _write_section(section: Mapping[str, Any], outline: Outline) -> None:
    """Write a section, with its level from its number: 3.1 is below 3. The chapter is the document."""
    number = str(section.get("number") or "").strip(" .")
    number = number if number[:1].isalnum() else ""
    title = one_line(str(section.get("title") or ""))
    level = 2 + (number.count(".") if _NUMBER.fullmatch(number) else 0)
    outline.heading(level, " ".join(part for part in (number, title) if part))
    page = section.get("page")
    _write_paragraphs(_read_text(section), outline, page if isinstance(page, int) and page > 0 else None)


def _write_paragraphs(text: str, outline: Outline, page: int | None = None) -> None:
    for paragraph in _PARAGRAPHS.split(text):
        outline.text(paragraph, page=page)
