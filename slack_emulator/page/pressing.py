"""Handle what a person presses: elements of messages and views, shortcuts, cards, and a modal's own buttons."""

from django.conf import settings
from django.db import transaction

from core.errors import NotFoundError
from core.models import User
from slack_emulator.accounts import find_slack_id
from slack_emulator.dispatch import UndeliveredError, send_event, send_interaction
from slack_emulator.features import REACT, list_shortcuts
from slack_emulator.models import LocalDetails, LocalHome, LocalMessage, LocalView, create_response_address, list_views
from slack_emulator.page.changing import build_view, read_browser
from slack_emulator.page.entered import build_action, build_state, find_problems
from slack_emulator.page.shown import find_channel, select_seen
from slack_emulator.payloads.events import build_details_requested, build_reaction_added
from slack_emulator.payloads.interactions import (
    build_message_press,
    build_message_shortcut,
    build_view_closed,
    build_view_press,
    build_view_submission,
)
from slack_emulator.shapes import Json
from slack_emulator.webapi.calls import RefusedCallError
from slack_emulator.webapi.elements import list_elements
from slack_emulator.webapi.views import Trigger, change_view, check_view, create_trigger, stack_view

MISSING = object()  # small print has no action_id


@build_view
def press(person: User, body: Json) -> Json:
    """Use an element of a message or a view. What it carries comes from what is stored, not from the page."""
    if body.get("view_id"):
        view, below = _find_view(person, body)
        action, state = _use_element(view.content["blocks"], body, find_slack_id(person))
        trigger_id = create_trigger(person, read_browser(body))
        send_interaction(build_view_press(view, below, person, action, state=state, trigger_id=trigger_id))
        return {}
    message = _find_message(person, str(body.get("channel", "")), str(body.get("ts", "")))
    action, state = _use_element(message.blocks, body, find_slack_id(person))
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


def _find_view(person: User, body: Json) -> tuple[LocalView | LocalHome, list[LocalView]]:
    """Return the view of that id if the person sees it, and those below it."""
    home = LocalHome.objects.filter(user=person, view_id=str(body["view_id"])).first()
    return (home, []) if home else _find_open_view(person, body)


def _find_message(person: User, channel_id: str, ts: str) -> LocalMessage:
    channel = find_channel(person, channel_id)
    message = select_seen(person, channel).filter(ts=ts).first() if channel else None
    if message is None:
        raise NotFoundError("This message no longer exists.")
    return message


def _use_element(blocks: list[Json], body: Json, slack_id: str) -> tuple[Json, Json]:
    """Return the action of the element that the page names, and what all inputs beside it hold.

    slack_id: who uses it.
    """
    for block in blocks:
        for element in list_elements(block):
            if slack_id not in (element.get("visible_to_user_ids") or [slack_id]):
                continue
            if (block["block_id"], element.get("action_id", MISSING)) == (body.get("block_id"), body.get("action_id")):
                return build_action(element, block, body.get("given")), build_state(blocks, body.get("values"))
    raise NotFoundError("This button no longer exists.")


@build_view
def submit_view(person: User, body: Json) -> Json:
    """Send what was entered, and do with the modal what the acknowledgement says. Errors come back by block_id."""
    view, below = _find_open_view(person, body)
    blocks = view.content["blocks"]
    state = build_state(blocks, body.get("values"))
    problems = find_problems(blocks, state)
    if problems:
        return {"errors": problems}
    trigger_id = create_trigger(person, read_browser(body))
    answered = send_interaction(build_view_submission(view, below, person, state=state, trigger_id=trigger_id)).body
    if answered.get("response_action") == "errors":
        return {"errors": _check_errors(answered.get("errors"), blocks)}
    try:
        _follow_response(view, answered, trigger_id)
    except RefusedCallError as refusal:
        raise UndeliveredError(f"Footnote's response cannot be shown: {refusal.code}.") from refusal
    return {}


@build_view
def close_view(person: User, body: Json) -> Json:
    """Close the modal; those below it as well when it says so."""
    view, below = _find_open_view(person, body)
    is_cleared = bool(view.content.get("clear_on_close"))
    _close_views([*below, view] if is_cleared else [view])
    if view.content.get("notify_on_close"):
        send_interaction(build_view_closed(view, below, person, is_cleared=is_cleared))
    return {}


def _find_open_view(person: User, body: Json) -> tuple[LocalView, list[LocalView]]:
    """Return the modal that the person sees in their browser, if it is what the page names, and those below it."""
    views = list_views(person, read_browser(body))
    if not views or views[-1].view_id != str(body.get("view_id", "")):
        raise NotFoundError("This window is already closed.")
    return views[-1], views[:-1]


@transaction.atomic
def _follow_response(view: LocalView, answered: Json, trigger_id: str) -> None:
    action = answered.get("response_action")
    if action == "update":
        change_view(view, check_view(answered.get("view")))
    elif action == "push":
        trigger = Trigger(trigger_id=trigger_id, user=view.user, browser=view.browser)
        stack_view(trigger, check_view(answered.get("view")))
    elif action == "clear":
        _close_views(list_views(view.user, view.browser))
    else:
        _close_views([view])


def _close_views(views: list[LocalView]) -> None:
    LocalView.objects.filter(pk__in=[view.pk for view in views]).delete()


def _check_errors(errors: Json | None, blocks: list[Json]) -> Json:
    """Return the errors, each of which must belong to an input of the modal."""
    inputs = {block["block_id"] for block in blocks if block["type"] == "input"}
    if not errors or not set(errors) <= inputs:
        raise UndeliveredError("Footnote's response names fields that this window does not have.")
    return errors
