"""Erasing the words of citations: what they quote, and whatever tells of whose words it is."""

from django.db.models import QuerySet

from core.models import Citation


def erase_quotes(citations: QuerySet[Citation]) -> None:
    """Erase the words of citations. Their numbers, scores and places stay."""
    citations.update(
        document_name="",
        chapter="",
        section="",
        source_url="",
        excerpt="",
        quoted_excerpt="",
        authors="",
        file_name="",
        full_citation="",
    )
