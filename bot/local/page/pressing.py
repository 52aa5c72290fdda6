"""What a person presses or chooses in messages and views."""

from bot.local.dispatch import send_interaction
from bot.local.models import LocalMessage, new_response_address
from bot.local.page.changing import changing
from bot.local.page.entered import action_of, state_of
from bot.local.page.modals import open_view
from bot.local.payloads.interactions import message_press, view_press
from bot.local.shapes import Json
from bot.local.state import find_channel, seen_by
from bot.local.webapi.elements import elements_of
from bot.local.webapi.modals import new_trigger
from core.errors import NotFoundError
from core.models import User


@changing
def press(person: User, body: Json) -> Json:
    """Use an element of a message or a view. What it carries comes from what is stored, not from the page."""
    if body.get("view_id"):
        view, below = open_view(person, str(body["view_id"]))
        action, state = _used(view.content["blocks"], body)
        send_interaction(view_press(view, below, person, action, state=state, trigger_id=new_trigger(person)))
        return {}
    message = _message(person, str(body.get("channel", "")), str(body.get("ts", "")))
    action, state = _used(message.blocks, body)
    address = new_response_address(person, message.channel, message)
    payload = message_press(message, person, action, state=state, trigger_id=new_trigger(person), address=address)
    send_interaction(payload)
    return {}


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
            if (block["block_id"], element.get("action_id")) == (body.get("block_id"), body.get("action_id")):
                return action_of(element, block, body.get("given")), state_of(blocks, body.get("values"))
    raise NotFoundError("This button is not there any more.")
