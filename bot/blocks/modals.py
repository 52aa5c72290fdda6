"""Modals that hold one sentence: while something is looked up, and when there is no more to say."""

from typing import Any

from slack_sdk.models.views import View

from bot.blocks.text import SECTION_LIMIT, context, escape_within, warning
from core.language.i18n.translation import say


def waiting_modal(title: str) -> dict[str, Any]:
    """Build the modal that is opened at once: Slack allows three seconds for opening one. title: 1..24 characters."""
    return _modal(title, context(say(":mag: One moment…")))


def text_modal(title: str, text: str) -> dict[str, Any]:
    """One plain sentence of ours that says why there is nothing else to see. title: 1..24 characters."""
    return _modal(title, warning(escape_within(text, SECTION_LIMIT)))


def _modal(title: str, block: Any) -> dict[str, Any]:
    return dict(View(type="modal", title=title, close=say("Close"), blocks=[block]).to_dict())
