"""Bringing documents into the library: sources -> parsers (in a sandbox) -> chunking -> embedding -> store."""
