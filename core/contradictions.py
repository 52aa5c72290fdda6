"""Describe in words that another document says otherwise than a cited one."""

from core.i18n.translation import day, say
from core.types import Answer, Contradiction, Refusal


def describe_contradiction(found: Contradiction) -> str:
    """Return the sentence that tells of the other document."""
    name, says = found.document_name, found.says
    if found.is_newer is None or found.document_date is None:
        return say("Another document says otherwise: “{name}” has “{says}”.", name=name, says=says)
    on = day(found.document_date)
    if found.is_newer:
        return say("A newer document says otherwise: “{name}” of {day} has “{says}”.", name=name, day=on, says=says)
    return say("An older document says otherwise: “{name}” of {day} has “{says}”.", name=name, day=on, says=says)


def describe_below(result: Answer | Refusal) -> str:
    """Return what is said below an answer, or in its place: what was not found, and which document says otherwise."""
    if isinstance(result, Refusal) or result.contradiction is None:
        return result.message
    return " ".join(filter(None, (result.message, describe_contradiction(result.contradiction))))
