"""Parsers: from the bytes of a file to documents. They run in the sandboxed process, without Django."""

from collections.abc import Callable

from core.ingestion.decoding import decode
from core.ingestion.detection import FileKind, detect
from core.ingestion.document import ParsedDocument, ParsedFile
from core.ingestion.errors import make_empty_error


def parse(content: bytes, name: str) -> ParsedFile:
    """Parse a file of any supported kind.

    name: with its ending, and with its folders where they are known; errors call the file by it.
    Raises the errors of core.ingestion.errors.
    """
    if not content.strip():
        raise make_empty_error(name)
    parsed = _parse_kind(detect(content, name), content, name)
    documents = tuple(document for document in parsed.documents if document.blocks)
    if not documents and not parsed.problems:
        raise make_empty_error(name)
    return ParsedFile(documents=documents, problems=parsed.problems)


def _parse_kind(kind: FileKind, content: bytes, name: str) -> ParsedFile:
    match kind:
        case FileKind.PDF:
            from core.ingestion.parsers.pdf import parse_pdf

            return ParsedFile(documents=(parse_pdf(content, name),))
        case FileKind.DOCX:
            from core.ingestion.parsers.docx import parse_docx

            return ParsedFile(documents=(parse_docx(content, name),))
        case FileKind.EPUB:
            from core.ingestion.parsers.epub import parse_epub

            return ParsedFile(documents=(parse_epub(content, name),))
        case FileKind.MAIL:
            from core.ingestion.parsers.mail import parse_mail

            return ParsedFile(documents=(parse_mail(content, name),))
        case FileKind.PPTX:
            from core.ingestion.parsers.pptx import parse_pptx

            return ParsedFile(documents=(parse_pptx(content, name),))
        case FileKind.XLSX:
            from core.ingestion.parsers.xlsx import parse_xlsx

            return ParsedFile(documents=(parse_xlsx(content, name),))
        case FileKind.JSON | FileKind.JSONL:
            from core.ingestion.parsers.json_files import parse_json, parse_jsonl

            return (parse_json if kind is FileKind.JSON else parse_jsonl)(decode(content, name), name)
        case _:
            return ParsedFile(documents=(_text_parser(kind)(decode(content, name), name),))


def _text_parser(kind: FileKind) -> Callable[[str, str], ParsedDocument]:
    match kind:
        case FileKind.HTML:
            from core.ingestion.parsers.html import parse_html

            return parse_html
        case FileKind.MARKDOWN:
            from core.ingestion.parsers.markdown import parse_markdown

            return parse_markdown
        case FileKind.CSV:
            from core.ingestion.parsers.csv_files import parse_csv

            return parse_csv
        case _:
            from core.ingestion.parsers.text import parse_text

            return parse_text
