"""Take the question from the message to which somebody added the emoji that asks."""

from typing import Any

from django.db import transaction
from slack_sdk import WebClient

from bot.identity.own_account import find_own_user_id
from bot.identity.people import AccountKind, find_person
from bot.models import Reply
from bot.slack.errors import SlackRefusedError, translate_errors
from bot.slack.markup import extract_question, is_persons
from core.language.query_understanding.courtesies import has_words, recognise

_MOST_MESSAGES = 10  # the message, and the one that began its thread


def take_question(client: WebClient, reply: Reply) -> bool:
    """Let what the message says be the question of the event, to be answered in the message's thread.

    False where there is nothing to answer: it is a bot's, ours included, says nothing that could be a question, or is
    gone; a bot added the emoji; or we have answered it without being asked. SlackUnavailableError when Slack cannot be
    asked now.
    """
    event, own = reply.event, find_own_user_id(client)
    if event.text or reply.query:
        return True  # an earlier attempt took it
    if event.others_of_message.exclude(reply__ts="").exists():
        return False
    message = _find_message(client, event.channel_id, event.ts)
    if message is None or not is_persons(message, own_user_id=own):
        return False
    question = extract_question(str(message.get("text") or ""), own_user_id=own)
    if not has_words(question) or recognise(question) is not None:
        return False
    if find_person(client, event.team_id, event.user_id).kind is AccountKind.BOT:
        return False
    event.text = str(message["text"]).replace("\x00", "")
    event.thread_ts = reply.thread_ts = str(message.get("thread_ts") or event.ts)
    with transaction.atomic():
        event.save(update_fields=["text", "thread_ts"])
        reply.save(update_fields=["thread_ts"])
    return True


def _find_message(client: WebClient, channel_id: str, ts: str) -> dict[str, Any] | None:
    """Find the message, wherever it is; None where Slack refuses to show it, or it was deleted."""
    try:
        with translate_errors():
            told = client.conversations_replies(
                channel=channel_id, ts=ts, oldest=ts, latest=ts, inclusive=True, limit=_MOST_MESSAGES
            )
    except SlackRefusedError:
        return None
    return next((message for message in told.get("messages") or [] if message.get("ts") == ts), None)
