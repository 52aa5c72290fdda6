"""PDF: pages, reading order, headings and paragraphs from where the lines stand and how they are set."""

from core.library.ingestion.parsers.pdf.parser import parse_pdf

__all__ = ["parse_pdf"]
