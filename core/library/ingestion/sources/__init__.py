"""Load documents from files, folders, web pages, arXiv and the Federal Reserve."""

from core.library.ingestion.sources.source import Found, LeftOut, LoadedFile, Source

__all__ = ["Found", "LeftOut", "LoadedFile", "Source"]
