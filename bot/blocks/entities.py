"""A document as a Work Object: the card below a message with a link, and what is beside it when it is opened.

Shapes after https://docs.slack.dev/messaging/work-objects-implementation, by the classes of slack_sdk.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from slack_sdk.models.metadata import (
    ContentItemEntityFields,
    EntityAttributes,
    EntityCustomField,
    EntityMetadata,
    EntityPayload,
    EntityStringField,
    EntityTitle,
    ExternalRef,
)

from bot.blocks.streaming import make_inert
from bot.blocks.text import shorten
from core.language.i18n.translation import number, say

ENTITY_TYPE = "slack#/entities/content_item"
PRODUCT = "Footnote"
# Slack's reference tells no limits of a field; these are what a card can show at a glance.
_TITLE_LIMIT = 300  # characters
_SECTION_LIMIT = 100
_QUOTE_LIMIT = 600
_URL_LIMIT = 2000  # longer addresses are left out


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """Holds the details of a document, perhaps at a passage, for a card."""

    ref: str  # its name among all Work Objects of ours
    url: str  # where it is opened
    title: str
    day: dt.date | None  # the document's date
    source_url: str  # where it comes from; empty if that is no address
    section: str = ""  # of the passage
    page_number: int | None = None  # of the passage
    quote: str = ""  # the passage, word for word


def build_entity(card: Card, *, modified_at: int, posted_as: str = "") -> dict[str, Any]:
    """Return the metadata of one Work Object.

    modified_at: the second since 1970 from which Slack tells which of two states is newer. posted_as: the link exactly
    as it stands in a message, for a card below that.
    """
    title = EntityTitle(text=_cut_text(card.title, _TITLE_LIMIT) or say("Untitled document"))
    fields = _list_fields(card)
    order = (["description"] if card.quote else []) + [str(field.key) for field in fields]
    description = None
    if card.quote:
        quote = EntityStringField(label=say("Quote"), value=_cut_text(card.quote, _QUOTE_LIMIT), long=True)
        description = ContentItemEntityFields(description=quote)
    payload = EntityPayload(
        attributes=EntityAttributes(
            title=title,
            display_type=say("Document"),
            product_name=PRODUCT,
            metadata_last_modified=modified_at,
        ),
        fields=description,
        custom_fields=list(fields) or None,
        display_order=order or None,
    )
    return dict(
        EntityMetadata(
            entity_type=ENTITY_TYPE,
            entity_payload=payload,
            external_ref=ExternalRef(id=card.ref),
            url=card.url,
            app_unfurl_url=posted_as or None,
        ).to_dict()
    )


def _list_fields(card: Card) -> list[EntityCustomField]:
    """List the fields that a content item of Slack's does not have by itself, those without a value left out."""
    shown: list[EntityCustomField] = []
    if card.section:
        section = _cut_text(card.section, _SECTION_LIMIT)
        shown.append(EntityCustomField(key="section", label=say("Section"), type="string", value=section))
    if card.page_number is not None:
        page = number(card.page_number)
        shown.append(EntityCustomField(key="page", label=say("Page"), type="string", value=page))
    if card.day:
        day = card.day.isoformat()
        shown.append(EntityCustomField(key="day", label=say("Date"), type="slack#/types/date", value=day))
    if _is_web_page(card.source_url):
        shown.append(
            EntityCustomField(key="source", label=say("Source"), type="slack#/types/link", value=card.source_url)
        )
    return shown


def _cut_text(text: str, limit: int) -> str:
    """Put text on one line that mentions nobody and links nowhere, an ellipsis in place of what is left out."""
    line = " ".join(text.replace("\x00", "").split())
    return make_inert(shorten(line, limit))


def _is_web_page(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and len(url) <= _URL_LIMIT
