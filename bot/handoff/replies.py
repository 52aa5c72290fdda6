"""Keep colleagues' replies to a question handed to them, as a draft of a verified answer."""

import logging
from itertools import islice
from typing import Any
from uuid import UUID

from slack_sdk import WebClient

from bot.handoff.people_to_ask import PeopleToAsk, find_people_to_ask, is_among
from bot.identity.people import find_person
from bot.models import HandOver
from bot.slack.errors import SlackRefusedError, translate_errors
from bot.slack.markup import extract_question
from bot.slack.workspace import find_client

logger = logging.getLogger(__name__)

_MESSAGES_PER_PAGE, _MOST_PAGES = 100, 10  # of a thread, which are looked through
_MOST_KEPT = 10  # of those whom were asked


def keep_replies(hand_over_id: UUID) -> None:
    """Make a draft of the replies, once. Nothing where nobody who was asked replied, or the question is gone.

    SlackUnavailableError when a later attempt may succeed.
    """
    from core.asking.verified_answers.editing import draft_from_reply

    row = HandOver.objects.select_related("query", "reply__event").get(pk=hand_over_id)
    people = find_people_to_ask(row.reply.event)
    if people is None or row.query is None or row.query.erased_at is not None:
        return
    client = find_client(row.team_id)
    replies = _list_replies(client, row, people)
    if not replies:
        logger.info("no_reply_to_keep", extra={"hand_over": str(row.pk)})
        return
    person = find_person(client, row.team_id, str(replies[-1]["user"]))
    text = "\n".join(extract_question(str(one["text"]), own_user_id="") for one in replies)
    draft_from_reply(row.query, text, by=person.user_id)


def _list_replies(client: WebClient, row: HandOver, people: PeopleToAsk) -> list[dict[str, Any]]:
    """List the messages of the people asked, below the message that asks them."""
    place: dict[str, Any] = {"channel": row.channel_id, "ts": row.thread_ts or row.ts, "oldest": row.ts}
    try:
        with translate_errors():
            pages = client.conversations_replies(**place, limit=_MESSAGES_PER_PAGE)
            found = [one for page in islice(pages, _MOST_PAGES) for one in page.get("messages") or []]
    except SlackRefusedError as error:
        logger.warning("messages_unreadable", extra={"channel": row.channel_id, "code": error.code})
        return []
    said = [one for one in found if one.get("user") and one.get("text") and not one.get("bot_id")]
    said = [one for one in said if str(one.get("ts", "")) > row.ts]
    return [one for one in said if is_among(client, people, str(one["user"]))][:_MOST_KEPT]
