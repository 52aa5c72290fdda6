"""Post a message of ours once, by however many attempts and processes.

After a call that broke off, or in a process that took over from a killed one, nobody knows whether the message was
posted. So it carries a marker, the id of its first block, and is looked for before another one is posted.
"""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from slack_sdk import WebClient

from bot.blocks.message import Message
from bot.slack.errors import SlackRefusedError, SlackUnavailableError, translate_errors
from bot.slack.refused_blocks import send

logger = logging.getLogger(__name__)

_MESSAGES_PER_PAGE = 200


class DeletedMessageError(SlackUnavailableError):
    """The message no longer exists; the next attempt posts a new one."""


def _find_nothing(_: list[dict[str, Any]]) -> str:
    return ""


@dataclass(kw_only=True, slots=True)
class IdempotentMessage:
    """Holds one message in a channel. A later attempt may repeat every call, and there is one message in the end."""

    client: WebClient
    team_id: str
    channel_id: str
    thread_ts: str  # empty where it stands in the channel itself
    marker: str  # unlike that of any other message
    ts: str  # as it was recorded; empty when nobody knows of a message
    since: str  # the ts from which on an earlier attempt may have posted it; empty when there was none
    record: Callable[[str], None]  # keeps the ts; an empty one where `put` finds that the message was deleted
    find_unmarked: Callable[[list[dict[str, Any]]], str] = _find_nothing  # its ts where it has no marker yet
    turn: Callable[[], AbstractContextManager[None]] = nullcontext  # in which it is posted

    def is_there(self) -> bool:
        """Return True if it was posted; an earlier attempt may have done so without recording it."""
        if not self.ts and self.since:
            found = self._find_posted()
            if found:
                self._record(found)
        return bool(self.ts)

    def ensure(self, compose: Callable[[], Message]) -> bool:
        """Post what is composed, unless the message is there. Whether it was posted now."""
        if self.is_there():
            return False
        self._record(self._post_message(compose()))
        return True

    def put(self, said: Message) -> None:
        """Let the message say this, posting it if there is none.

        DeletedMessageError when somebody has deleted it: that is recorded, and the next attempt posts another one.
        """
        if self.ensure(lambda: said):
            return
        try:
            self.edit(said)
        except DeletedMessageError:
            self._record("")
            raise

    def edit(self, said: Message) -> None:
        """Let the message that is there say this. It records nothing. DeletedMessageError when it was deleted."""
        try:
            send(self.team_id, self._add_marker(said), self._call_update)
        except SlackRefusedError as error:
            if error.code != "message_not_found":
                raise
            raise DeletedMessageError(error.code) from None

    def _record(self, ts: str) -> None:
        self.ts = ts
        self.record(ts)

    def _post_message(self, said: Message) -> str:
        """Post it with nothing unfurled. Its ts."""
        with self.turn():
            return send(self.team_id, self._add_marker(said), self._call_post)

    def _call_post(self, said: Message) -> str:
        with translate_errors():
            posted = self.client.chat_postMessage(
                channel=self.channel_id,
                thread_ts=self.thread_ts or None,
                text=said.text,
                blocks=said.blocks,
                unfurl_links=False,
                unfurl_media=False,
            )
        return str(posted["ts"])

    def _call_update(self, said: Message) -> None:
        with translate_errors():
            self.client.chat_update(channel=self.channel_id, ts=self.ts, text=said.text, blocks=said.blocks)

    def _add_marker(self, said: Message) -> Message:
        first, *others = said.blocks
        return replace(said, blocks=[{**first, "block_id": self.marker}, *others])

    def _find_posted(self) -> str:
        """Find the ts of the message; empty when it is not there, or Slack will not let us look."""
        place: dict[str, Any] = {"channel": self.channel_id, "oldest": self.since, "limit": _MESSAGES_PER_PAGE}
        try:
            with translate_errors():
                if self.thread_ts:
                    pages = self.client.conversations_replies(ts=self.thread_ts, **place)
                else:
                    pages = self.client.conversations_history(**place)
                messages = [message for page in pages for message in page.get("messages") or []]
        except SlackRefusedError as error:
            logger.warning("messages_unreadable", extra={"channel": self.channel_id, "code": error.code})
            messages = []
        for message in messages:
            if any(block.get("block_id") == self.marker for block in message.get("blocks") or []):
                return str(message["ts"])
        return self.find_unmarked(messages)
