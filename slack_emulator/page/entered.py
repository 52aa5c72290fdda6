"""Build Slack's payloads of entered and chosen values.

Shapes after https://docs.slack.dev/reference/views#view_state.
"""

from collections.abc import Iterable
from typing import Any

from slack_emulator.models import make_ts
from slack_emulator.page.changing import InvalidRequestError
from slack_emulator.shapes import Json
from slack_emulator.webapi.elements import list_elements, list_options

ONE_OPTION = frozenset({"static_select", "radio_buttons", "overflow"})
SOME_OPTIONS = frozenset({"multi_static_select", "checkboxes"})
WITH_STATE = frozenset({"plain_text_input", "static_select", "radio_buttons"}) | SOME_OPTIONS
REQUIRED = "Please complete this required field."


def build_action(element: Json, block: Json, given: Any) -> Json:
    """Build the action of using an element. given: a value, or a list of values, as the page sends it."""
    action = {
        "type": element["type"],
        "action_id": element["action_id"],
        "block_id": block["block_id"],
        **_choose_value(element, given),
        "action_ts": make_ts(),
    }
    return action | {key: element[key] for key in ("text", "style", "placeholder") if key in element}


def build_state(blocks: Iterable[Json], given: Any) -> Json:
    """Build the state of all inputs in the blocks.

    given: by block_id and action_id; what is not in it is as it began.
    """
    values: Json = {}
    for block in blocks:
        for element in list_elements(block):
            if element["type"] not in WITH_STATE:
                continue
            entered = _look_up_value(given, block["block_id"], element["action_id"])
            value = _choose_value(element, _find_initial(element) if entered is None else entered)
            values.setdefault(block["block_id"], {})[element["action_id"]] = {"type": element["type"], **value}
    return {"values": values}


def find_problems(blocks: Iterable[Json], state: Json) -> dict[str, str]:
    """Find Slack's own objections to the entered values, by block_id."""
    problems = {}
    for block in blocks:
        if block["type"] != "input":
            continue
        element = block["element"]
        entered = state["values"].get(block["block_id"], {}).get(element["action_id"], {})
        value = entered.get("value") or entered.get("selected_option") or entered.get("selected_options")
        least = element.get("min_length", 0)
        if not value and not block.get("optional"):
            problems[block["block_id"]] = REQUIRED
        elif isinstance(value, str) and not least <= len(value) <= element.get("max_length", len(value)):
            most = element.get("max_length", "any number of")
            problems[block["block_id"]] = f"This needs at least {least} and at most {most} characters."
    return problems


def _choose_value(element: Json, given: Any) -> Json:
    kind = element["type"]
    if kind == "feedback_buttons":
        return {"value": str(element["positive_button" if given == "positive" else "negative_button"]["value"])}
    if kind in ONE_OPTION:
        return {"selected_option": _find_option(element, given) if given else None}
    if kind in SOME_OPTIONS:
        return {"selected_options": [_find_option(element, value) for value in given or []]}
    if kind == "plain_text_input":
        return {"value": str(given) if given else None}
    return {"value": str(element.get("value", ""))}


def _find_option(element: Json, value: Any) -> Json:
    """Return the option of that value, as the bot gave it."""
    for option in list_options(element):
        if option["value"] == value:
            return option
    raise InvalidRequestError


def _find_initial(element: Json) -> Any:
    if element["type"] in SOME_OPTIONS:
        return [option["value"] for option in element.get("initial_options") or []]
    if element["type"] in ONE_OPTION:
        return (element.get("initial_option") or {}).get("value")
    return element.get("initial_value")


def _look_up_value(given: Any, block_id: str, action_id: str) -> Any:
    in_block = given.get(block_id) if isinstance(given, dict) else None
    return in_block.get(action_id) if isinstance(in_block, dict) else None
