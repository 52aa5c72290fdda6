"""Plain text: paragraphs, and pages where form feeds part them."""

import re

from core.ingestion.dates import date_in_name
from core.ingestion.document import ParsedDocument
from core.ingestion.naming import title_from_name
from core.ingestion.parsers.outline import Outline

_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


def parse_text(text: str, name: str) -> ParsedDocument:
    """Parse plain text. Its title is its file's name."""
    title = title_from_name(name)
    outline = Outline(title)
    pages = text.replace("\r\n", "\n").replace("\r", "\n").split("\f")
    for number, page in enumerate(pages, 1):
        for paragraph in _BLANK_LINES.split(page):
            outline.text(paragraph, page=number if len(pages) > 1 else None)
    return ParsedDocument(title=title, document_date=date_in_name(name), blocks=outline.blocks)
