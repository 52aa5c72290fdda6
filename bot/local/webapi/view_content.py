"""Refuses the views that Slack would refuse."""

import json
from typing import Any

from bot.local.shapes import Json
from bot.local.webapi.blocks import checked_blocks
from bot.local.webapi.calls import RefusedCallError
from bot.local.webapi.elements import problem

# From https://docs.slack.dev/reference/views
TITLE_LIMIT = 24
METADATA_LIMIT = 3_000
ID_LIMIT = 255
BYTES_LIMIT = 250_000
COMMON_KEYS = frozenset({"type", "blocks", "private_metadata", "callback_id", "external_id"})
MODAL_KEYS = COMMON_KEYS | {"title", "close", "submit", "clear_on_close", "notify_on_close", "submit_disabled"}


def checked_modal(view: Any) -> Json:
    """A modal's content. RefusedCallError says what Slack would object to."""
    content = _typed(view, "modal")
    problems = _problems(content, MODAL_KEYS)
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


def checked_home(view: Any) -> Json:
    """A Home tab's content. RefusedCallError says what Slack would object to."""
    content = _typed(view, "home")
    problems = _problems(content, COMMON_KEYS)
    blocks = checked_blocks(content.get("blocks"), surface="home")
    if problems:
        raise RefusedCallError("invalid_arguments", *problems)
    return {**content, "blocks": blocks}


def _typed(view: Any, kind: str) -> Json:
    if not isinstance(view, dict) or view.get("type") != kind:
        raise RefusedCallError("invalid_arguments", problem(f'a view of type "{kind}" is needed', "/view"))
    if len(json.dumps(view, ensure_ascii=False).encode()) > BYTES_LIMIT:
        raise RefusedCallError("view_too_large")
    return view


def _problems(view: Json, keys: frozenset[str]) -> list[str]:
    limits = {"private_metadata": METADATA_LIMIT, "callback_id": ID_LIMIT, "external_id": ID_LIMIT}
    return [problem("unknown property", f"/view/{key}") for key in sorted(set(view) - keys)] + [
        problem(f"more than {limit} characters", f"/view/{key}")
        for key, limit in limits.items()
        if len(view.get(key) or "") > limit
    ]


def _is_short_text(text: Any) -> bool:
    return (
        isinstance(text, dict)
        and text.get("type") == "plain_text"
        and 0 < len(str(text.get("text", ""))) <= TITLE_LIMIT
    )
