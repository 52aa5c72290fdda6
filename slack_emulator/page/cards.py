"""Handle the card of a link, and the channel that is open beside the messages with Footnote."""

from core.errors import NotFoundError
from core.models import User
from slack_emulator import features
from slack_emulator.accounts import open_direct_channel
from slack_emulator.dispatch import send_event
from slack_emulator.models import LocalChannel, LocalDetails
from slack_emulator.page.changing import build_view, read_browser
from slack_emulator.payloads.events import build_context_changed, build_details_requested
from slack_emulator.shapes import Json
from slack_emulator.state import find_channel, select_seen
from slack_emulator.webapi.modals import create_trigger


@build_view
def open_details(person: User, body: Json) -> Json:
    """Open a card below a message. What it is comes from what is stored, not from the page."""
    channel = find_channel(person, str(body.get("channel", "")))
    message = select_seen(person, channel).filter(ts=str(body.get("ts", ""))).first() if channel else None
    cards = message.unfurl.entities if message and hasattr(message, "unfurl") else []
    card = next((one for one in cards if one["external_ref"]["id"] == body.get("ref")), None)
    if message is None or card is None:
        raise NotFoundError("There is no such card.")
    trigger_id = create_trigger(person, read_browser(body))
    opened = {"trigger_id": trigger_id, "ref": card["external_ref"]["id"], "content": {}}
    LocalDetails.objects.update_or_create(user=person, defaults=opened)
    send_event(build_details_requested(message, person, card, trigger_id=trigger_id))
    return {}


@build_view
def change_context(person: User, body: Json) -> Json:
    """Open a channel beside the messages with Footnote, or none. Agents get an event."""
    if features.IS_AGENT:
        send_event(build_context_changed(person, open_direct_channel(person), find_beside(person, body)))
    return {}


def find_beside(person: User, body: Json) -> LocalChannel | None:
    """Return the channel that the page says is open beside the messages, if the person is in it."""
    channel = find_channel(person, str(body.get("beside") or ""))
    return None if channel is None or channel.is_im else channel
