"""The modal with the passages that carry an answer, word for word, document by document."""

from collections.abc import Sequence
from typing import Any

from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View

from bot.blocks.answer import render_document, render_place
from bot.blocks.text import context, escape_within, render_quote, section
from core.i18n.translation import number, say, translatable
from core.types import Citation, QuoteInPlace

TITLE = translatable("Quotes")
NOTHING = translatable("There is nothing here that you may read.")
UNNAMED = translatable("Untitled document")
_MOST_BLOCKS = 98  # of the 100 of a modal
_SHORT_QUOTE = 1500  # characters of a quote among many: a view may have 250 kB
_CITATION_LIMIT = 600  # characters of a citation in full
_AROUND_LIMIT = 2000  # characters before, and after, a quote


def quotes_modal(quotes: Sequence[QuoteInPlace]) -> dict[str, Any]:
    """A modal view with each quote below its document, between the words around it where there is room for them."""
    documents = _group_by_document(quotes)
    blocks = [
        block for group in documents for block in [_head(group), *(part for q in group for part in _whole_quote(q))]
    ]
    if len(blocks) > _MOST_BLOCKS:
        blocks = _shorten(documents, len(quotes))
    view = View(type="modal", title=say(TITLE), close=say("Close"), blocks=blocks or [section(say(NOTHING))])
    return dict(view.to_dict())


def _shorten(documents: Sequence[Sequence[QuoteInPlace]], count: int) -> list[Block]:
    """The quotes alone, as many as a modal has room for."""
    blocks: list[Block] = []
    shown = 0
    for group in documents:
        for place_in_group, quote in enumerate(group):
            added = [_short_quote(quote.citation)] if place_in_group else [_head(group), _short_quote(quote.citation)]
            if len(blocks) + len(added) > _MOST_BLOCKS:
                return [*blocks, context(say("… and {count} more", count=number(count - shown)))]
            blocks += added
            shown += 1
    return blocks


def _group_by_document(quotes: Sequence[QuoteInPlace]) -> list[list[QuoteInPlace]]:
    """The quotes of each document together, in the order of the first of each."""
    groups: dict[object, list[QuoteInPlace]] = {}
    for quote in quotes:
        groups.setdefault(_identify(quote.citation), []).append(quote)
    return list(groups.values())


def _identify(citation: Citation) -> object:
    # Selected text belongs to no document.
    return citation.document_id or (citation.document_name, citation.document_date, citation.source_url)


def _head(group: Sequence[QuoteInPlace]) -> Block:
    """The document, and below it its citation in full where that says more than its name."""
    citation = group[0].citation
    name = render_document(citation).strip() or say(UNNAMED)
    if citation.full_citation in ("", citation.document_name):
        return section(name)
    return section(f"{name}\n{escape_within(citation.full_citation, _CITATION_LIMIT)}")


def _whole_quote(quote: QuoteInPlace) -> list[Block]:
    before, after = (escape_within(text, _AROUND_LIMIT) for text in (quote.before, quote.after))
    blocks: list[Block] = [
        context(" · ".join(part for part in (_render_where(quote.citation), before) if part)),
        section(render_quote(quote.citation.quoted_excerpt)),
    ]
    return [*blocks, context(after)] if after.strip() else blocks


def _short_quote(citation: Citation) -> Block:
    return section(f"{_render_where(citation)}\n{render_quote(citation.quoted_excerpt, _SHORT_QUOTE)}")


def _render_where(citation: Citation) -> str:
    return " ".join(part for part in (f"[{citation.number}]", render_place(citation)) if part)
