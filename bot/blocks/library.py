"""List the documents that somebody may read."""

from itertools import groupby

from slack_sdk.models.blocks import Block

from bot.blocks.message import Message, message
from bot.blocks.text import SECTION_LIMIT, context, escape_within, link, section, split
from core.language.i18n.translation import day, number, say, translatable
from core.language.wording import describe_filters
from core.types import Filters, ReadableCollection
from core.values.lists import DocumentList, ReadableDocument

NO_SOURCES = translatable("There is no document that you may read. Ask an administrator for access.")
NOTHING_GIVEN = translatable("You have no access to any document yet. Ask an administrator to give you a role.")
NO_SUCH_SOURCES = translatable("There is no such document that you may read.")
LIST_LIMIT = 10_000  # characters of a list of documents; Slack refuses messages near 13,200
_TITLE_LIMIT = 400  # characters of one document's title with its link
_NAME_LIMIT = 120
_NARROWED_LIMIT = 300
_MOST_COLLECTIONS = 30
_MOST_NAMED = 4  # collections on one line


def sources_message(listed: DocumentList, filters: Filters) -> Message:
    """List the documents that somebody may read, by collection, as many as fit."""
    narrowed = describe_filters(filters)
    if not listed.total:
        text = say(NO_SUCH_SOURCES if narrowed else NO_SOURCES)
        return message(text, [section(text)])
    counted = say("You may read {documents}", documents=render_count(listed.total))
    title = say("{counted} in {filters}", counted=counted, filters=narrowed) if narrowed else counted
    head = f"*{counted}*"
    if narrowed:
        head = say("{counted} in {filters}", counted=head, filters=escape_within(narrowed, _NARROWED_LIMIT))
    lines, shown = _render_lines(listed.documents)
    blocks: list[Block] = [section(head), *(section(piece) for piece in split("\n".join(lines)))]
    if listed.total > shown:
        more = say("… and {count} more", count=number(listed.total - shown))
        blocks.append(context(say("{more}. Narrow the list: `sources manual since:2024`", more=more)))
    return message(title, blocks)


def render_collections(shelves: tuple[ReadableCollection, ...]) -> str:
    """Render collections as lines of mrkdwn, with how many documents of each may be read and the newest date."""
    lines = [
        f"• *{escape_within(shelf.name, _NAME_LIMIT)}*: {render_count(shelf.documents)}"
        + (say(", newest from {day}", day=day(shelf.newest)) if shelf.newest else "")
        for shelf in shelves[:_MOST_COLLECTIONS]
    ]
    text = fit_lines(lines)
    left_out = len(shelves) - text.count("\n") - 1
    return text + ("\n" + say("… and {count} more", count=number(left_out)) if left_out > 0 else "")


def render_holdings(shelves: tuple[ReadableCollection, ...]) -> str:
    """Render the largest collections as mrkdwn on one line, with how many documents of each may be read."""
    largest = sorted(shelves, key=lambda shelf: -shelf.documents)
    named = [f"{escape_within(shelf.name, _NAME_LIMIT)} ({number(shelf.documents)})" for shelf in largest]
    if len(named) <= _MOST_NAMED:
        return ", ".join(named)
    left_out = number(len(named) - _MOST_NAMED)
    return say("{collections} and {count} more", collections=", ".join(named[:_MOST_NAMED]), count=left_out)


def render_count(documents: int) -> str:
    """Say so many documents, in words."""
    return say("1 document") if documents == 1 else say("{count} documents", count=number(documents))


def fit_lines(lines: list[str], limit: int = SECTION_LIMIT - 50) -> str:
    """Return as many whole lines as fit into a section."""
    kept: list[str] = []
    left = limit
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            break
        kept.append(line)
    return "\n".join(kept)


def _render_lines(documents: tuple[ReadableDocument, ...]) -> tuple[list[str], int]:
    """Render lines with headings of collections, and how many documents they name."""
    lines: list[str] = []
    left, shown = LIST_LIMIT, 0
    for name, of_collection in groupby(documents, key=lambda document: document.collection):
        heading = f"*{escape_within(name, _NAME_LIMIT)}*"
        for document in of_collection:
            parts = [link(document.source_url, " ".join(document.title.split()), _TITLE_LIMIT), document.document_type]
            if document.document_date:
                parts.append(document.document_date.isoformat())
            added = [*([heading] if heading else []), f"• {', '.join(parts)}"]
            left -= sum(len(line) + 1 for line in added)
            if left < 0:
                return lines, shown
            lines += added
            heading, shown = "", shown + 1
    return lines, shown
