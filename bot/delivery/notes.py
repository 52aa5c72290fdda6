"""The note where a slash command was typed, when the answer is in the direct messages.

Only where no earlier note could say where it comes: one is enough.
"""

import logging

from slack_sdk import WebClient

from bot.blocks.asker_notes import note_arrived
from bot.models import Reply
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from bot.slack.messages import find_permalink
from bot.slack.responding import respond

logger = logging.getLogger(__name__)


def point_to_reply(client: WebClient, reply: Reply, note_url: str) -> None:
    """Say at the address of a command where its reply is, once: when Slack does not take it, it is left out.

    It comes after the reply is final, which nothing here changes.
    """
    if not (note_url and reply.ts):
        return
    try:
        said = note_arrived(find_permalink(client, reply.channel_id, reply.ts))
        respond(note_url, {"text": said.text, "blocks": said.blocks, "replace_original": True})
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.info("note_not_shown", extra={"reply": str(reply.pk), "code": error.code})
