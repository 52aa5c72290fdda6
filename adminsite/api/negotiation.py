"""Choose the form of an answer. One that does not exist is a mistake like any other, and named as such."""

from collections.abc import Iterable

from rest_framework.exceptions import ValidationError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer


class Negotiation(DefaultContentNegotiation):
    """The framework's choice, which says which forms there are where `?format=` asks for another."""

    def filter_renderers(self, renderers: Iterable[BaseRenderer], format: str) -> list[BaseRenderer]:  # noqa: A002 - the framework's name
        """Return the renderers of that format. ValidationError when there is none."""
        renderers = list(renderers)
        fitting = [renderer for renderer in renderers if renderer.format == format]
        if not fitting:
            known = ", ".join(dict.fromkeys(str(renderer.format) for renderer in renderers))
            raise ValidationError({"format": [f"There is no such format here. There are: {known}."]})
        return fitting
