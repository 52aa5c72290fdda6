"""Build modals of one sentence, and name the answer whose button opens a modal."""

from dataclasses import dataclass
from typing import Any

from slack_sdk.models.views import View

from bot.blocks.text import SECTION_LIMIT, context, escape_within, warning
from core.language.i18n.translation import say


@dataclass(frozen=True, kw_only=True, slots=True)
class Interaction:
    """Holds the answer of a pressed button, and its place, where the presser is shown the result."""

    request_id: str
    channel_id: str
    thread_ts: str = ""
    response_url: str = ""  # of an answer that this person alone sees


def waiting_modal(title: str) -> dict[str, Any]:
    """Build the modal that is opened at once: Slack allows three seconds for opening one. title: 1..24 characters."""
    return _build_modal(title, context(say(":mag: One moment…")))


def text_modal(title: str, text: str) -> dict[str, Any]:
    """Show one plain sentence of ours that says why there is nothing else to see. title: 1..24 characters."""
    return _build_modal(title, warning(escape_within(text, SECTION_LIMIT)))


def _build_modal(title: str, block: Any) -> dict[str, Any]:
    return dict(View(type="modal", title=title, close=say("Close"), blocks=[block]).to_dict())
