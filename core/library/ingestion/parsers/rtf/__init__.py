"""RTF: control words read into paragraphs, and those into headings, lists and tables."""

from core.library.ingestion.parsers.rtf.parser import parse_rtf

__all__ = ["parse_rtf"]
