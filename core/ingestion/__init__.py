"""Bringing documents into the library: sources -> parsers (fenced off) -> chunking -> embedding -> store."""
