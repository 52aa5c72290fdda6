"""Where documents come from: files, folders, web pages, arXiv and the Federal Reserve."""

from core.ingestion.sources.source import Found, LeftOut, Loaded, Source

__all__ = ["Found", "LeftOut", "Loaded", "Source"]
