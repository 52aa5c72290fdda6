"""The views.publish method: the Home tab."""

import secrets
from typing import Any

from django.db import transaction

from slack_emulator.accounts import find_person
from slack_emulator.models import LocalHome
from slack_emulator.shapes import Json, shape_view
from slack_emulator.webapi.blocks import check_blocks
from slack_emulator.webapi.calls import Call, RefusedCallError
from slack_emulator.webapi.view_content import COMMON_KEYS, check_type, find_problems


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
    """A Home tab's content. RefusedCallError says what Slack would object to."""
    content = check_type(view, "home")
    problems = find_problems(content, COMMON_KEYS)
    blocks = check_blocks(content.get("blocks"), surface="home")
    if problems:
        raise RefusedCallError("invalid_arguments", *problems)
    return {**content, "blocks": blocks}
