"""Offering to ask the owner of a source of an answer that may be out of date."""

from collections.abc import Iterable

from slack_sdk.models.blocks import Block

from bot.blocks.owners import OwnerOffer, offer_blocks
from core.owners import Staleness, find_stale_sources
from core.types import Citation


def build_offer(request_id: str, citations: Iterable[Citation]) -> list[Block]:
    """Return the offer for the first cited source that may be out of date and whose owner can be asked; else none."""
    stale = find_stale_sources(citations)
    if not stale:
        return []
    first = stale[0]
    offer = OwnerOffer(
        document_id=str(first.edition.document_id),
        document_name=first.name,
        owner=first.owner.name_without_address,
        confirmed_on=first.date if first.sign is Staleness.OLD else None,
    )
    return offer_blocks(request_id, offer)
