"""Make a canvas of the page of a research, which its asker alone can open and change.

Nobody can find a canvas again that was made and not recorded. It was shared with nobody then, and another one is made.
"""

import logging
from uuid import UUID

from slack_sdk import WebClient

from bot.blocks.text import shorten
from bot.channels.settings import find_language
from bot.delivery.researches import read_own, show
from bot.models import ResearchMessage
from bot.slack.errors import SlackRefusedError, translate_errors
from bot.slack.workspace import find_client
from core import api
from core.infrastructure import queue
from core.language.i18n.translation import speak_language
from core.values.research import Research

logger = logging.getLogger(__name__)

_TITLE_LIMIT = 200  # characters; Slack documents none


def make(message_id: UUID) -> None:
    """Make and share the canvas unless that was done, and show where it is, or why there is none.

    SlackUnavailableError when a later attempt may succeed.
    """
    row = ResearchMessage.objects.select_related("reply__event").filter(pk=message_id).first()
    if row is None:
        return
    event = row.reply.event
    client = find_client(event.team_id)
    try:
        with speak_language(find_language(event.team_id, event.channel_id)):
            _create(client, row)
        if row.canvas_id:
            with translate_errors():
                client.canvases_access_set(canvas_id=row.canvas_id, access_level="write", user_ids=[event.user_id])
        row.canvas_problem = ""
    except SlackRefusedError as error:
        logger.warning("canvas_refused", extra={"research_message": str(message_id), "code": error.code})
        row.canvas_id, row.canvas_problem = "", error.code
    row.save(update_fields=["canvas_id", "canvas_problem"])
    show(message_id)


def give_up(message_id: UUID, *, code: str) -> None:
    """Show that there is no canvas; a press tries it once more."""
    logger.warning("canvas_not_made", extra={"research_message": str(message_id), "code": code})
    ResearchMessage.objects.filter(pk=message_id).update(canvas_id="", canvas_problem=code)
    queue.show_research(message_id)


def _create(client: WebClient, row: ResearchMessage) -> None:
    """Create the canvas with the page as its asker may see it now, and record it."""
    research = None if row.canvas_id else read_own(client, row)
    if research is None or not research.has_ended:
        return
    content = {"type": "markdown", "markdown": _write_content(research)}
    with translate_errors():
        made = client.canvases_create(title=shorten(research.topic, _TITLE_LIMIT), document_content=content)
    row.canvas_id = str(made["canvas_id"])
    row.save(update_fields=["canvas_id"])


def _write_content(research: Research) -> str:
    """Write the page without its first line, which is the canvas's title."""
    return api.write_research(research, form="markdown").decode().partition("\n")[2].strip()
