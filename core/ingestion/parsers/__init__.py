"""Parsers: from the bytes of a file to documents. They run in the sandboxed process, without Django."""

from collections.abc import Callable

from core.ingestion.decoding import decode
from core.ingestion.detection import FileKind, detect
from core.ingestion.document import ParsedDocument, ParsedFile
from core.ingestion.errors import make_empty_error
from core.ingestion.recognition import Recogniser


def parse(content: bytes, name: str, recogniser: Recogniser | None = None) -> ParsedFile:
    """Parse a file of any supported kind.

    name: with its ending, and with its folders where they are known; errors call the file by it. recogniser: reads
    pictures; without one they are left out.
    Raises the errors of core.ingestion.errors.
    """
    if not content.strip():
        raise make_empty_error(name)
    parsed = _parse_kind(detect(content, name), content, name, recogniser)
    documents = tuple(document for document in parsed.documents if document.blocks)
    if not documents and not parsed.problems:
        raise make_empty_error(name)
    return ParsedFile(documents=documents, problems=parsed.problems)


def _parse_kind(kind: FileKind, content: bytes, name: str, recogniser: Recogniser | None) -> ParsedFile:
    if kind in (FileKind.JSON, FileKind.JSONL):
        from core.ingestion.parsers.json_files import parse_json, parse_jsonl

        return (parse_json if kind is FileKind.JSON else parse_jsonl)(decode(content, name), name)
    if kind in (FileKind.PDF, FileKind.PICTURE):
        return ParsedFile(documents=(_scan_parser(kind)(content, name, recogniser),))
    parser = _binary_parser(kind)
    document = parser(content, name) if parser else _text_parser(kind)(decode(content, name), name)
    return ParsedFile(documents=(document,))


def _scan_parser(kind: FileKind) -> Callable[[bytes, str, Recogniser | None], ParsedDocument]:
    """The parser of a kind that may hold pictures of text."""
    if kind is FileKind.PDF:
        from core.ingestion.parsers.pdf import parse_pdf

        return parse_pdf
    from core.ingestion.parsers.pictures import parse_picture

    return parse_picture


def _binary_parser(kind: FileKind) -> Callable[[bytes, str], ParsedDocument] | None:
    """The parser of a kind that is read from its bytes; None for text."""
    match kind:
        case FileKind.DOCX:
            from core.ingestion.parsers.docx import parse_docx

            return parse_docx
        case FileKind.EPUB:
            from core.ingestion.parsers.epub import parse_epub

            return parse_epub
        case FileKind.MAIL:
            from core.ingestion.parsers.mail import parse_mail

            return parse_mail
        case FileKind.MSG:
            from core.ingestion.parsers.msg import parse_msg

            return parse_msg
        case FileKind.ODT | FileKind.ODS | FileKind.ODP:
            from core.ingestion.parsers.odf import parse_odp, parse_ods, parse_odt

            return {FileKind.ODT: parse_odt, FileKind.ODS: parse_ods, FileKind.ODP: parse_odp}[kind]
        case FileKind.PPTX:
            from core.ingestion.parsers.pptx import parse_pptx

            return parse_pptx
        case FileKind.RTF:
            from core.ingestion.parsers.rtf import parse_rtf

            return parse_rtf
        case FileKind.XLSX:
            from core.ingestion.parsers.xlsx import parse_xlsx

            return parse_xlsx
        case _:
            return None


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
