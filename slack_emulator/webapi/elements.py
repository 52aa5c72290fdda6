"""The limits of interactive elements that Slack's SDK does not check.

From https://docs.slack.dev/reference/block-kit/block-elements and .../composition-objects.
"""

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

INPUT_LIMIT = 3_000  # characters of a text field
OPTION_TEXT_LIMIT = 75
OPTION_VALUE_LIMIT = 150
MOST_OPTIONS = {"static_select": 100, "multi_static_select": 100, "checkboxes": 10, "radio_buttons": 10, "overflow": 5}
PLAIN_OPTIONS = frozenset({"static_select", "multi_static_select", "overflow"})
CONFIRM_LIMITS = {"title": 100, "text": 300, "confirm": 30, "deny": 30}


def describe_problem(what: str, at: str) -> str:
    """Word an objection as Slack does, with the place."""
    return f"[ERROR] {what} [json-pointer:{at}]"


def list_elements(block: Json) -> list[Json]:
    """List the elements in a block, wherever they are."""
    if block.get("type") == "rich_text":
        return []
    found = [block.get("accessory"), block.get("element")]
    found += [*(block.get("elements") or []), *(block.get("actions") or [])]
    return [element for element in found if isinstance(element, dict)]


def list_options(element: Json) -> list[Json]:
    """List the options of an element, those of groups as well."""
    groups = element.get("option_groups") or []
    return [*(element.get("options") or []), *(option for group in groups for option in group["options"])]


def find_element_problems(element: Json, at: str) -> Iterator[str]:
    """Yield Slack's objections to an element."""
    kind = element.get("type")
    if kind == "plain_text_input":
        yield from _find_text_problems(element, at)
    if kind in MOST_OPTIONS:
        yield from _find_choice_problems(element, at)
    yield from _find_confirm_problems(element.get("confirm") or {}, f"{at}/confirm")


def _find_text_problems(element: Json, at: str) -> Iterator[str]:
    if len(element.get("initial_value") or "") > INPUT_LIMIT:
        yield _describe_length(INPUT_LIMIT, f"{at}/initial_value")
    for key, least in (("min_length", 0), ("max_length", 1)):
        if not least <= element.get(key, least) <= INPUT_LIMIT:
            yield describe_problem(f"must be between {least} and {INPUT_LIMIT}", f"{at}/{key}")
    longest = element.get("max_length", INPUT_LIMIT)
    if len(element.get("initial_value") or "") > longest:
        yield describe_problem("longer than max_length", f"{at}/initial_value")


def _find_choice_problems(element: Json, at: str) -> Iterator[str]:
    kind, options = element["type"], list_options(element)
    values = [option.get("value") for option in options]
    if not 0 < len(options) <= MOST_OPTIONS[kind]:
        yield describe_problem(f"needs 1 to {MOST_OPTIONS[kind]} options", f"{at}/options")
    if len(set(values)) < len(values):
        yield describe_problem("two options have the same value", f"{at}/options")
    for i, option in enumerate(options):
        yield from _find_option_problems(option, kind, f"{at}/options/{i}")
    initial = [element.get("initial_option"), *(element.get("initial_options") or [])]
    if any(option and option not in options for option in initial):
        yield describe_problem("must be one of the options", f"{at}/initial_option")


def _find_option_problems(option: Json, kind: str, at: str) -> Iterator[str]:
    for key, limit in (("text", OPTION_TEXT_LIMIT), ("description", OPTION_TEXT_LIMIT)):
        text = option.get(key) or {}
        if len(text.get("text", "")) > limit:
            yield _describe_length(limit, f"{at}/{key}")
        if kind in PLAIN_OPTIONS and text.get("type", "plain_text") != "plain_text":
            yield describe_problem("must be plain_text", f"{at}/{key}")
    if not 0 < len(option.get("value") or "") <= OPTION_VALUE_LIMIT:
        yield describe_problem(f"needs 1 to {OPTION_VALUE_LIMIT} characters", f"{at}/value")


def _find_confirm_problems(confirm: Json, at: str) -> Iterator[str]:
    for part, limit in CONFIRM_LIMITS.items():
        if len((confirm.get(part) or {}).get("text", "")) > limit:
            yield _describe_length(limit, f"{at}/{part}")


def _describe_length(limit: int, at: str) -> str:
    return describe_problem(f"must be less than {limit + 1} characters", at)
