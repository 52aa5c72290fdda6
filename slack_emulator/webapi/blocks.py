"""Refuses the blocks that Slack would refuse, so that a mistake shows on this machine and not in a workspace.

Slack's own SDK does most of the checking: a block that does not survive a round trip through it has an unknown
type, a misspelt key or an empty text. The limits that the SDK does not know are added here, from
https://docs.slack.dev/reference/block-kit/blocks. The total is not documented: users report
`msg_blocks_too_long` near 13,200 characters.
"""

import copy
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models.blocks import Block

from slack_emulator.webapi.calls import RefusedCallError
from slack_emulator.webapi.elements import describe_problem, find_element_problems, list_elements
from slack_emulator.webapi.later_blocks import (
    TABLE_CHARACTERS,
    count_cells,
    count_characters,
    find_later_problems,
    is_data_table,
)

Surface = Literal["message", "modal", "home"]

MOST_BLOCKS = {"message": 50, "modal": 100, "home": 100}
_MESSAGES: frozenset[Surface] = frozenset({"message"})
# The surfaces of each, by https://docs.slack.dev/blocks.json; all others may be anywhere.
SURFACES: Mapping[str, frozenset[Surface]] = {
    **dict.fromkeys(
        ("markdown", "context_actions", "table", "data_table", "task_card", "plan", "container"), _MESSAGES
    ),
    "alert": frozenset({"modal"}),
    "carousel": frozenset({"message", "home"}),
}
WITHOUT_ACTION = frozenset({"image", "mrkdwn", "plain_text"})
TEXT_LIMIT = 3_000
FIELD_LIMIT = 2_000
MARKDOWN_TOTAL = 12_000
CHARACTERS_TOTAL = 13_200
ID_LIMIT = 255
MISSING = object()


def check_blocks(blocks: Any, *, surface: Surface) -> list[dict[str, Any]]:
    """Return the blocks, each with a block_id as Slack would give it.

    RefusedCallError says what Slack would object to.
    """
    problems = list_problems(blocks, surface=surface)
    if problems:
        raise RefusedCallError("invalid_blocks", *problems)
    if surface == "message" and sum(map(count_characters, blocks)) > CHARACTERS_TOTAL:
        raise RefusedCallError("msg_blocks_too_long")
    return [_add_ids(block) for block in blocks]


def list_problems(blocks: Any, *, surface: Surface | None, at: str = "/blocks") -> list[str]:
    """List Slack's objections. surface: None for blocks whose surface is unknown.

    RefusedCallError for what are no blocks.
    """
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        raise RefusedCallError("invalid_blocks_format")
    problems = [problem for i, block in enumerate(blocks) for problem in _find_problems(block, f"{at}/{i}", surface)]
    return [*problems, *_find_problems_together(blocks, surface, at)]


def _add_ids(block: dict[str, Any]) -> dict[str, Any]:
    """Return the block with the ids that Slack gives to what has none."""
    named = copy.deepcopy(block)
    named.setdefault("block_id", secrets.token_urlsafe(4))
    for element in list_elements(named):
        if "action_id" not in element and element["type"] not in WITHOUT_ACTION:
            element["action_id"] = secrets.token_urlsafe(4)
    return named


def _find_problems(block: dict[str, Any], at: str, surface: Surface | None) -> Iterator[str]:
    allowed = SURFACES.get(str(block.get("type")))
    if surface and allowed and surface not in allowed:
        yield describe_problem(f"this type of block is for {' and '.join(sorted(allowed))}s only", at)
    if is_data_table(block):  # which slack_sdk does not know yet
        yield from find_later_problems(block, at)
        return
    try:
        parsed = Block.parse(block)
        known = parsed.to_dict() if parsed else None
    except (SlackObjectFormationError, KeyError, TypeError, AttributeError, ValueError) as error:
        yield describe_problem(str(error), at)
        return
    if known is None:
        yield describe_problem("unsupported type of block", f"{at}/type")
        return
    yield from _find_lost(block, known, at)
    yield from _find_over_limit(block, at)


def _find_lost(given: Any, known: Any, at: str) -> Iterator[str]:
    """Yield what the SDK dropped or changed: unknown keys, unknown elements, empty texts."""
    if isinstance(given, dict) and isinstance(known, dict):
        for key, value in given.items():
            if known.get(key, MISSING) is MISSING:
                yield describe_problem("empty or unknown property", f"{at}/{key}")
            else:
                yield from _find_lost(value, known[key], f"{at}/{key}")
    elif isinstance(given, list) and isinstance(known, list):
        if len(given) != len(known):
            yield describe_problem("an element of an unknown type", at)
        for i, (left, right) in enumerate(zip(given, known, strict=False)):
            yield from _find_lost(left, right, f"{at}/{i}")
    elif given != known:
        yield describe_problem("not a valid value", at)


def _find_over_limit(block: dict[str, Any], at: str) -> Iterator[str]:
    kind = block["type"]
    if kind == "header" and block["text"]["type"] != "plain_text":
        yield describe_problem("must be plain_text", f"{at}/text/type")
    yield from find_later_problems(block, at)
    yield from _find_too_long(block.get("fields") or [], FIELD_LIMIT, f"{at}/fields")
    if kind == "context":
        yield from _find_too_long(block["elements"], TEXT_LIMIT, f"{at}/elements")
    if len(block.get("block_id") or "") > ID_LIMIT:
        yield describe_problem(f"must be less than {ID_LIMIT + 1} characters", f"{at}/block_id")
    for i, element in enumerate(list_elements(block)):
        yield from find_element_problems(element, f"{at}/elements/{i}" if "elements" in block else at)
    named = [element["action_id"] for element in list_elements(block) if "action_id" in element]
    for action_id, times in Counter(named).items():
        if times > 1:
            yield describe_problem(f"action_id {action_id!r} occurs {times} times", at)


def _find_too_long(texts: list[dict[str, Any]], limit: int, at: str) -> Iterator[str]:
    for i, text in enumerate(texts):
        if len(text.get("text", "")) > limit:
            yield describe_problem(f"must be less than {limit + 1} characters", f"{at}/{i}/text")


def _find_problems_together(blocks: list[dict[str, Any]], surface: Surface | None, at: str) -> Iterator[str]:
    most = MOST_BLOCKS[surface] if surface else max(MOST_BLOCKS.values())
    if len(blocks) > most:
        yield describe_problem(f"no more than {most} items allowed", at)
    for block_id, times in Counter(block["block_id"] for block in blocks if block.get("block_id")).items():
        if times > 1:
            yield describe_problem(f"block_id {block_id!r} occurs {times} times", at)
    markdown = sum(len(str(block.get("text", ""))) for block in blocks if block.get("type") == "markdown")
    if markdown > MARKDOWN_TOTAL:
        yield describe_problem(f"markdown blocks hold more than {MARKDOWN_TOTAL} characters together", at)
    if sum(map(count_cells, blocks)) > TABLE_CHARACTERS:
        yield describe_problem(f"tables hold more than {TABLE_CHARACTERS} characters together", at)
