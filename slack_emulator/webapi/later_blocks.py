"""The limits of the blocks that came to Block Kit with agents: tables, cards, votes, steps.

From the pages of each below https://docs.slack.dev/reference/block-kit/blocks and .../block-elements.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from slack_emulator.webapi.elements import describe_problem

Json = dict[str, Any]

TABLE_ROWS = 100
TABLE_CELLS = 20
TABLE_CHARACTERS = 10_000  # of all tables of a message together
PAGE_SIZE = 100
ICONS = frozenset({"trash"})  # "the only icon available at this time"
BESIDE = frozenset({"feedback_buttons", "icon_button"})
LABEL_LIMIT = 75
VALUE_LIMIT = 2_000
MOST_VIEWERS = 10  # of an icon, as slack_sdk has it
DATA_TABLE_KEYS = frozenset({"type", "block_id", "rows", "caption", "page_size", "row_header_column_index"})
CELLS = frozenset({"raw_text", "raw_number", "rich_text"})


def is_data_table(block: Json) -> bool:
    """Return True for a block of the type that slack_sdk 3.47 does not read."""
    return block.get("type") == "data_table"


def find_later_problems(block: Json, at: str) -> Iterator[str]:
    """Return what Slack would object to in a block of one of these types; nothing for all others."""
    find = _PROBLEMS.get(block["type"])
    if find:
        yield from find(block, at)


def count_cells(block: Json) -> int:
    """Return how many characters a table holds; 0 for a block of another type."""
    if block.get("type") not in ("table", "data_table") or not isinstance(block.get("rows"), list):
        return 0
    return sum(count_characters(cell) for row in block["rows"] if isinstance(row, list) for cell in row)


def count_characters(part: Any) -> int:
    """Return the length of every text in a part of a block together."""
    if isinstance(part, dict):
        own = part.get("text")
        return (len(own) if isinstance(own, str) else 0) + sum(map(count_characters, part.values()))
    return sum(map(count_characters, part)) if isinstance(part, list) else 0


def _find_table_problems(block: Json, at: str) -> Iterator[str]:
    if len(block["rows"]) > TABLE_ROWS or any(len(row) > TABLE_CELLS for row in block["rows"]):
        yield describe_problem(f"more than {TABLE_ROWS} rows of {TABLE_CELLS} cells", f"{at}/rows")
    yield from _find_cell_problems(block["rows"], f"{at}/rows")


def _find_data_table_problems(block: Json, at: str) -> Iterator[str]:
    """Yield objections: it needs a head and rows that are as long as it, a caption, pages."""
    for key in sorted(set(block) - DATA_TABLE_KEYS):
        yield describe_problem("empty or unknown property", f"{at}/{key}")
    if not block.get("caption") or not isinstance(block["caption"], str):
        yield describe_problem("missing required field: caption", f"{at}/caption")
    if not 1 <= block.get("page_size", 1) <= PAGE_SIZE:
        yield describe_problem(f"must be between 1 and {PAGE_SIZE}", f"{at}/page_size")
    rows = block.get("rows")
    if not isinstance(rows, list) or not 2 <= len(rows) <= TABLE_ROWS + 1:
        yield describe_problem(f"needs a head and 1 to {TABLE_ROWS} rows", f"{at}/rows")
        return
    if len({len(row) for row in rows}) > 1 or not 1 <= len(rows[0]) <= TABLE_CELLS:
        yield describe_problem(f"all rows need the same number of cells, 1 to {TABLE_CELLS}", f"{at}/rows")
    if any(cell.get("type") == "rich_text" for cell in rows[0]):
        yield describe_problem("a head holds no rich_text", f"{at}/rows/0")
    if not 0 <= block.get("row_header_column_index", 0) < len(rows[0]):
        yield describe_problem("no such column", f"{at}/row_header_column_index")
    yield from _find_cell_problems(rows, f"{at}/rows")


def _find_cell_problems(rows: list[list[Json]], at: str) -> Iterator[str]:
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            if cell.get("type") not in CELLS:
                yield describe_problem(f"unsupported type: {cell.get('type')}", f"{at}/{i}/{j}/type")
            elif cell["type"] != "rich_text" and not cell.get("text"):
                yield describe_problem("must be more than 0 characters", f"{at}/{i}/{j}/text")


def _find_row_problems(block: Json, at: str) -> Iterator[str]:
    for i, element in enumerate(block["elements"]):
        yield from _find_beside_problems(element, f"{at}/elements/{i}")


def _find_card_problems(block: Json, at: str) -> Iterator[str]:
    for i, element in enumerate(block.get("actions") or []):
        if element.get("type") != "button":
            yield describe_problem("must be a button", f"{at}/actions/{i}/type")


def _find_plan_problems(block: Json, at: str) -> Iterator[str]:
    for i, task in enumerate(block.get("tasks") or []):
        yield from _find_task_problems(task, f"{at}/tasks/{i}")


def _find_beside_problems(element: Json, at: str) -> Iterator[str]:
    if element.get("type") not in BESIDE:
        yield describe_problem(f"unsupported type: {element.get('type')}", f"{at}/type")
        return
    halves = [""] if element["type"] == "icon_button" else ["positive_button", "negative_button"]
    for half in halves:
        yield from _find_label_problems(element[half] if half else element, f"{at}/{half}".rstrip("/"))
    if element["type"] == "icon_button":
        if element.get("icon") not in ICONS:
            yield describe_problem(f"must be one of {sorted(ICONS)}", f"{at}/icon")
        if len(element.get("visible_to_user_ids") or []) > MOST_VIEWERS:
            yield describe_problem(f"no more than {MOST_VIEWERS} items allowed", f"{at}/visible_to_user_ids")
    elif not all(element[half].get("value") for half in halves):
        yield describe_problem("missing required field: value", at)


def _find_label_problems(part: Json, at: str) -> Iterator[str]:
    text = part.get("text") or {}
    if text.get("type") != "plain_text" or not text.get("text"):
        yield describe_problem("needs plain_text", f"{at}/text")
    for key, value, limit in (
        ("text", text.get("text"), LABEL_LIMIT),
        ("accessibility_label", part.get("accessibility_label"), LABEL_LIMIT),
        ("value", part.get("value"), VALUE_LIMIT),
    ):
        if len(value or "") > limit:
            yield describe_problem(f"must be less than {limit + 1} characters", f"{at}/{key}")


def _find_task_problems(task: Json, at: str) -> Iterator[str]:
    for key in ("task_id", "title"):
        if not task.get(key):
            yield describe_problem(f"missing required field: {key}", at)
    for key in ("details", "output"):
        if key in task and (task[key].get("type") != "rich_text" or len(task[key].get("elements") or []) != 1):
            yield describe_problem("needs a rich_text with one element", f"{at}/{key}")


_PROBLEMS: Mapping[str, Callable[[Json, str], Iterator[str]]] = {
    "table": _find_table_problems,
    "data_table": _find_data_table_problems,
    "context_actions": _find_row_problems,
    "card": _find_card_problems,
    "plan": _find_plan_problems,
    "task_card": _find_task_problems,
}
