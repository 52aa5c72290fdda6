"""A reply that Slack streams: the steps are seen as they happen, then the answer as far as it stands already.

Only in direct messages: in a channel Slack streams to one person, and shows the others nothing until the end.

What was streamed cannot be taken back before the stream ends. So words are streamed only where they go on from those
before; where the answer is another in the end, nothing more is streamed, and the edit puts it in their place.

A stream cannot be told to unfurl nothing, as a posted message is. So no link is ever streamed: the stream ends with the
answer's words alone, and is then edited into the whole message. What an edit adds is not unfurled.
"""

import datetime as dt
import logging

from django.conf import settings
from django.utils import timezone
from slack_sdk import WebClient
from slack_sdk.models.messages.chunk import Chunk, MarkdownTextChunk, TaskUpdateChunk

from bot.blocks.answer import render_answer_pieces
from bot.blocks.message import STEPS
from bot.delivery.progress import Sign
from bot.delivery.surfaces import FIRST_STEP, MessageSurface, Rendering
from bot.models import Reply, SlackEvent
from bot.slack.errors import SlackRefusedError, translate_errors
from core.i18n.translation import say

logger = logging.getLogger(__name__)

_REFUSED_FOR = dt.timedelta(minutes=30)  # how long a team is not asked again that does not stream
# Slack ends streams by itself after some minutes, and when somebody presses stop.
_ENDED = frozenset({"message_not_in_streaming_state", "stopped_by_user"})

_refused: dict[str, dt.datetime] = {}  # team: when it refused to stream, in this process


def may_stream(reply: Reply) -> bool:
    """Whether to try to stream this reply."""
    team_refused = _refused.get(reply.event.team_id)
    return (
        settings.SLACK_STREAMING
        and reply.event.kind == SlackEvent.Kind.DIRECT
        and not (team_refused and timezone.now() - team_refused < _REFUSED_FOR)
    )


class StreamSurface(MessageSurface):
    """A streamed message in a thread of direct messages; an ordinary one where Slack refuses, or has ended it."""

    def __init__(self, client: WebClient, reply: Reply) -> None:
        super().__init__(client, reply)
        self._done: list[str] = []  # steps; none where an earlier attempt began the stream
        self._words = ""  # streamed so far

    @property
    def streams(self) -> bool:
        """Whether this attempt has begun a stream."""
        return bool(self._done)

    def begin(self) -> None:
        """Start the stream, unless an earlier attempt posted something."""
        if self.is_there():
            return
        event, reply = self._reply.event, self._reply
        try:
            with translate_errors():
                started = self._client.chat_startStream(
                    channel=reply.channel_id,
                    thread_ts=reply.thread_ts,
                    recipient_user_id=event.user_id,
                    recipient_team_id=event.team_id,
                    chunks=[_build_task(FIRST_STEP, "in_progress")],
                )
        except SlackRefusedError as error:
            logger.info("streaming_refused", extra={"team": event.team_id, "code": error.code})
            _refused[event.team_id] = timezone.now()
            super().begin()
            return
        self._done = [FIRST_STEP]
        reply.is_stream = True
        self._record(str(started["ts"]))

    def show(self, sign: Sign) -> None:
        """Mark the last step as done, and the next as under way; behind words no step is shown."""
        if not self._reply.is_stream:
            super().show(sign)
        elif not self._done:
            return
        elif sign.words:
            self._go_on(_render_beginning(sign.words))
        elif sign.step not in self._done:
            self._append([_build_task(self._done[-1], "complete"), _build_task(sign.step, "in_progress")])
            self._done.append(sign.step)

    def _go_on(self, words: str) -> None:
        """Stream what comes behind the words that are there."""
        more = self._find_more(words)
        if more:
            self._append(more)
            self._words = words

    def _find_more(self, words: str) -> list[Chunk]:
        """What comes behind the words that are there; nothing where these begin otherwise."""
        more = words.removeprefix(self._words) if words.startswith(self._words) else ""
        return [MarkdownTextChunk(text=more)] if more else []

    def _append(self, chunks: list[Chunk]) -> None:
        with translate_errors():
            self._client.chat_appendStream(channel=self._reply.channel_id, ts=self._reply.ts, chunks=chunks)

    def finish(self, rendering: Rendering) -> None:
        """End the stream, and edit it into what is said; one of an earlier attempt ends as it is."""
        if self.is_there() and self._reply.is_stream:
            self._end(rendering.streamed if self._done else None)
        super().finish(rendering)

    def _end(self, text: str | None) -> None:
        """End the stream, with the last step done and these words, or with nothing more."""
        last = None if text is None else [_build_task(self._done[-1], "complete"), *self._find_more(text)]
        try:
            with translate_errors():
                self._client.chat_stopStream(channel=self._reply.channel_id, ts=self._reply.ts, chunks=last)
        except SlackRefusedError as error:
            if error.code not in _ENDED:
                logger.info("stream_not_ended", extra={"reply": str(self._reply.pk), "code": error.code})


def _render_beginning(words: str) -> str:
    """The beginning of an answer as it is streamed, without the space in which it would end."""
    return "".join(render_answer_pieces(words)).rstrip()


def _build_task(step: str, status: str) -> TaskUpdateChunk:
    return TaskUpdateChunk(id=step, title=say(STEPS[step]), status=status)
