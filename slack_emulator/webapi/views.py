"""The views.* methods: modals, and the Home tab."""

import json
import secrets
from dataclasses import dataclass
from typing import Any

from django.core import signing
from django.db import transaction

from core.models import User
from slack_emulator.accounts import find_person, find_slack_id
from slack_emulator.models import MOST_VIEWS, LocalHome, LocalView, list_views
from slack_emulator.shapes import Json, shape_view
from slack_emulator.webapi.blocks import check_blocks
from slack_emulator.webapi.calls import Call, RefusedCallError
from slack_emulator.webapi.elements import describe_problem

TRIGGER_SECONDS = 3  # Slack's own: an interaction that is answered later cannot open a modal
TRIGGER_SALT = "slack_emulator.trigger"
TITLE_LIMIT = 24
# From https://docs.slack.dev/reference/views
METADATA_LIMIT = 3_000
ID_LIMIT = 255
BYTES_LIMIT = 250_000
COMMON_KEYS = frozenset({"type", "blocks", "private_metadata", "callback_id", "external_id"})
KEYS = COMMON_KEYS | {"title", "close", "submit", "clear_on_close", "notify_on_close", "submit_disabled"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Trigger:
    """The right to open one modal, and before whom."""

    trigger_id: str
    user: User
    browser: str  # in which the person did what gave the right


def create_trigger(user: User, browser: str = "") -> str:
    """Create the right to open one modal before this person, in that browser, within TRIGGER_SECONDS."""
    return signing.dumps([find_slack_id(user), browser, secrets.token_hex(4)], salt=TRIGGER_SALT)


@transaction.atomic
def views_open(call: Call) -> Json:
    """Open a modal before the person whose interaction gave the trigger, in place of those that are open."""
    trigger = _spend_trigger(call)
    content = _read_content(call)
    LocalView.objects.filter(user=trigger.user, browser=trigger.browser).delete()
    return {"view": shape_view(stack_view(trigger, content))}


@transaction.atomic
def views_push(call: Call) -> Json:
    """Open a modal above the one that the person's interaction came from."""
    trigger = _spend_trigger(call)
    below = list_views(trigger.user, trigger.browser)
    if not below:
        raise RefusedCallError("not_found")
    return {"view": shape_view(stack_view(trigger, _read_content(call)), below)}


def views_update(call: Call) -> Json:
    """Change an open modal, unless it changed since the caller saw it."""
    view = _find_named_view(call)
    if view is None:
        raise RefusedCallError("not_found")
    if call.read_text("hash") not in {"", view.hash}:
        raise RefusedCallError("hash_conflict")
    change_view(view, _read_content(call))
    return {
        "view": shape_view(view, [other for other in list_views(view.user, view.browser) if other.depth < view.depth])
    }


def stack_view(trigger: Trigger, content: Json) -> LocalView:
    """Show a modal above those that are open. RefusedCallError when there are as many as Slack allows."""
    depth = len(list_views(trigger.user, trigger.browser))
    if depth == MOST_VIEWS:
        raise RefusedCallError("push_limit_reached")
    _refuse_known_external_id(content)
    return LocalView.objects.create(
        view_id=f"V{secrets.token_hex(5).upper()}",
        user=trigger.user,
        browser=trigger.browser,
        depth=depth,
        trigger_id=trigger.trigger_id,
        content=content,
        hash=secrets.token_hex(8),
    )


def change_view(view: LocalView, content: Json) -> None:
    """Show other content in an open modal."""
    if content.get("external_id") != view.content.get("external_id"):
        _refuse_known_external_id(content)
    view.content = content
    view.hash = secrets.token_hex(8)
    view.save(update_fields=["content", "hash"])


def check_view(view: Any) -> Json:
    """Return a modal's content. RefusedCallError says what Slack would object to."""
    content = check_type(view, "modal")
    problems = find_problems(content, KEYS)
    problems += [
        describe_problem(f"needs plain_text of 1 to {TITLE_LIMIT} characters", f"/view/{part}")
        for part in ("title", "submit", "close")
        if (part in content or part == "title") and not _is_short_text(content.get(part))
    ]
    blocks = check_blocks(content.get("blocks"), surface="modal")
    if "submit" not in content and any(block["type"] == "input" for block in blocks):
        problems.append(describe_problem("a modal with input blocks needs a submit button", "/view/submit"))
    if problems:
        raise RefusedCallError("invalid_arguments", *problems)
    return {**content, "blocks": blocks}


def check_type(view: Any, kind: str) -> Json:
    """Return the view, which must be of that kind and not too large."""
    if not isinstance(view, dict) or view.get("type") != kind:
        raise RefusedCallError("invalid_arguments", describe_problem(f'a view of type "{kind}" is needed', "/view"))
    if len(json.dumps(view, ensure_ascii=False).encode()) > BYTES_LIMIT:
        raise RefusedCallError("view_too_large")
    return view


def find_problems(view: Json, keys: frozenset[str]) -> list[str]:
    """Find Slack's objections to the view's own properties. keys: those that it may have."""
    limits = {"private_metadata": METADATA_LIMIT, "callback_id": ID_LIMIT, "external_id": ID_LIMIT}
    return [describe_problem("unknown property", f"/view/{key}") for key in sorted(set(view) - keys)] + [
        describe_problem(f"more than {limit} characters", f"/view/{key}")
        for key, limit in limits.items()
        if len(view.get(key) or "") > limit
    ]


@transaction.atomic
def views_publish(call: Call) -> Json:
    """Show a view on a person's Home tab, unless it changed since the caller saw it."""
    person = find_person(call.read_required("user_id"))
    if person is None:
        raise RefusedCallError("invalid_arguments", "[ERROR] user_id names nobody in this workspace")
    content = check_home(call.read_structure("view", "invalid_arguments"))
    shown = LocalHome.objects.select_for_update(of=("self",)).filter(user=person).first()
    if call.read_text("hash") and (shown is None or call.read_text("hash") != shown.hash):
        raise RefusedCallError("hash_conflict")
    home, _ = LocalHome.objects.update_or_create(
        user=person,
        defaults={"content": content, "hash": secrets.token_hex(8)},
        create_defaults={
            "content": content,
            "hash": secrets.token_hex(8),
            "view_id": f"V{secrets.token_hex(5).upper()}",
        },
    )
    return {"view": shape_view(home)}


def check_home(view: Any) -> Json:
    """Return a Home tab's content. RefusedCallError says what Slack would object to."""
    content = check_type(view, "home")
    problems = find_problems(content, COMMON_KEYS)
    blocks = check_blocks(content.get("blocks"), surface="home")
    if problems:
        raise RefusedCallError("invalid_arguments", *problems)
    return {**content, "blocks": blocks}


def _read_content(call: Call) -> Json:
    return check_view(call.read_structure("view", "invalid_arguments"))


def _find_named_view(call: Call) -> LocalView | None:
    if call.read_text("external_id"):
        return LocalView.objects.filter(content__external_id=call.read_text("external_id")).first()
    return LocalView.objects.filter(view_id=call.read_required("view_id")).first()


def _refuse_known_external_id(content: Json) -> None:
    external_id = content.get("external_id")
    if external_id and LocalView.objects.filter(content__external_id=external_id).exists():
        raise RefusedCallError("duplicate_external_id")


def _spend_trigger(call: Call) -> Trigger:
    trigger_id = call.read_required("trigger_id")
    try:
        user_id, browser, _nonce = signing.loads(trigger_id, salt=TRIGGER_SALT, max_age=TRIGGER_SECONDS)
    except signing.SignatureExpired as error:
        raise RefusedCallError("expired_trigger_id") from error
    except signing.BadSignature as error:
        raise RefusedCallError("invalid_trigger_id") from error
    user = find_person(user_id)
    if user is None:
        raise RefusedCallError("invalid_trigger_id")
    if LocalView.objects.filter(trigger_id=trigger_id).exists():
        raise RefusedCallError("exchanged_trigger_id")
    return Trigger(trigger_id=trigger_id, user=user, browser=browser)


def _is_short_text(text: Any) -> bool:
    return (
        isinstance(text, dict)
        and text.get("type") == "plain_text"
        and 0 < len(str(text.get("text", ""))) <= TITLE_LIMIT
    )
