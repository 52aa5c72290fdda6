"""Handle buttons and choices in messages and views."""

from django.conf import settings

from core.errors import NotFoundError
from core.models import User
from slack_emulator.accounts import find_slack_id
from slack_emulator.dispatch import send_event, send_interaction
from slack_emulator.features import REACT, list_shortcuts
from slack_emulator.models import LocalHome, LocalMessage, LocalView, create_response_address
from slack_emulator.page.changing import build_view, read_browser
from slack_emulator.page.entered import build_action, build_state
from slack_emulator.page.modals import open_view
from slack_emulator.payloads.events import build_reaction_added
from slack_emulator.payloads.interactions import build_message_press, build_message_shortcut, build_view_press
from slack_emulator.shapes import Json
from slack_emulator.state import find_channel, select_seen
from slack_emulator.webapi.elements import list_elements
from slack_emulator.webapi.modals import create_trigger

MISSING = object()  # small print has no action_id


@build_view
def press(person: User, body: Json) -> Json:
    """Use an element of a message or a view. What it carries comes from what is stored, not from the page."""
    if body.get("view_id"):
        view, below = _find_view(person, body)
        action, state = _use(view.content["blocks"], body, find_slack_id(person))
        trigger_id = create_trigger(person, read_browser(body))
        send_interaction(build_view_press(view, below, person, action, state=state, trigger_id=trigger_id))
        return {}
    message = _find_message(person, str(body.get("channel", "")), str(body.get("ts", "")))
    action, state = _use(message.blocks, body, find_slack_id(person))
    address = create_response_address(person, message.channel, message)
    payload = build_message_press(
        message, person, action, state=state, trigger_id=create_trigger(person, read_browser(body)), address=address
    )
    send_interaction(payload)
    return {}


@build_view
def use_shortcut(person: User, body: Json) -> Json:
    """Choose one of the app's shortcuts in the menu at a message, or react. Slack offers none at ephemeral messages."""
    message = _find_message(person, str(body.get("channel", "")), str(body.get("ts", "")))
    callback_id = body.get("callback_id")
    if message.only_for or callback_id not in {shortcut["callback_id"] for shortcut in list_shortcuts()}:
        raise NotFoundError("There is no such shortcut here.")
    if callback_id == REACT:
        send_event(build_reaction_added(message, person, str(settings.SLACK_ASK_EMOJI)))
        return {}
    address = create_response_address(person, message.channel, message)
    trigger_id = create_trigger(person, read_browser(body))
    send_interaction(build_message_shortcut(message, person, str(callback_id), trigger_id=trigger_id, address=address))
    return {}


def _find_view(person: User, body: Json) -> tuple[LocalView | LocalHome, list[LocalView]]:
    """The view of that id if the person sees it, and those below it."""
    home = LocalHome.objects.filter(user=person, view_id=str(body["view_id"])).first()
    return (home, []) if home else open_view(person, body)


def _find_message(person: User, channel_id: str, ts: str) -> LocalMessage:
    channel = find_channel(person, channel_id)
    message = select_seen(person, channel).filter(ts=ts).first() if channel else None
    if message is None:
        raise NotFoundError("This message no longer exists.")
    return message


def _use(blocks: list[Json], body: Json, slack_id: str) -> tuple[Json, Json]:
    """The action of the element that the page names, and what all inputs beside it hold. slack_id: who uses it."""
    for block in blocks:
        for element in list_elements(block):
            if slack_id not in (element.get("visible_to_user_ids") or [slack_id]):
                continue
            if (block["block_id"], element.get("action_id", MISSING)) == (body.get("block_id"), body.get("action_id")):
                return build_action(element, block, body.get("given")), build_state(blocks, body.get("values"))
    raise NotFoundError("This button no longer exists.")
