"""Showing everyone in a channel an answer that the asker got alone, where everyone may read what it cites."""

from slack_sdk import WebClient

from bot.blocks.answer import answer
from bot.blocks.question_above import put_question_above
from bot.blocks.sharing import add_sharer
from bot.delivery.surfaces import MessageSurface, Rendering
from bot.identity import audiences
from bot.models import Reply
from core import api
from core.errors import NotFoundError
from core.types import Answer

NOT_FOR_ALL = "not_for_all"


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
    whole = add_sharer(event.user_id, answer(result))
    if not event.thread_ts:
        whole = put_question_above(whole, event.about.question_text, asked_by=event.user_id)
    MessageSurface(client, reply).finish(Rendering(whole=whole, streamed=""))
    return ""
