"""Slack takes about one message a second in a channel, and a few more at once: ours are spread over time.

https://docs.slack.dev/apis/web-api/rate-limits. Each worker keeps the pace for itself; where several are too fast
together, Slack's Retry-After holds them.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID

from bot.models import Reply, SlackEvent
from bot.slack.errors import SlackUnavailableError

INTERVAL_S = 1.1  # between two messages in a channel; the tenth is for calls that are not equally fast
BURST = 3  # messages that need not wait for each other, so that two people who ask at once both see a sign of work
LONGEST_WAIT_S = 2.0  # that a job keeps its thread for; with more to wait it gives way to others


class Pace:
    """Keeps the turns of replies that are to be posted."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._free: dict[str, float] = {}  # channel: from when on it takes another BURST of messages
        self._turns: dict[UUID, float] = {}  # reply: its turn

    def reserve(self, channel_id: str, reply_id: UUID) -> float:
        """Return the seconds until a reply's turn. The turn is kept; a reply that is too late for it gets another."""
        with self._lock:
            now = self._clock()
            # Turns that are over are forgotten. One that begins now is not: its reply is about to ask again.
            self._free = {channel: free for channel, free in self._free.items() if free > now}
            self._turns = {reply: turn for reply, turn in self._turns.items() if turn > now - INTERVAL_S / 2}
            if reply_id not in self._turns:
                due = max(now, self._free.get(channel_id, now))
                self._turns[reply_id] = max(now, due - (BURST - 1) * INTERVAL_S)
                self._free[channel_id] = due + INTERVAL_S
            return self._turns[reply_id] - now

    def hold(self, channel_id: str, seconds: float) -> None:
        """Hold a channel in which Slack takes nothing more for so long."""
        with self._lock:
            until = self._clock() + seconds + (BURST - 1) * INTERVAL_S
            self._free[channel_id] = max(until, self._free.get(channel_id, until))


_pace = Pace()


def give_way(reply: Reply) -> None:
    """Raise SlackUnavailableError, with the time to come back, when a reply that is to be posted has long to wait."""
    if reply.ts or reply.response_url or not reply.channel_id or reply.event.kind == SlackEvent.Kind.UNASKED:
        return  # to what was overheard there may be nothing to say
    if reply.event.stop_asked_at:
        return  # nothing more is posted
    wait = _pace.reserve(reply.channel_id, reply.pk)
    if wait > LONGEST_WAIT_S:
        raise SlackUnavailableError("paced", retry_after_s=wait)


@contextmanager
def wait_for_turn(reply: Reply) -> Iterator[None]:
    """Wait for a reply's turn, then post it within the block."""
    time.sleep(max(0.0, _pace.reserve(reply.channel_id, reply.pk)))
    try:
        yield
    except SlackUnavailableError as error:
        _pace.hold(reply.channel_id, error.retry_after_s)
        raise
