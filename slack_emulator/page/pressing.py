"""What a person presses or chooses in messages and views."""

from core.errors import NotFoundError
from core.models import User
from slack_emulator.dispatch import send_interaction
from slack_emulator.features import SHORTCUTS
from slack_emulator.models import LocalHome, LocalMessage, LocalView, new_response_address
from slack_emulator.page.changing import changing
from slack_emulator.page.entered import action_of, state_of
from slack_emulator.page.modals import open_view
from slack_emulator.payloads.interactions import message_press, message_shortcut, view_press
from slack_emulator.shapes import Json
from slack_emulator.state import find_channel, seen_by
from slack_emulator.webapi.elements import elements_of
from slack_emulator.webapi.modals import new_trigger

MISSING = object()  # small print has no action_id


@changing
def press(person: User, body: Json) -> Json:
    """Use an element of a message or a view. What it carries comes from what is stored, not from the page."""
    if body.get("view_id"):
        view, below = _view(person, str(body["view_id"]))
        action, state = _used(view.content["blocks"], body)
        send_interaction(view_press(view, below, person, action, state=state, trigger_id=new_trigger(person)))
        return {}
    message = _message(person, str(body.get("channel", "")), str(body.get("ts", "")))
    action, state = _used(message.blocks, body)
    address = new_response_address(person, message.channel, message)
    payload = message_press(message, person, action, state=state, trigger_id=new_trigger(person), address=address)
    send_interaction(payload)
    return {}


@changing
def use_shortcut(person: User, body: Json) -> Json:
    """Choose one of the app's shortcuts in the menu at a message. Slack offers none at ephemeral messages."""
    message = _message(person, str(body.get("channel", "")), str(body.get("ts", "")))
    callback_id = body.get("callback_id")
    if message.only_for or callback_id not in {shortcut["callback_id"] for shortcut in SHORTCUTS}:
        raise NotFoundError("There is no such shortcut here.")
    address = new_response_address(person, message.channel, message)
    send_interaction(
        message_shortcut(message, person, str(callback_id), trigger_id=new_trigger(person), address=address)
    )
    return {}


def _view(person: User, view_id: str) -> tuple[LocalView | LocalHome, list[LocalView]]:
    """The view of that id if the person sees it, and those below it."""
    home = LocalHome.objects.filter(user=person, view_id=view_id).first()
    return (home, []) if home else open_view(person, view_id)


def _message(person: User, channel_id: str, ts: str) -> LocalMessage:
    channel = find_channel(person, channel_id)
    message = seen_by(person, channel).filter(ts=ts).first() if channel else None
    if message is None:
        raise NotFoundError("This message no longer exists.")
    return message


def _used(blocks: list[Json], body: Json) -> tuple[Json, Json]:
    """The action of the element that the page names, and what all inputs beside it hold."""
    for block in blocks:
        for element in elements_of(block):
            if (block["block_id"], element.get("action_id", MISSING)) == (body.get("block_id"), body.get("action_id")):
                return action_of(element, block, body.get("given")), state_of(blocks, body.get("values"))
    raise NotFoundError("This button no longer exists.")
