"""The modal with the passages that carry an answer, word for word."""

from typing import Any

from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View

from bot.blocks.answer import source
from bot.blocks.text import SECTION_LIMIT, escape_within, section
from core.types import Citation

_MAX_CITATIONS = 50  # two sections each make the 100 blocks of a modal
NOTHING = "There is nothing here that you may read."


def quotes_modal(citations: tuple[Citation, ...]) -> dict[str, Any]:
    """A modal view with each citation and its quote."""
    blocks: list[Block] = []
    for citation in citations[:_MAX_CITATIONS]:
        blocks += [section(source(citation)), section(_quoted(citation.quoted_excerpt))]
    view = View(type="modal", title="Quotes", close="Close", blocks=blocks or [section(NOTHING)])
    return dict(view.to_dict())


def _quoted(text: str) -> str:
    """Text as a block quote. Its line breaks are those of a page that is not shown here, so they become spaces."""
    return "> " + escape_within(" ".join(text.split()), SECTION_LIMIT - 2)
