"""The page and what its script calls. Whoever sits at this machine may be any of the people: it is a stage."""

import json
import re
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import conditional_page, require_GET, require_POST

from bot.local.accounts import BOT_NAME, find_person, people, slack_id
from bot.local.dispatch import UndeliveredError, send_event, send_interaction
from bot.local.guard import View, local_only
from bot.local.models import LocalMessage, LocalView, add_message
from bot.local.payloads import message_action, message_events, pressed, view_action, view_closed
from bot.local.shapes import Json
from bot.local.state import find_channel, page_state, people_shapes, seen_by
from bot.local.webapi.modals import new_trigger
from bot.workspace import LOCAL_BOT_USER_ID
from core.errors import FootnoteError, NotFoundError
from core.models import User

LONGEST_MESSAGE = 12_000
# Nothing from elsewhere and no script but the page's own: what the messages say is text, whatever it looks like.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)


class InvalidRequestError(FootnoteError):
    """The page sent something that cannot be used: reload it."""


@local_only
@require_GET
@ensure_csrf_cookie
def page(request: HttpRequest) -> HttpResponse:
    """The page; its script fetches the rest."""
    response = render(request, "local/page.html", {"has_people": people().exists()})
    response["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    return response


@local_only
@require_GET
@conditional_page
def state(request: HttpRequest) -> JsonResponse:
    """What the person sees, with an ETag so that an unchanged state costs the page nothing. Without one: the people."""
    person = find_person(request.GET.get("as", ""))
    if person is None:
        return JsonResponse({"people": people_shapes()})
    shown = page_state(person, channel_id=request.GET.get("channel", ""), thread_ts=request.GET.get("thread", ""))
    return JsonResponse(shown)


Change = Callable[[User, Json], Json]


def _changing(change: Change) -> View:
    """A view for a POST with a JSON body that says as whom; errors become a message for the person."""

    @local_only
    @require_POST
    def view(request: HttpRequest) -> JsonResponse:
        try:
            body = _json(request.body)
            person = find_person(str(body.get("as", "")))
            if person is None:
                raise NotFoundError("This person is not in the workspace any more: choose another.")
            return JsonResponse(change(person, body))
        except UndeliveredError as error:
            return JsonResponse({"error": error.message}, status=502)
        except NotFoundError as error:
            return JsonResponse({"error": error.message}, status=404)
        except InvalidRequestError as error:
            return JsonResponse({"error": error.message}, status=400)

    return view


@_changing
def post(person: User, body: Json) -> Json:
    """Say something in a channel or thread, and tell Footnote."""
    channel = find_channel(person, str(body.get("channel", "")))
    if channel is None:
        raise NotFoundError("There is no such channel.")
    text = str(body.get("text", "")).strip()
    if not 0 < len(text) <= LONGEST_MESSAGE:
        raise InvalidRequestError(f"A message needs between 1 and {LONGEST_MESSAGE:,} characters.")
    thread_ts = str(body.get("thread_ts") or "")
    if thread_ts and not seen_by(person, channel).filter(ts=thread_ts, thread_ts="").exists():
        raise NotFoundError("There is no such thread.")
    message = add_message(channel, author=person, thread_ts=thread_ts, text=as_sent(text))
    try:
        for envelope in message_events(message, person):
            send_event(envelope)
    except UndeliveredError as error:
        return {"ts": message.ts, "undelivered": error.message}  # it stands in the channel all the same
    return {"ts": message.ts}


@_changing
def press(person: User, body: Json) -> Json:
    """Press a button of a message or a modal. What it carries comes from what is stored, not from the page."""
    if body.get("view_id"):
        view = _open_view(person, str(body["view_id"]))
        action = _action(view.content["blocks"], body)
        send_interaction(view_action(view, person, action, new_trigger(person)))
    else:
        message = _message(person, str(body.get("channel", "")), str(body.get("ts", "")))
        action = _action(message.blocks, body)
        send_interaction(message_action(message, person, action, new_trigger(person)))
    return {}


@_changing
def close_view(person: User, body: Json) -> Json:
    """Close the modal."""
    view = _open_view(person, str(body.get("view_id", "")))
    view.delete()
    if view.content.get("notify_on_close"):
        send_interaction(view_closed(view, person))
    return {}


def as_sent(text: str) -> str:
    """Typed text as Slack sends it: special characters as entities, names after an @ as references to accounts."""
    for char, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(char, entity)
    names = {BOT_NAME.casefold(): LOCAL_BOT_USER_ID}
    names |= {user.display_name.casefold(): slack_id(user) for user in people() if user.display_name}
    longest_first = sorted(names, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)@({'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)
    return pattern.sub(lambda match: f"<@{names[match[1].casefold()]}>", text)


def _json(body: bytes) -> Json:
    try:
        value = json.loads(body)
    except ValueError as error:
        raise InvalidRequestError from error
    if not isinstance(value, dict):
        raise InvalidRequestError
    return value


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
