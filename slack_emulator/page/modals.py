"""Handle a modal as a whole: a person submits it, or closes it."""

from django.db import transaction

from core.errors import NotFoundError
from core.models import User
from slack_emulator.dispatch import UndeliveredError, send_interaction
from slack_emulator.models import LocalView, list_views
from slack_emulator.page.changing import build_view, read_browser
from slack_emulator.page.entered import build_state, find_problems
from slack_emulator.payloads.interactions import build_view_closed, build_view_submission
from slack_emulator.shapes import Json
from slack_emulator.webapi.calls import RefusedCallError
from slack_emulator.webapi.modals import Trigger, change_view, check_view, create_trigger, stack_view


@build_view
def submit_view(person: User, body: Json) -> Json:
    """Send what was entered, and do with the modal what the acknowledgement says. Errors come back by block_id."""
    view, below = open_view(person, body)
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
        _follow(view, answered, trigger_id)
    except RefusedCallError as refusal:
        raise UndeliveredError(f"Footnote's response cannot be shown: {refusal.code}.") from refusal
    return {}


@build_view
def close_view(person: User, body: Json) -> Json:
    """Close the modal; those below it as well when it says so."""
    view, below = open_view(person, body)
    is_cleared = bool(view.content.get("clear_on_close"))
    _close([*below, view] if is_cleared else [view])
    if view.content.get("notify_on_close"):
        send_interaction(build_view_closed(view, below, person, is_cleared=is_cleared))
    return {}


def open_view(person: User, body: Json) -> tuple[LocalView, list[LocalView]]:
    """The modal that the person sees in their browser, if it is the one that the page names, and those below it."""
    views = list_views(person, read_browser(body))
    if not views or views[-1].view_id != str(body.get("view_id", "")):
        raise NotFoundError("This window is already closed.")
    return views[-1], views[:-1]


@transaction.atomic
def _follow(view: LocalView, answered: Json, trigger_id: str) -> None:
    action = answered.get("response_action")
    if action == "update":
        change_view(view, check_view(answered.get("view")))
    elif action == "push":
        trigger = Trigger(trigger_id=trigger_id, user=view.user, browser=view.browser)
        stack_view(trigger, check_view(answered.get("view")))
    elif action == "clear":
        _close(list_views(view.user, view.browser))
    else:
        _close([view])


def _close(views: list[LocalView]) -> None:
    LocalView.objects.filter(pk__in=[view.pk for view in views]).delete()


def _check_errors(errors: Json | None, blocks: list[Json]) -> Json:
    """The errors, each of which must belong to an input of the modal."""
    inputs = {block["block_id"] for block in blocks if block["type"] == "input"}
    if not errors or not set(errors) <= inputs:
        raise UndeliveredError("Footnote's response names fields that this window does not have.")
    return errors
