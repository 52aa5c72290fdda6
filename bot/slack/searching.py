"""Slack's own search, asked while a question is answered: https://docs.slack.dev/apis/web-api/real-time-search-api.

Slack searches with the rights of the person whose message brought the leave to search (`action_token`); with a bot's
token in public channels alone. What it returns may not be stored or copied.
"""

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from slack_sdk import WebClient

from bot.slack.errors import translate_errors
from bot.slack.markup import read_words

METHOD = "assistant.search.context"
_MOST = 20  # messages of one answer: Slack's maximum
_PERMALINK_LIMIT = 300  # characters; those of messages have about 100
_TS = re.compile(r"\d{10}\.\d{6}", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundMessage:
    """Holds a message that Slack found. Its words are shown to nobody who logs this."""

    permalink: str
    author: str  # a name
    channel: str  # a name, without #
    sent_at: float  # seconds since 1970
    words: str = field(repr=False)  # as people see them


def search_messages(
    client: WebClient, question: str, *, action_token: str, channel_id: str, own_url: str
) -> list[FoundMessage]:
    """Ask Slack for messages of public channels that a person may read, the best first.

    action_token: of this person's own message. channel_id: the direct messages in which it was written; where the
    person of the token is not in them, Slack refuses. own_url: the workspace's address; what Slack finds elsewhere is
    left out, and so is what bots said. SlackRefusedError or SlackUnavailableError when there is no answer.
    """
    with translate_errors():
        answer = client.api_call(
            METHOD,
            params={
                "query": question,
                "action_token": action_token,
                "channel_types": "public_channel",
                "content_types": "messages",
                "context_channel_id": channel_id,
                "include_bots": False,
                "limit": _MOST,
            },
        )
    results = answer.data.get("results") if isinstance(answer.data, dict) else None
    messages = results.get("messages") if isinstance(results, dict) else None
    read = [_read_message(message, own_url) for message in messages or [] if isinstance(message, dict)]
    return [message for message in read if message]


def _read_message(message: dict[str, Any], own_url: str) -> FoundMessage | None:
    """Return a message with all that is needed to quote it; None for another, or one that is not the workspace's."""
    permalink, sent = str(message.get("permalink") or ""), str(message.get("message_ts") or "")
    content = message.get("content")
    if message.get("is_author_bot") or not isinstance(content, str) or not _TS.fullmatch(sent):
        return None
    if len(permalink) > _PERMALINK_LIMIT or not _is_at(own_url, permalink):
        return None
    return FoundMessage(
        permalink=permalink,
        author=str(message.get("author_name") or ""),
        channel=str(message.get("channel_name") or ""),
        sent_at=float(sent),
        words=read_words(content),
    )


def _is_at(own_url: str, address: str) -> bool:
    """Return True if an address has the scheme, host and port of the workspace's, and no user in it."""
    try:
        own, parts = urlsplit(own_url), urlsplit(address)
        places = [(each.scheme, each.netloc) for each in (own, parts)]
    except ValueError:
        return False
    return places[0] == places[1] and own.scheme in ("http", "https") and bool(own.netloc) and "@" not in parts.netloc
