"""The modal with the passages that carry an answer, word for word, document by document."""

import re
from collections.abc import Sequence
from typing import Any

from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View

from bot.blocks.answer import render_document, render_place
from bot.blocks.masked import explain_dots
from bot.blocks.text import context, escape_within, link, render_quote, section
from core.language.i18n.translation import number, say, translatable
from core.language.nlp.layout import cells, is_rule
from core.types import Citation, QuoteInPlace

TITLE = translatable("Quotes")
NOTHING = translatable("There is nothing here that you may read.")
UNNAMED = translatable("Untitled document")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t](?P<words>[^\n]*)")
_MOST_BLOCKS = 98  # of the 100 of a modal: one counts those left out, and one says why there are dots
_SHORT_QUOTE = 1500  # characters of a quote among many: a view may have 250 kB
_CITATION_LIMIT = 600  # characters of a citation in full
_AROUND_LIMIT = 2000  # characters before, and after, a quote


def quotes_modal(quotes: Sequence[QuoteInPlace]) -> dict[str, Any]:
    """Build a modal view with each quote below its document, between the words around it where there is room."""
    documents = _group_by_document(quotes)
    blocks: list[Block] = []
    for group in documents:
        blocks += [_build_heading(group), *(part for quote in group for part in _build_whole_quote(quote))]
    if len(blocks) > _MOST_BLOCKS:
        blocks = _list_short_quotes(documents, len(quotes))
    blocks = [*explain_dots(blocks), *blocks]  # above them, for there may be many
    view = View(type="modal", title=say(TITLE), close=say("Close"), blocks=blocks or [section(say(NOTHING))])
    return dict(view.to_dict())


def _list_short_quotes(documents: Sequence[Sequence[QuoteInPlace]], count: int) -> list[Block]:
    """Build the quotes alone, as many as a modal has room for."""
    blocks: list[Block] = []
    shown = 0
    for group in documents:
        for place_in_group, quote in enumerate(group):
            heading = [] if place_in_group else [_build_heading(group)]
            quoted = render_quote(write_plain(quote.citation.quoted_excerpt), _SHORT_QUOTE)
            added = [*heading, section(f"{_render_where(quote.citation)}\n{quoted}")]
            if len(blocks) + len(added) > _MOST_BLOCKS:
                return [*blocks, context(say("… and {count} more", count=number(count - shown)))]
            blocks += added
            shown += 1
    return blocks


def _group_by_document(quotes: Sequence[QuoteInPlace]) -> list[list[QuoteInPlace]]:
    """Group the quotes of each document together, in the order of the first of each."""
    groups: dict[object, list[QuoteInPlace]] = {}
    for quote in quotes:
        cited = quote.citation
        # Selected text belongs to no document.
        key = cited.document_id or (cited.document_name, cited.document_date, cited.source_url)
        groups.setdefault(key, []).append(quote)
    return list(groups.values())


def _build_heading(group: Sequence[QuoteInPlace]) -> Block:
    """Name a document, in its citation in full where that says more: authors, a publisher. Its name is said once."""
    citation = group[0].citation
    name = render_document(citation).strip() or say(UNNAMED)
    full = " ".join(citation.full_citation.split())
    if not _says_more(full, citation):
        return section(name)
    if citation.document_name and citation.document_name.casefold() in full.casefold():
        full = _state_date(full, citation)
        apart = "" if citation.distinction in full else f", {escape_within(citation.distinction, _CITATION_LIMIT)}"
        named = full.rstrip(".") if apart else full
        return section(link(citation.opens_at or citation.source_url, named, _CITATION_LIMIT) + apart)
    return section(f"{name}\n{escape_within(full, _CITATION_LIMIT)}")


def _state_date(full: str, citation: Citation) -> str:
    """Put a document's date in the place of its year in a citation in full, so that one date is said."""
    date = citation.document_date
    return full if date is None else full.replace(f"({date.year})", f"({date.isoformat()})", 1)


def _says_more(full: str, citation: Citation) -> bool:
    """Return True if a citation in full has more than the document's name, its date and the name of its file."""
    date = citation.document_date.isoformat() if citation.document_date else ""
    for known in filter(None, (citation.document_name, citation.file_name, citation.distinction, date, date[:4])):
        full = full.replace(known, " ")
    return any(character.isalnum() for character in full)


def _build_whole_quote(quote: QuoteInPlace) -> list[Block]:
    citation = quote.citation
    before, after = (escape_within(write_plain(text, citation), _AROUND_LIMIT) for text in (quote.before, quote.after))
    blocks: list[Block] = [
        context(" · ".join(part for part in (_render_where(citation), before) if part)),
        section(render_quote(write_plain(citation.quoted_excerpt))),
    ]
    return [*blocks, context(after)] if after.strip() else blocks


def _render_where(citation: Citation) -> str:
    """Render the number of a quote, and its place where that says more than the document's name, which is above it."""
    is_repeated = citation.page_number is None and citation.section == citation.document_name
    place = "" if is_repeated and not citation.is_recognised else render_place(citation)
    return " ".join(part for part in (f"[{citation.number}]", place) if part)


def write_plain(text: str, citation: Citation | None = None) -> str:
    """Return words of a document without the marks of tables and headings, which Slack would show as they are.

    The cells of a row are parted by dots. citation: leave out headings that repeat its document's name or its section.
    """
    repeated = {citation.document_name.casefold(), citation.section.casefold()} if citation else set()
    lines = []
    for line in text.splitlines():
        heading = _HEADING.match(line)
        if is_rule(line) or (heading and heading["words"].strip(" #").casefold() in repeated):
            continue
        bare = heading["words"] if heading else line
        lines.append(" · ".join(filter(None, cells(bare))) if _is_row(bare) else bare)
    return "\n".join(lines).strip()


def _is_row(line: str) -> bool:
    """Return True for a row of a table, also one of which a quote has only a part."""
    return " | " in line or line.lstrip().startswith("|") or line.rstrip().endswith("|")
