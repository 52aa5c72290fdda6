"""Build the card of the document that a link leads to: decided for exactly those who will see it."""

from bot.blocks.entities import Card
from core import api
from core.errors import NotFoundError
from core.infrastructure.public_address import OpenedPlace, build_citation_address, build_document_address
from core.types import Audience
from core.values.document_views import OpenedDocument


def find_card(place: OpenedPlace, *, audience: Audience, collections: frozenset[str] = frozenset()) -> Card:
    """Return what everyone in the audience may be shown of a document, or of a citation in it.

    collections: names of those to which it is kept; without any, all.

    NotFoundError where one of them may not read that edition, and where there is none.
    """
    if place.kind == "citation":
        opened = api.open_citation(place.id, audience=audience)
    else:
        opened = api.open_document(place.id, audience=audience)
    if collections and opened.collection not in collections:
        raise NotFoundError
    return _build_card(place, opened)


def _build_card(place: OpenedPlace, opened: OpenedDocument) -> Card:
    quoted = next((part for part in opened.parts if part.mark), None)
    is_citation = place.kind == "citation"
    return Card(
        ref=build_ref(place),
        url=build_citation_address(place.id) if is_citation else build_document_address(place.id),
        title=opened.name,
        day=opened.document_date,
        source_url=opened.source_url,
        section=(quoted.section or quoted.chapter) if quoted else "",
        page_number=opened.page_number if quoted else None,
        # Only while it stands in the document: a quote of an earlier edition says nothing of what opens.
        quote=quoted.text[slice(*quoted.mark)] if quoted and quoted.mark else "",
    )


def build_ref(place: OpenedPlace) -> str:
    """Return the name under which Slack tells of it again."""
    return f"{place.kind}-{place.id}"
