"""Describe in words, for whoever reads an answer, what its search was narrowed to and how documents disagree."""

import datetime as dt
from collections.abc import Sequence
from functools import reduce

from core.language.i18n.translation import day, month, say, translatable
from core.language.nlp.layout import cells
from core.language.nlp.text import one_line
from core.types import Answer, Citation, Contradiction, Filters, Refusal

SOURCES_DISAGREE = translatable("Your sources disagree:")


def describe_filters(filters: Filters) -> str:
    """Describe what a search was narrowed to, such as "minutes, 2024"; empty when nothing was left out."""
    parts = (
        filters.document_type,
        filters.collection or _join_names(filters.collections),
        f"“{filters.source}”" if filters.source else "",
        filters.chapter,
        say("section {name}", name=filters.section) if filters.section else "",
        _describe_dates(filters.date_from, filters.date_to),
    )
    return ", ".join(part for part in parts if part)


def _describe_dates(first: dt.date | None, last: dt.date | None) -> str:
    if first and last:
        if (first.month, first.day, last.month, last.day) == (1, 1, 12, 31):
            return _join_ends(f"{first:%Y}", f"{last:%Y}")
        if first.day == 1 and (last + dt.timedelta(days=1)).day == 1:
            return _join_ends(month(first), month(last))
        return _join_ends(day(first), day(last))
    if first:
        return say("since {day}", day=day(first))
    return say("until {day}", day=day(last)) if last else ""


def _join_ends(first: str, last: str) -> str:
    return first if first == last else say("{first} to {last}", first=first, last=last)


def _join_names(names: Sequence[str]) -> str:
    return reduce(lambda some, last: say("{some} or {last}", some=some, last=last), names) if names else ""


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


def describe_source(quote: Citation) -> str:
    """Name the document of a quote with its date, or else its file where that adds something."""
    apart = day(quote.document_date) if quote.document_date else quote.distinction
    return ", ".join(filter(None, (quote.document_name, apart)))


def write_disagreement(found: Contradiction) -> list[str]:
    """Write what both documents say in lines of plain text, each with the number of its citation and its address."""
    lines = [say(SOURCES_DISAGREE)]
    for quote in found.quotes:
        mark = f"[{quote.number}]" if quote.number else "-"
        said = f"{mark} {describe_source(quote)}: “{write_on_line(quote.quoted_excerpt)}”"
        lines.append(f"{said} {quote.opens_at or quote.source_url}".rstrip())
    return lines


def write_on_line(quote: str) -> str:
    """Return a sentence, item or row as it is quoted on one line: the cells of a row parted by dots."""
    line = one_line(quote)
    is_row = " | " in line or line.startswith("|") or line.endswith("|")
    return " · ".join(filter(None, cells(line))) if is_row else line


def describe_below(result: Answer | Refusal) -> str:
    """Return what is said below an answer, or in its place: what was not found, and which document says otherwise.

    For who shows sentences alone; where both documents are quoted, the message of the result is enough.
    """
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
