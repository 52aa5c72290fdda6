"""chat.unfurl and entity.presentDetails: what Footnote shows of the links that people post, and which links those are.

Rules after https://docs.slack.dev/reference/methods/chat.unfurl and entity.presentDetails, of which the first is played
for posted messages and for metadata alone.
"""

import html
import re
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import signing

from slack_emulator.models import LocalChannel, LocalDetails, LocalUnfurl
from slack_emulator.shapes import Json
from slack_emulator.webapi.calls import Call, RefusedCallError
from slack_emulator.webapi.views import TRIGGER_SALT, TRIGGER_SECONDS

ENTITY_TYPES = frozenset(f"slack#/entities/{kind}" for kind in ("content_item", "file", "incident", "item", "task"))
STATUSES = frozenset(
    {"restricted", "internal_error", "not_found", "custom", "custom_partial_view", "timeout", "edit_error"}
)
_LINK = re.compile(r"https?://[^\s<>|]+")


def list_links(text: str) -> list[str]:
    """Return the links of a message, as they were typed, to the host of PUBLIC_URL; none without one."""
    own = urlsplit(settings.PUBLIC_URL).hostname if settings.PUBLIC_URL else None
    found = [html.unescape(link) for link in _LINK.findall(text)]
    return [link for link in found if own and _find_host(link) == own]


def _find_host(link: str) -> str | None:
    try:
        return urlsplit(link).hostname
    except ValueError:
        return None


def unfurl(call: Call) -> Json:
    """Put cards below a message; those of a later call take the place of the earlier ones."""
    for argument in ("channel", "ts"):
        if not call.read_text(argument):
            raise RefusedCallError(f"missing_{argument}")
    channel = LocalChannel.objects.filter(channel_id=call.read_text("channel")).first()
    if channel is None:
        raise RefusedCallError("cannot_find_channel")
    message = channel.messages.filter(ts=call.read_text("ts"), only_for=None).first()
    if message is None:
        raise RefusedCallError("cannot_find_message")
    metadata = call.read_structure("metadata", "invalid_metadata_format") or {}
    entities = metadata.get("entities") if isinstance(metadata, dict) else None
    if not isinstance(entities, list) or not entities:
        raise RefusedCallError("missing_unfurls")
    for entity in entities:
        _check_entity(entity)
        if entity.get("app_unfurl_url") not in list_links(message.text):
            raise RefusedCallError("cannot_unfurl_url")
    LocalUnfurl.objects.update_or_create(message=message, defaults={"entities": entities})
    return {}


def present_details(call: Call) -> Json:
    """Show a person the card that they opened, or why it cannot be shown, within Slack's three seconds."""
    trigger_id = call.read_required("trigger_id")
    opened = LocalDetails.objects.filter(trigger_id=trigger_id).first()
    try:
        signing.loads(trigger_id, salt=TRIGGER_SALT, max_age=TRIGGER_SECONDS)
    except signing.BadSignature as error:
        raise RefusedCallError("invalid_trigger_id") from error
    if opened is None:
        raise RefusedCallError("invalid_trigger_id")
    metadata = call.read_structure("metadata", "invalid_metadata")
    problem = call.read_structure("error", "invalid_arguments")
    if metadata is not None:
        _check_entity(metadata)
        if metadata["external_ref"]["id"] != opened.ref:
            raise RefusedCallError("entity_metadata_does_not_match_trigger")
        opened.content = {"metadata": metadata}
    elif isinstance(problem, dict) and problem.get("status") in STATUSES:
        opened.content = {"error": problem}
    else:
        raise RefusedCallError("invalid_arguments", "[ERROR] neither metadata nor an error with a known status")
    opened.save(update_fields=["content"])
    return {}


def _check_entity(entity: Any) -> None:
    """Raise RefusedCallError for what lacks a part that Slack's schema requires."""
    try:
        parts = (entity["entity_payload"]["attributes"]["title"]["text"], entity["external_ref"]["id"], entity["url"])
        is_whole = entity["entity_type"] in ENTITY_TYPES and all(isinstance(part, str) and part for part in parts)
    except (KeyError, TypeError) as error:
        raise RefusedCallError("invalid_metadata") from error
    if not is_whole:
        raise RefusedCallError("invalid_metadata")
