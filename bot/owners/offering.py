"""Offering to ask the owner of a source of an answer that may be out of date."""

from slack_sdk.models.blocks import Block

from bot.blocks.owners import OwnerOffer, offer_blocks
from core.library.owners import Staleness, find_stale_sources
from core.types import Answer


def build_offer(result: Answer) -> list[Block]:
    """Return the offer for a cited source that may be out of date and whose owner can be asked; else none.

    A source that is contradicted comes before one that is only old.
    """
    stale = find_stale_sources(result.citations, result.contradiction)
    if not stale:
        return []
    first = next((source for source in stale if source.sign is Staleness.CONTRADICTED), stale[0])
    offer = OwnerOffer(
        document_id=str(first.edition.document_id),
        document_name=first.name,
        owner=first.owner.name_without_address,
        confirmed_on=first.date if first.sign is Staleness.OLD else None,
        is_contradicted=first.sign is Staleness.CONTRADICTED,
    )
    return offer_blocks(result.request_id, offer)
