"""The views.* methods for modals."""

import secrets
from typing import Any

from django.core import signing
from django.db import transaction

from core.models import User
from slack_emulator.accounts import find_person, slack_id
from slack_emulator.models import MOST_VIEWS, LocalView, views_of
from slack_emulator.shapes import Json, view_shape
from slack_emulator.webapi.blocks import checked_blocks
from slack_emulator.webapi.calls import Call, RefusedCallError
from slack_emulator.webapi.elements import problem
from slack_emulator.webapi.view_content import COMMON_KEYS, problems_of, typed

TRIGGER_SECONDS = 3  # Slack's own: a click that is answered later cannot open a modal
TRIGGER_SALT = "slack_emulator.trigger"
TITLE_LIMIT = 24
KEYS = COMMON_KEYS | {"title", "close", "submit", "clear_on_close", "notify_on_close", "submit_disabled"}


def new_trigger(user: User) -> str:
    """The right to open one modal before this person within TRIGGER_SECONDS."""
    return signing.dumps([slack_id(user), secrets.token_hex(4)], salt=TRIGGER_SALT)


@transaction.atomic
def views_open(call: Call) -> Json:
    """Open a modal before the person whose click gave the trigger, in place of those that are open."""
    trigger_id, user = _spent_trigger(call)
    content = _content(call)
    LocalView.objects.filter(user=user).delete()
    return {"view": view_shape(stack_view(user, content, trigger_id=trigger_id))}


@transaction.atomic
def views_push(call: Call) -> Json:
    """Open a modal above the one that the person's click came from."""
    trigger_id, user = _spent_trigger(call)
    below = views_of(user)
    if not below:
        raise RefusedCallError("not_found")
    return {"view": view_shape(stack_view(user, _content(call), trigger_id=trigger_id), below)}


def views_update(call: Call) -> Json:
    """Change an open modal, unless it changed since the caller saw it."""
    view = _named(call)
    if view is None:
        raise RefusedCallError("not_found")
    if call.text("hash") not in {"", view.hash}:
        raise RefusedCallError("hash_conflict")
    change_view(view, _content(call))
    return {"view": view_shape(view, [other for other in views_of(view.user) if other.depth < view.depth])}


def stack_view(user: User, content: Json, *, trigger_id: str) -> LocalView:
    """Show a modal above those that are open. RefusedCallError when there are as many as Slack allows."""
    depth = LocalView.objects.filter(user=user).count()
    if depth == MOST_VIEWS:
        raise RefusedCallError("push_limit_reached")
    _refuse_known_external_id(content)
    return LocalView.objects.create(
        view_id=f"V{secrets.token_hex(5).upper()}",
        user=user,
        depth=depth,
        trigger_id=trigger_id,
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


def checked_view(view: Any) -> Json:
    """A modal's content. RefusedCallError says what Slack would object to."""
    content = typed(view, "modal")
    problems = problems_of(content, KEYS)
    problems += [
        problem(f"needs plain_text of 1 to {TITLE_LIMIT} characters", f"/view/{part}")
        for part in ("title", "submit", "close")
        if (part in content or part == "title") and not _is_short_text(content.get(part))
    ]
    blocks = checked_blocks(content.get("blocks"), surface="modal")
    if "submit" not in content and any(block["type"] == "input" for block in blocks):
        problems.append(problem("a modal with input blocks needs a submit button", "/view/submit"))
    if problems:
        raise RefusedCallError("invalid_arguments", *problems)
    return {**content, "blocks": blocks}


def _content(call: Call) -> Json:
    return checked_view(call.structure("view", "invalid_arguments"))


def _named(call: Call) -> LocalView | None:
    if call.text("external_id"):
        return LocalView.objects.filter(content__external_id=call.text("external_id")).first()
    return LocalView.objects.filter(view_id=call.required("view_id")).first()


def _refuse_known_external_id(content: Json) -> None:
    external_id = content.get("external_id")
    if external_id and LocalView.objects.filter(content__external_id=external_id).exists():
        raise RefusedCallError("duplicate_external_id")


def _spent_trigger(call: Call) -> tuple[str, User]:
    trigger_id = call.required("trigger_id")
    try:
        user_id, _nonce = signing.loads(trigger_id, salt=TRIGGER_SALT, max_age=TRIGGER_SECONDS)
    except signing.SignatureExpired as error:
        raise RefusedCallError("expired_trigger_id") from error
    except signing.BadSignature as error:
        raise RefusedCallError("invalid_trigger_id") from error
    user = find_person(user_id)
    if user is None:
        raise RefusedCallError("invalid_trigger_id")
    if LocalView.objects.filter(trigger_id=trigger_id).exists():
        raise RefusedCallError("exchanged_trigger_id")
    return trigger_id, user


def _is_short_text(text: Any) -> bool:
    return (
        isinstance(text, dict)
        and text.get("type") == "plain_text"
        and 0 < len(str(text.get("text", ""))) <= TITLE_LIMIT
    )
