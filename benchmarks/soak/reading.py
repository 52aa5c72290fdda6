"""From what the played Slack has to what is judged: which question a message answers, and who reads it."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import psycopg

from benchmarks.soak.judging import Asked, Shown
from benchmarks.soak.played import Call, as_text
from bot.blocks.message import STEPS
from bot.delivery.engine import APOLOGY

_REPLIES = """
SELECT reply.channel_id, reply.ts, event.event_id
FROM bot_reply reply JOIN bot_slackevent event ON event.id = reply.event_id
"""


def read_replies(superuser_url: str) -> dict[tuple[str, str], str]:
    """The event that each message answers, by channel and ts."""
    with psycopg.connect(superuser_url) as connection:
        return {(channel, ts): event for channel, ts, event in connection.execute(_REPLIES).fetchall()}


class Audiences:
    """The readers of everything shown, each with the time from which their access counts."""

    def __init__(
        self,
        *,
        asked: Iterable[Asked],
        replies: Mapping[tuple[str, str], str],
        clicks: Mapping[str, tuple[str, float]],
        channels: Mapping[str, Iterable[str]],
        ids: Mapping[str, str],
    ) -> None:
        questions = list(asked)
        self._by_event = {event: one for one in questions for event in one.event_ids}
        self._by_thread: defaultdict[tuple[str, str], list[Asked]] = defaultdict(list)
        for one in questions:
            self._by_thread[one.channel, one.thread_ts].append(one)
        self._replies, self._clicks, self._channels, self._ids = replies, clicks, channels, ids
        self._views: dict[str, tuple[str, float]] = {}

    def of(self, calls: Iterable[Call]) -> Iterator[Shown]:
        """Yield everything shown, with its readers. Without a known cause it counts from its own time on."""
        for call in calls:
            users, since = self._find(call)
            yield Shown(
                at=call.at,
                since=min(since, call.at),
                readers=frozenset(self._ids[user] for user in users if user in self._ids),
                text=as_text(call),
                where=f"{call.method} {call.arguments.get('channel', '')} {call.ts}",
            )

    def _find(self, call: Call) -> tuple[Iterable[str], float]:
        arguments = call.arguments
        if call.method in ("views.open", "views.update"):
            return self._find_view(call)
        channel = str(arguments.get("channel") or "")
        since = self._find_since(channel, call)
        if call.method == "chat.postEphemeral":
            return [str(arguments["user"])], since
        return (self._channels[channel] if channel in self._channels else [f"U{channel[1:]}"]), since

    def _find_view(self, call: Call) -> tuple[Iterable[str], float]:
        if call.method == "views.open":
            self._views[call.ts] = self._clicks.get(str(call.arguments.get("trigger_id")), ("", call.at))
        user, since = self._views.get(str(call.arguments.get("view_id") or call.ts), ("", call.at))
        return [user], since

    def _find_since(self, channel: str, call: Call) -> float:
        event = self._replies.get((channel, call.ts))
        if event in self._by_event:
            return self._by_event[event].at
        thread = self._by_thread.get((channel, str(call.arguments.get("thread_ts") or "")), [])
        return min((one.at for one in thread if one.at <= call.at), default=call.at)


def read_causes(log: bytes) -> dict[int, str]:
    """The names of the errors that ended jobs for good, by the job's id, from the processes' log."""
    causes = {}
    for line in log.splitlines():
        if b'"action": "job_error"' in line and line.startswith(b"{"):
            said = json.loads(line)
            causes[int(said["job"]["id"])] = _read_error(str(said.get("exc_info")))
    return causes


def _read_error(traceback: str) -> str:
    """The last error's name, which stands behind the places of its traceback."""
    behind = traceback.rpartition("Traceback (most recent call last):\n")[2].splitlines()
    name = next((line for line in behind if line and not line.startswith(" ")), "")
    return name.partition(":")[0].rpartition(".")[2]


def is_final(message: Mapping[str, Any]) -> bool:
    """Return True if a message says something, and is no sign of work."""
    text = str(message.get("text") or "")
    return (
        bool(message.get("blocks")) and text not in STEPS.values() and message.get("streaming_state") != "in_progress"
    )


def is_apology(message: Mapping[str, Any]) -> bool:
    """Return True if a message says no more than that there is no answer."""
    return str(message.get("text") or "") == APOLOGY
