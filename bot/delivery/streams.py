"""A reply that Slack streams: the steps are seen as they happen, then the answer as far as it stands already.

The steps are the tasks of one plan. Each says how much it works on (documents, passages, statements), and no word of a
document: that comes with the answer, once it is checked.

Only in direct messages: in a channel Slack streams to one person, and shows the others nothing until the end.

What was streamed cannot be taken back before the stream ends. So words are streamed only where they go on from those
before; where the answer is another in the end, nothing more is streamed, and the edit puts it in their place.

A stream cannot be told to unfurl nothing, as a posted message is. So no link is ever streamed: the stream ends with the
answer's words alone, and is then edited into the whole message. What an edit adds is not unfurled.
"""

import datetime as dt
import logging
from collections.abc import Sequence

from django.conf import settings
from django.utils import timezone
from slack_sdk import WebClient
from slack_sdk.models.messages.chunk import Chunk, MarkdownTextChunk, PlanUpdateChunk, TaskUpdateChunk

from bot.blocks.answer import render_answer_pieces
from bot.blocks.message import PLAN, STEPS, describe_step
from bot.delivery.progress import Sign
from bot.delivery.surfaces import FIRST_STEP, MessageSurface, Rendering
from bot.models import Reply, SlackEvent
from bot.slack.errors import SlackRefusedError, translate_errors
from core.language.i18n.translation import say

logger = logging.getLogger(__name__)

_REFUSED_FOR = dt.timedelta(minutes=30)  # how long a team is not asked again that does not stream
# Slack ends streams by itself after some minutes, and when somebody presses stop.
_ENDED = frozenset({"message_not_in_streaming_state", "stopped_by_user"})

_refused: dict[str, dt.datetime] = {}  # team: when it refused to stream, in this process


def may_stream(reply: Reply) -> bool:
    """Return True if streaming this reply should be tried."""
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
        # The tasks of the plan, with how far each is and how much it works on; none in a stream that was begun before.
        self._tasks: dict[str, tuple[str, int]] = {}
        self._words = ""  # streamed so far

    @property
    def streams(self) -> bool:
        """Return True if this attempt has begun a stream."""
        return bool(self._tasks)

    def begin(self) -> None:
        """Start the stream with a plan and its first task, unless an earlier attempt posted something."""
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
                    task_display_mode="plan",
                    chunks=[PlanUpdateChunk(title=say(PLAN)), _build_task(FIRST_STEP, "in_progress", 0)],
                )
        except SlackRefusedError as error:
            logger.info("streaming_refused", extra={"team": event.team_id, "code": error.code})
            _refused[event.team_id] = timezone.now()
            super().begin()
            return
        self._tasks = {FIRST_STEP: ("in_progress", 0)}
        reply.is_stream = True
        self._record(str(started["ts"]))

    def show(self, sign: Sign) -> None:
        """Mark the last step as done, and the next as under way; behind words no step is shown."""
        if not self._reply.is_stream:
            super().show(sign)
        elif not self._tasks:
            return
        elif sign.words:
            words = "".join(render_answer_pieces(sign.words)).rstrip()  # without the space in which it would end
            more = self._find_more(words)
            if more:
                self._append_chunks(more)
                self._words = words
        else:
            self._show_step(sign.step, dict(sign.counts))

    def _show_step(self, step: str, counts: dict[str, int]) -> None:
        """Show the tasks that have changed. A step that passed too fast to be seen is shown as done."""
        order = list(STEPS)
        reached = order[: max(map(order.index, [*self._tasks, step])) + 1]
        tasks = {each: ("complete", counts.get(each, 0)) for each in reached}
        tasks[reached[-1]] = ("in_progress", counts.get(reached[-1], 0))
        shown = {each: count for each, (_, count) in self._tasks.items()}
        changed = [
            _build_task(each, status, count if count != shown.get(each) else 0)
            for each, (status, count) in tasks.items()
            if self._tasks.get(each) != (status, count)
        ]
        if changed:
            self._append_chunks(changed)
            self._tasks = tasks

    def _find_more(self, words: str) -> list[Chunk]:
        """Return the text to append to the words that are there; nothing if the new ones begin otherwise."""
        more = words.removeprefix(self._words) if words.startswith(self._words) else ""
        return [MarkdownTextChunk(text=more)] if more else []

    def _append_chunks(self, chunks: Sequence[Chunk]) -> None:
        with translate_errors():
            self._client.chat_appendStream(channel=self._reply.channel_id, ts=self._reply.ts, chunks=list(chunks))

    def finish(self, rendering: Rendering) -> None:
        """End the stream, and edit it into what is said; one of an earlier attempt ends as it is."""
        if self.is_there() and self._reply.is_stream:
            self._end_stream(rendering.streamed if self._tasks else None)
        super().finish(rendering)

    def _end_stream(self, text: str | None) -> None:
        """End the stream, with the last step done and these words, or with nothing more."""
        done = [_build_task(step, "complete", 0) for step, (status, _) in self._tasks.items() if status != "complete"]
        last = None if text is None else [*done, *self._find_more(text)]
        try:
            with translate_errors():
                self._client.chat_stopStream(channel=self._reply.channel_id, ts=self._reply.ts, chunks=last)
        except SlackRefusedError as error:
            if error.code not in _ENDED:
                logger.info("stream_not_ended", extra={"reply": str(self._reply.pk), "code": error.code})


def _build_task(step: str, status: str, count: int) -> TaskUpdateChunk:
    """Build the update of a task. count: 0 leaves what is said of it: nobody documents that it is not said twice."""
    return TaskUpdateChunk(id=step, title=say(STEPS[step]), status=status, details=describe_step(step, count) or None)
