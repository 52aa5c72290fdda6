"""The chunks of a stream, and the blocks that they make together.

Shapes after slack_sdk.models.messages.chunk.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from slack_emulator.shapes import Json
from slack_emulator.webapi.blocks import check_blocks
from slack_emulator.webapi.calls import Call, RefusedCallError

DISPLAY_MODES = frozenset({"timeline", "plan"})
STATES = frozenset({"pending", "in_progress", "complete", "error"})
KEYS = {
    "markdown_text": frozenset({"type", "text"}),
    "task_update": frozenset({"type", "id", "title", "status", "details", "output", "sources"}),
    "plan_update": frozenset({"type", "title"}),
    "blocks": frozenset({"type", "blocks"}),
}


def read_chunks(call: Call) -> list[Json]:
    """The chunks of a call, its bare text among them."""
    given = call.read_structure("chunks", "invalid_arguments") or []
    if not isinstance(given, list) or not all(_is_chunk(chunk) for chunk in given):
        raise RefusedCallError("invalid_arguments", "[ERROR] an unknown or incomplete chunk [json-pointer:/chunks]")
    text = call.read_text("markdown_text")
    return [*([{"type": "markdown_text", "text": text}] if text else []), *given]


def add_chunk(parts: Sequence[Json], chunk: Json) -> list[Json]:
    """The parts of a stream after another chunk: text continues text, a task with a known id is changed."""
    if chunk["type"] == "markdown_text" and parts and parts[-1]["type"] == "markdown_text":
        return [*parts[:-1], {**chunk, "text": parts[-1]["text"] + chunk["text"]}]
    key = "id" if chunk["type"] == "task_update" else "type"
    if chunk["type"] in {"task_update", "plan_update"}:
        for i, part in enumerate(parts):
            if part["type"] == chunk["type"] and part[key] == chunk[key]:
                return [*parts[:i], {**part, **chunk}, *parts[i + 1 :]]
    return [*parts, chunk]


def join_text(parts: Sequence[Json]) -> str:
    """All text that was streamed."""
    return "".join(part["text"] for part in parts if part["type"] == "markdown_text")


def build_blocks(parts: Sequence[Json], mode: str) -> list[Json]:
    """Render the parts as blocks: tasks in their order among the text, or together as a plan before it."""
    tasks = [_build_task(part) for part in parts if part["type"] == "task_update"]
    blocks = list(_build_each(parts, with_tasks=mode == "timeline"))
    if mode == "plan" and tasks:
        title = next((part["title"] for part in parts if part["type"] == "plan_update"), "Steps")
        blocks.insert(0, {"type": "plan", "title": title, "tasks": tasks})
    return [{**block, "block_id": block.get("block_id", f"stream-{i}")} for i, block in enumerate(blocks)]


def _build_each(parts: Sequence[Json], *, with_tasks: bool) -> Iterator[Json]:
    for part in parts:
        if part["type"] == "markdown_text":
            yield {"type": "markdown", "text": part["text"]}
        elif part["type"] == "task_update" and with_tasks:
            yield _build_task(part)
        elif part["type"] == "blocks":
            yield from check_blocks(part["blocks"], surface="message")


def _build_task(part: Json) -> Json:
    card = {"type": "task_card", "task_id": part["id"], "title": part["title"], "status": part["status"]}
    card |= {key: _build_rich_text(part[key]) for key in ("details", "output") if part.get(key)}
    return card | ({"sources": part["sources"]} if part.get("sources") else {})


def _build_rich_text(text: str) -> Json:
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
    return {"type": "rich_text", "elements": [section]}


def _is_chunk(chunk: Any) -> bool:
    if not isinstance(chunk, dict) or not set(chunk) <= KEYS.get(str(chunk.get("type")), frozenset()):
        return False
    if chunk["type"] == "markdown_text":
        return bool(chunk.get("text"))
    if chunk["type"] == "task_update":
        return bool(chunk.get("id") and chunk.get("title")) and chunk.get("status") in STATES
    return bool(chunk.get("title") if chunk["type"] == "plan_update" else chunk.get("blocks"))
