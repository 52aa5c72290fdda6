"""Describe in words that another document says otherwise than a cited one."""

import datetime as dt

from core.language.i18n.translation import day, say
from core.language.nlp.text import one_line
from core.types import Answer, Contradiction, Refusal


def describe_contradiction(found: Contradiction, cited_date: dt.date | None) -> str:
    """Return the sentence that tells of the other document. cited_date: of the document that it contradicts."""
    name, date = found.by.document_name, found.by.document_date
    says = one_line(found.by.content[slice(*found.says)])
    is_newer = compare_dates(date, cited_date)
    if is_newer is None or date is None:
        return say("Another document says otherwise: “{name}” has “{says}”.", name=name, says=says)
    on = day(date)
    if is_newer:
        return say("A newer document says otherwise: “{name}” of {day} has “{says}”.", name=name, day=on, says=says)
    return say("An older document says otherwise: “{name}” of {day} has “{says}”.", name=name, day=on, says=says)


def compare_dates(other: dt.date | None, cited: dt.date | None) -> bool | None:
    """Return True if the other document is the newer one, and None where their dates do not tell."""
    return None if other is None or cited is None or other == cited else other > cited


def describe_below(result: Answer | Refusal) -> str:
    """Return what is said below an answer, or in its place: what was not found, and which document says otherwise."""
    if isinstance(result, Refusal) or result.contradiction is None:
        return result.message
    found = result.contradiction
    cited = next((one for one in result.citations if one.edition == found.cited), None)
    date = cited.document_date if cited else None
    is_seen = any(one.edition == found.by.edition for one in result.citations)
    if cited and is_seen and compare_dates(found.by.document_date, date) is None:  # it is no other one
        first, second = sorted((cited.document_name, found.by.document_name))
        told = say("“{one}” and “{other}” contradict each other here.", one=first, other=second)
    else:
        told = describe_contradiction(found, date)
    return " ".join(filter(None, (result.message, told)))
