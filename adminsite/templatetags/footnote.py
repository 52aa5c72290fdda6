"""Figures in words and as bars, in the admin's templates."""

from decimal import Decimal

from django import template
from django.utils.safestring import SafeString

from adminsite.figures import metric_in_words, time_in_words, tools_in_words
from adminsite.figures import score_bar as bar_of

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
def tool(names: str) -> str:
    """What a step of the agent did."""
    return tools_in_words(names)


@register.filter
def metric(name: str) -> str:
    """What an alert's score measures."""
    return metric_in_words(name)
