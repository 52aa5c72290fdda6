"""What a person presses."""

from typing import Any

from bot.local.dispatch import send_interaction
from bot.local.models import LocalMessage, LocalView, new_response_address
from bot.local.page.changing import changing
from bot.local.payloads.interactions import message_press, pressed, view_closed, view_press
from bot.local.shapes import Json
from bot.local.state import find_channel, seen_by
from bot.local.webapi.modals import new_trigger
from core.errors import NotFoundError
from core.models import User


@changing
def press(person: User, body: Json) -> Json:
    """Press a button of a message or a modal. What it carries comes from what is stored, not from the page."""
    if body.get("view_id"):
        view = _open_view(person, str(body["view_id"]))
        action = _action(view.content["blocks"], body)
        send_interaction(view_press(view, person, action, trigger_id=new_trigger(person)))
    else:
        message = _message(person, str(body.get("channel", "")), str(body.get("ts", "")))
        action = _action(message.blocks, body)
        address = new_response_address(person, message.channel, message)
        payload = message_press(message, person, action, trigger_id=new_trigger(person), address=address)
        send_interaction(payload)
    return {}


@changing
def close_view(person: User, body: Json) -> Json:
    """Close the modal."""
    view = _open_view(person, str(body.get("view_id", "")))
    view.delete()
    if view.content.get("notify_on_close"):
        send_interaction(view_closed(view, person))
    return {}


def _message(person: User, channel_id: str, ts: str) -> LocalMessage:
    channel = find_channel(person, channel_id)
    message = seen_by(person, channel).filter(ts=ts).first() if channel else None
    if message is None:
        raise NotFoundError("This message is not there any more.")
    return message


def _open_view(person: User, view_id: str) -> LocalView:
    view = LocalView.objects.filter(user=person, view_id=view_id).first()
    if view is None:
        raise NotFoundError("This window is closed already.")
    return view


def _action(blocks: list[Json], body: Json) -> Json:
    """The action of the element that the page names; of a pair of feedback buttons, it also says which."""
    for block in blocks:
        if block["block_id"] != body.get("block_id"):
            continue
        candidates: list[Any] = [block.get("accessory"), *(block.get("elements") or [])]
        for element in candidates:
            if isinstance(element, dict) and element.get("action_id") == body.get("action_id"):
                return pressed(element, block, _value(element, str(body.get("choice", ""))))
    raise NotFoundError("This button is not there any more.")


def _value(element: Json, choice: str) -> str:
    if element["type"] == "feedback_buttons":
        return str(element["positive_button" if choice == "positive" else "negative_button"]["value"])
    return str(element.get("value", ""))
