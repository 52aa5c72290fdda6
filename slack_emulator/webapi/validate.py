"""The blocks.validate method: what Slack would object to, without anything being posted.

https://docs.slack.dev/reference/methods/blocks.validate. The page gives the form of an error, and one of the codes.
"""

from typing import Any

from slack_emulator.shapes import Json
from slack_emulator.webapi.blocks import list_problems
from slack_emulator.webapi.calls import Call, RefusedCallError
from slack_emulator.webapi.chat import LONGEST_TEXT
from slack_emulator.webapi.views import check_home, check_view

GIVEN = ("blocks", "view", "message")
ONE_OF = "must provide exactly one of `blocks`, `view`, or `message`"
_PROBLEM, _PLACE = "[ERROR] ", " [json-pointer:"  # before a problem, and before its place


def validate(call: Call) -> Json:
    """Check blocks, a message or a view. RefusedCallError says what is wrong with each part, by its place."""
    given = [name for name in GIVEN if call.arguments.get(name)]
    if len(given) != 1:
        raise RefusedCallError("invalid_arguments", ONE_OF)
    (name,) = given
    value = call.read_structure(name, f"invalid_{name}")
    try:
        problems = _list_problems(name, value)
    except RefusedCallError as refusal:
        problems = list(refusal.details) or [refusal.code]
    if problems:
        raise RefusedCallError(f"invalid_{name}", errors=[_shape_error(problem) for problem in problems])
    return {}


def _list_problems(name: str, value: Any) -> list[str]:
    if name == "blocks":
        return list_problems(value, surface=None, at="")
    if not isinstance(value, dict):
        raise RefusedCallError(f"invalid_{name}")
    if name == "message":
        too_long = len(str(value.get("text") or "")) > LONGEST_TEXT
        return [*list_problems(value.get("blocks") or [], surface="message"), *(["msg_too_long"] if too_long else [])]
    check = check_home if value.get("type") == "home" else check_view
    check(value)
    return []


def _shape_error(problem: str) -> Json:
    what, has_place, pointer = problem.removeprefix(_PROBLEM).rpartition(_PLACE)
    if not has_place:
        what, pointer = problem, ""
    return {"code": "failed_constraint", "message": what, "pointer": pointer.removesuffix("]")}
