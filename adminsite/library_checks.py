"""System checks that look at the library's texts."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Tags, Warning, register  # noqa: A004 - Django's name
from django.db import DatabaseError

from core.ingestion.languages import advise, list_unknown_languages


@register(Tags.database)
def languages(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """The embedding model knows the languages that the library's texts are in."""
    if not databases:
        return []
    try:
        model, unknown = list_unknown_languages()
    except DatabaseError:
        return []  # away, which another check reports, or before the first migration
    if not unknown:
        return []
    return [Warning(f"The library has texts in {', '.join(unknown)}.", hint=advise(model), id="footnote.W008")]
