"""Refuse what is no audience, at each function of `core.api` that shows anything."""

from core.types import Audience


def require_audience(audience: Audience) -> None:
    """Raise TypeError for anything but an audience; None or a user passed by mistake must not mean "everybody"."""
    if not isinstance(audience, Audience):
        raise TypeError("an audience is needed; unknown readers are Audience.nobody()")
