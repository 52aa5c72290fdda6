"""Share code among modals and Home tabs."""

import json
from typing import Any

from slack_emulator.shapes import Json
from slack_emulator.webapi.calls import RefusedCallError
from slack_emulator.webapi.elements import describe_problem

# From https://docs.slack.dev/reference/views
METADATA_LIMIT = 3_000
ID_LIMIT = 255
BYTES_LIMIT = 250_000
COMMON_KEYS = frozenset({"type", "blocks", "private_metadata", "callback_id", "external_id"})


def check_type(view: Any, kind: str) -> Json:
    """The view, which must be of that kind and not too large."""
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
