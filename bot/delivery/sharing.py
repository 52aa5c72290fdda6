"""Show everyone in a channel an answer that the asker got alone, where everyone may read what it cites."""

import logging

from slack_sdk import WebClient

from bot.blocks.additions import add_sharer, put_question_above
from bot.blocks.answer import answer
from bot.blocks.message import Message
from bot.channels.settings import is_switched_off
from bot.delivery.surfaces import MessageSurface, Rendering
from bot.identity import audiences
from bot.models import Reply, SlackEvent
from core import api
from core.errors import FootnoteError, NotFoundError
from core.types import Answer, Refusal

logger = logging.getLogger(__name__)

NOT_FOR_ALL = "not_for_all"


def may_be_shared(client: WebClient, event: SlackEvent, result: Answer | Refusal) -> bool:
    """Return True if an answer for its asker alone could be shown in the channel beside it at this moment.

    It says in advance what pressing the button would: whether everyone in the channel may read all of its sources.
    Where Slack cannot be asked, it could not.
    """
    if event.kind not in SlackEvent.BESIDE_A_CHANNEL or event.channel_id.startswith("D"):
        return False  # a direct message is beside no channel
    if not isinstance(result, Answer) or is_switched_off(event.team_id, event.channel_id):
        return False
    try:
        if not audiences.are_we_in(client, event.channel_id):
            return False
        audience = audiences.find_channel_audience(
            client, team_id=event.team_id, channel_id=event.channel_id, slack_user_id=event.user_id
        )
        api.stored_result(result.request_id, audience=audience)
    except NotFoundError:
        return False
    except FootnoteError as error:
        logger.info("sharing_not_offered", extra={"slack_event": str(event.pk), "error": type(error).__name__})
        return False
    return True


def share(client: WebClient, reply: Reply) -> str:
    """Post the answer of an event's query. Returns a code when it may not be shared; then nothing was posted.

    The audience is asked again here, right before posting, whatever was true when the button was pressed.
    """
    event = reply.event
    readers = audiences.find_readers(client, event)
    try:
        if event.about is None:
            return NOT_FOR_ALL
        result = api.stored_result(event.about.request_id, audience=readers.audience)
    except NotFoundError:
        return NOT_FOR_ALL
    if not isinstance(result, Answer):
        return NOT_FOR_ALL
    reply.query = event.about
    reply.save(update_fields=["query"])
    MessageSurface(client, reply).finish(
        Rendering(whole=compose_shared(event, event.about.question_text, result), streamed="")
    )
    return ""


def compose_shared(event: SlackEvent, question: str, result: Answer) -> Message:
    """Compose the message of an answer that is shared. event: that shares it. question: of the answer, as typed."""
    whole = add_sharer(event.user_id, answer(result))
    return whole if event.thread_ts else put_question_above(whole, question, asked_by=event.user_id)
