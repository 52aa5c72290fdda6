"""Figures in words and as bars, in the admin's templates."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import template
from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from adminsite.dashboard.scores import show_score
from adminsite.figures import metric_in_words, time_in_words, tools_in_words
from adminsite.figures import score_bar as bar_of
from core.infrastructure.public_address import PlaceInChunk, write_place
from core.language.wording import describe_source, write_on_line
from core.types import Citation
from core.values.document_names import reference_of

register = template.Library()


@register.filter
def score_bar(score: float | Decimal | None) -> SafeString | str:
    """A score as a small bar with its figure."""
    return bar_of(None if score is None else float(score))


register.filter("score_of", show_score)


@register.filter
def duration(milliseconds: float) -> str:
    """Format a duration."""
    return time_in_words(milliseconds)


@register.filter
def place(citation: Citation) -> str:
    """Return a quote's place in its document, without a chapter of the document's own name.

    It adds that the words were recognised on a picture.
    """
    chapter = "" if citation.chapter == citation.document_name else citation.chapter
    where = reference_of(chapter, citation.section, citation.page_number)
    return ", ".join(filter(None, (where, "recognised text" if citation.is_recognised else "")))


register.filter("source", describe_source)
register.filter("on_line", write_on_line)


@register.filter
def opening(quote: Citation) -> str:
    """Return the page of a quote, at its place; empty where it is of no document."""
    if quote.citation_id:
        return reverse("citation", args=[quote.citation_id])
    if quote.document_id is None or quote.chunk_id is None:
        return ""
    place = PlaceInChunk(chunk_id=quote.chunk_id, start=quote.start, end=quote.end)
    return f"{reverse('document', args=[quote.document_id])}?at={write_place(place)}"


@register.filter
def tool(names: str) -> str:
    """Name the action of a step of the agent."""
    return tools_in_words(names)


@register.simple_tag
def path_above(request: HttpRequest, parts: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """Return the path above a page: for a page of the menu its own name, not that of the list that it belongs to."""
    from adminsite.admin.navigation import title_of

    title = title_of(request.path)
    if not title or any(request.path == str(part.get("link", "")) for part in parts):
        return parts
    return [*parts[:1], {"link": request.path, "title": title}]


@register.filter
def page_title(part: dict[str, Any]) -> str:
    """Return the name of a part of the path above a page: as the menu has it, where it is a page of the menu.

    A row keeps the name that people gave it, a role called "staff" too; other parts begin with a capital.
    """
    from adminsite.admin.navigation import title_of  # the pages load templates, and these this module

    name = title_of(str(part.get("link", "")))
    return name or (str(part["title"]) if isinstance(part["title"], Model) else capfirst(part["title"]))


@register.simple_tag
def counted(changelist: Any) -> str:
    """Count the rows of a list under the name that the menu has for them."""
    from adminsite.admin.navigation import count_in_words  # as above

    return count_in_words(changelist.result_count, changelist.opts)


@register.filter
def metric(name: str) -> str:
    """Name the property that an alert's score measures."""
    return metric_in_words(name)
