"""The views.* methods: modals."""

import secrets
from typing import Any

from django.core import signing

from bot.local.accounts import find_person, slack_id
from bot.local.models import LocalView
from bot.local.shapes import Json, view_shape
from bot.local.webapi.blocks import checked_blocks
from bot.local.webapi.calls import Call, RefusedCallError
from core.models import User

TRIGGER_SECONDS = 3  # Slack's own: a click that is answered later cannot open a modal
TRIGGER_SALT = "bot.local.trigger"
TITLE_LIMIT = 24
METADATA_LIMIT = 3_000
KEYS = frozenset(
    {
        "type",
        "title",
        "blocks",
        "close",
        "submit",
        "private_metadata",
        "callback_id",
        "clear_on_close",
        "notify_on_close",
        "external_id",
        "submit_disabled",
    }
)


def new_trigger(user: User) -> str:
    """The right to open one modal before this person within TRIGGER_SECONDS."""
    return signing.dumps([slack_id(user), secrets.token_hex(4)], salt=TRIGGER_SALT)


def views_open(call: Call) -> Json:
    """Open a modal before the person whose click gave the trigger, in place of an open one."""
    trigger_id = call.required("trigger_id")
    user = _user_of(trigger_id)
    if LocalView.objects.filter(trigger_id=trigger_id).exists():
        raise RefusedCallError("exchanged_trigger_id")
    view, _ = LocalView.objects.update_or_create(
        user=user,
        defaults={
            "view_id": f"V{secrets.token_hex(5).upper()}",
            "trigger_id": trigger_id,
            "content": _checked(call),
            "hash": secrets.token_hex(8),
        },
    )
    return {"view": view_shape(view)}


def views_update(call: Call) -> Json:
    """Change an open modal, unless it changed since the caller saw it."""
    view = LocalView.objects.filter(view_id=call.required("view_id")).first()
    if view is None:
        raise RefusedCallError("not_found")
    if call.text("hash") not in {"", view.hash}:
        raise RefusedCallError("hash_conflict")
    change_view(view, _checked(call))
    return {"view": view_shape(view)}


def change_view(view: LocalView, content: dict[str, Any]) -> None:
    """Show other content in an open modal."""
    view.content = content
    view.hash = secrets.token_hex(8)
    view.save(update_fields=["content", "hash"])


def checked_view(view: Any) -> dict[str, Any]:
    """A modal's content. RefusedCallError says what Slack would object to."""
    if not isinstance(view, dict) or view.get("type") != "modal":
        raise RefusedCallError("invalid_arguments", '[ERROR] a view of type "modal" is needed [json-pointer:/view]')
    problems = [f"[ERROR] unknown property [json-pointer:/view/{key}]" for key in sorted(set(view) - KEYS)]
    problems += [
        f"[ERROR] needs plain_text of 1 to {TITLE_LIMIT} characters [json-pointer:/view/{part}]"
        for part in ("title", "submit", "close")
        if (part in view or part == "title") and not _is_short_text(view.get(part))
    ]
    blocks = checked_blocks(view.get("blocks"), surface="modal")
    if "submit" not in view and any(block["type"] == "input" for block in blocks):
        problems.append("[ERROR] a modal with input blocks needs a submit button [json-pointer:/view/submit]")
    if len(view.get("private_metadata", "")) > METADATA_LIMIT:
        problems.append(f"[ERROR] more than {METADATA_LIMIT} characters [json-pointer:/view/private_metadata]")
    if problems:
        raise RefusedCallError("invalid_arguments", *problems)
    return {**view, "blocks": blocks}


def _checked(call: Call) -> dict[str, Any]:
    return checked_view(call.structure("view", "invalid_arguments"))


def _is_short_text(text: Any) -> bool:
    return (
        isinstance(text, dict)
        and text.get("type") == "plain_text"
        and 0 < len(str(text.get("text", ""))) <= TITLE_LIMIT
    )


def _user_of(trigger_id: str) -> User:
    try:
        user_id, _nonce = signing.loads(trigger_id, salt=TRIGGER_SALT, max_age=TRIGGER_SECONDS)
    except signing.SignatureExpired as error:
        raise RefusedCallError("expired_trigger_id") from error
    except signing.BadSignature as error:
        raise RefusedCallError("invalid_trigger_id") from error
    user = find_person(user_id)
    if user is None:
        raise RefusedCallError("invalid_trigger_id")
    return user
