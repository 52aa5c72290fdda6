"""Figures in words and as bars, in the admin's templates."""

from decimal import Decimal

from django import template
from django.utils.safestring import SafeString

from adminsite.figures import metric_in_words, time_in_words, tools_in_words
from adminsite.figures import score_bar as bar_of
from core.document_names import reference_of
from core.types import Citation

register = template.Library()


@register.filter
def score_bar(score: float | Decimal | None) -> SafeString | str:
    """A score as a small bar with its figure."""
    return bar_of(None if score is None else float(score))


@register.filter
def duration(milliseconds: float) -> str:
    """How long something took."""
    return time_in_words(milliseconds)


@register.filter
def place(citation: Citation) -> str:
    """Where a quote stands in its document; a chapter that is called as the document says nothing more.

    With it that its words were recognised on a picture.
    """
    chapter = "" if citation.chapter == citation.document_name else citation.chapter
    where = reference_of(chapter, citation.section, citation.page_number)
    return ", ".join(filter(None, (where, "recognised text" if citation.is_recognised else "")))


@register.filter
def tool(names: str) -> str:
    """What a step of the agent did."""
    return tools_in_words(names)


@register.filter
def metric(name: str) -> str:
    """What an alert's score measures."""
    return metric_in_words(name)
