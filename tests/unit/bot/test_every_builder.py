"""Whatever bot.blocks builds is what Slack documents: read by its SDK without a loss, and within the limits."""

import importlib
import inspect
import pkgutil
from typing import Any, get_type_hints

import pytest
from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View

import bot.blocks
from bot.blocks.message import Message
from bot.blocks.older import MOST_STEPS, make_older, make_view_older
from core.language.i18n.translation import LANGUAGES, speak_language
from slack_emulator.webapi.blocks import check_blocks
from tests.unit.bot import test_languages as built

# They change what another has built, and are tried with it.
CHANGERS = {
    "bot.blocks.additions.put_channel_above",
    "bot.blocks.footnotes.mark_changed",
    "bot.blocks.quoted_messages.add_links",
    "bot.blocks.quoted_messages.add_messages",
    "bot.blocks.older.make_older",
    "bot.blocks.older.make_view_older",
    "bot.blocks.additions.put_question_above",
    "bot.blocks.additions.add_sharer",
}
# Metadata, which is no blocks; tests/integration/slack_emulator/test_cards.py holds it.
OTHERS = {"bot.blocks.entities.build_entity"}


def builders() -> set[str]:
    """The public functions that build a message or a view."""
    found = set()
    for module in pkgutil.iter_modules(bot.blocks.__path__):
        package = importlib.import_module(f"bot.blocks.{module.name}")
        for name, function in inspect.getmembers(package, inspect.isfunction):
            returned = get_type_hints(function).get("return")
            is_public = function.__module__ == package.__name__ and not name.startswith("_")
            if is_public and returned in (Message, dict[str, Any]):
                found.add(f"{package.__name__}.{name}")
    return found


def test_every_builder_is_tried() -> None:
    """A new function that builds a message or a view is among what is built below."""
    called = set(inspect.getsource(built).replace("(", " ").replace(".", " ").split())
    untried = {name for name in builders() - CHANGERS - OTHERS if name.rpartition(".")[2] not in called}
    assert untried == set()
    assert builders() >= CHANGERS | OTHERS


@pytest.mark.parametrize("code", LANGUAGES)
def test_each_block_survives_the_sdk(code: str) -> None:
    """Nothing is dropped or changed, in any language, and in each form in which it may be sent."""
    with speak_language(code):
        messages = [make_older(said, step) for said in built._messages().values() for step in range(MOST_STEPS + 1)]
        views = [form for view in built._views().values() for form in (view, make_view_older(view))]
    for surface, blocks in [("message", said.blocks) for said in messages] + [(v["type"], v["blocks"]) for v in views]:
        for block in blocks:
            parsed = Block.parse(block)
            assert parsed is not None
            assert parsed.to_dict() == block
        check_blocks(blocks, surface=surface)
    for view in views:
        View(**view).validate_json()


def test_older_forms_hold_no_newer_block() -> None:
    """Whatever is built."""
    older = [make_older(said, MOST_STEPS).blocks for said in built._messages().values()]
    older += [make_view_older(view)["blocks"] for view in built._views().values()]
    assert not {block["type"] for blocks in older for block in blocks} & {"context_actions", "card", "alert", "table"}


@pytest.mark.parametrize("kind", ["alert", "card", "context_actions", "table"])
def test_the_newer_blocks_are_among_what_is_tried(kind: str) -> None:
    """Or the others would say nothing of them."""
    tried = [said.blocks for said in built._messages().values()] + [view["blocks"] for view in built._views().values()]
    assert any(block["type"] == kind for blocks in tried for block in blocks)
