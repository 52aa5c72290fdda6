"""Read a message as Slack writes it: whether a person typed it, whom it mentions, and the question in it. Pure."""

import html
import re
from typing import Any

from core.language.nlp.text import one_line

_TOKEN = re.compile(r"<([^<>]*)>")
LEFT_OUT = "[…]"  # stands in a quote for what is not shown of it
_SOMEBODY = re.compile(r"<[@!][^<>]*>")  # a mention of a person, a usergroup or everyone

# A message of a person has no subtype, except when it brings a file along or is shown in the channel as well.
_PERSONS_SUBTYPES = frozenset({"", "file_share", "thread_broadcast"})
_SLACKBOT = "USLACKBOT"


def mentions_somebody(text: str) -> bool:
    """Return True if a message mentions a person, a usergroup or everyone."""
    return bool(_SOMEBODY.search(text))


def drop_markup(text: str) -> str:
    """Return a message without its links and mentions, in whose addresses anything may stand."""
    return _TOKEN.sub(" ", text)


def extract_question(text: str, *, own_user_id: str) -> str:
    """Read the question in a message, on one line: without our own mention, Slack's markup as people see it.

    Mentions of other people without a name are taken out as well: an id means nothing to the documents.
    """
    return one_line(_unescape(_TOKEN.sub(lambda match: _render_token(match[1], own_user_id), text)))


def read_words(text: str) -> str:
    """Return the words of a message as people see them, line by line, to be quoted.

    A mention without a name, which is an id in Slack's form, is marked as left out.
    """
    return _unescape(_TOKEN.sub(lambda match: _render_token(match[1], "") or LEFT_OUT, text))


def _unescape(text: str) -> str:
    # Slack escapes only these three characters; anything else that looks like an entity was typed.
    for entity in ("&lt;", "&gt;", "&amp;"):
        text = text.replace(entity, html.unescape(entity))
    return text


def _render_token(token: str, own_user_id: str) -> str:
    target, _, label = token.partition("|")
    if target.startswith("@"):
        return f"@{label}" if label and target != f"@{own_user_id}" else ""
    if target.startswith("#"):
        return f"#{label}" if label else ""
    if target.startswith("!"):
        return label or "@" + target[1:].partition("^")[0]
    return label or target.removeprefix("mailto:")


def is_persons(message: dict[str, Any], *, own_user_id: str) -> bool:
    """Return True for a message that a person typed: not by a bot (us included), no edit, no join, no other notice."""
    author = message.get("user")
    return (
        bool(author)
        and author not in (_SLACKBOT, own_user_id)
        and not message.get("bot_id")
        and not message.get("hidden")
        and (message.get("subtype") or "") in _PERSONS_SUBTYPES
    )
