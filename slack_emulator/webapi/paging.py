"""Long lists page by page."""

from typing import TypeVar

from slack_emulator.webapi.calls import Call, RefusedCallError

Item = TypeVar("Item")

PAGE_SIZE = 100
LARGEST_PAGE = 1_000


def cut_page(items: list[Item], call: Call) -> tuple[list[Item], str]:
    """The page that the call asks for, and the cursor of the next one; empty on the last."""
    start = 0
    if call.read_text("cursor"):
        digits = call.read_text("cursor").removeprefix("from:")
        if not digits.isdecimal():
            raise RefusedCallError("invalid_cursor")
        start = int(digits)
    end = start + min(call.read_number("limit", PAGE_SIZE), LARGEST_PAGE)
    return items[start:end], f"from:{end}" if end < len(items) else ""
