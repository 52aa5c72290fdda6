"""DOCX: headings, lists with the numbers that Word sets, tables, text boxes, notes and equations in their order."""

from core.library.ingestion.parsers.docx.parser import parse_docx

__all__ = ["parse_docx"]
