"""Describe in words who verified an answer and when. Pure."""

from core.language.i18n.translation import day, say
from core.types import Outdated, Verification


def describe_verification(verification: Verification) -> str:
    """By whom and when, and whether it may be outdated."""
    on = day(verification.verified_at.date())
    name = verification.verified_by
    said = say("Verified by {name} on {day}", name=name, day=on) if name else say("Verified on {day}", day=on)
    if verification.outdated is Outdated.SOURCES_CHANGED:
        return f"{said}. {say('The sources have changed since: please check them.')}"
    if verification.outdated is Outdated.REVIEW_DUE:
        return f"{said}. {say('It should have been reviewed by now: please check the sources.')}"
    return said
