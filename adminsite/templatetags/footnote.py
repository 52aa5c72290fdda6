"""Figures in words and as bars, in the admin's templates."""

from decimal import Decimal

from django import template
from django.utils.safestring import SafeString

from adminsite.figures import score_bar as bar_of
from adminsite.figures import time_in_words

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
def metric(name: str) -> str:
    """What an alert's score measures."""
    return {"relevance": "Context relevance"}.get(name, name.replace("_", " ").capitalize())
