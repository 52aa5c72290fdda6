"""Where people outside reach what Footnote serves: addresses below PUBLIC_URL."""

from uuid import UUID

from django.conf import settings


def build_citation_address(citation_id: UUID) -> str:
    """Where a citation is opened in its document; empty where PUBLIC_URL is not known."""
    return _build_address(f"citations/{citation_id}/")


def build_document_address(document_id: UUID) -> str:
    """Where a document is opened; empty where PUBLIC_URL is not known."""
    return _build_address(f"documents/{document_id}/")


def _build_address(path: str) -> str:
    return f"{settings.PUBLIC_URL.rstrip('/')}/{path}" if settings.PUBLIC_URL else ""
