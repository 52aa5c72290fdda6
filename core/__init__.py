"""Footnote's core: access, retrieval, answering, ingestion and evaluation. `core.api` is its door."""
