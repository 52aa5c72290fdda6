"""What a person presses or chooses in messages and views."""

from bot.local.dispatch import send_interaction
from bot.local.features import SHORTCUTS
from bot.local.models import LocalHome, LocalMessage, LocalView, new_response_address
from bot.local.page.changing import changing
from bot.local.page.entered import action_of, state_of
from bot.local.page.modals import open_view
from bot.local.payloads.interactions import message_press, message_shortcut, view_press
from bot.local.shapes import Json
from bot.local.state import find_channel, seen_by
from bot.local.webapi.elements import elements_of
from bot.local.webapi.modals import new_trigger
from core.errors import NotFoundError
from core.models import User

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
        raise NotFoundError("This message is not there any more.")
    return message


def _used(blocks: list[Json], body: Json) -> tuple[Json, Json]:
    """The action of the element that the page names, and what all inputs beside it hold."""
    for block in blocks:
        for element in elements_of(block):
            if (block["block_id"], element.get("action_id", MISSING)) == (body.get("block_id"), body.get("action_id")):
                return action_of(element, block, body.get("given")), state_of(blocks, body.get("values"))
    raise NotFoundError("This button is not there any more.")
