"""Identify the author of a message, by Slack's description of it. Pure."""

from typing import Any

# A message of a person has no subtype, except when it brings a file along or is shown in the channel as well.
_PERSONS_SUBTYPES = frozenset({"", "file_share", "thread_broadcast"})
_SLACKBOT = "USLACKBOT"


def is_persons(message: dict[str, Any], *, own_user_id: str) -> bool:
    """True for a message that a person typed: not by a bot (us included), no edit, no join, no other notice."""
    author = message.get("user")
    return (
        bool(author)
        and author not in (_SLACKBOT, own_user_id)
        and not message.get("bot_id")
        and not message.get("hidden")
        and (message.get("subtype") or "") in _PERSONS_SUBTYPES
    )
