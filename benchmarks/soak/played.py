"""Slack and the chat model as they are played: well, slow, wrong and silent."""

import json
import random
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from benchmarks.soak.world import World, email_of, members_with_bot
from bot.blocks.uploads import ADD_FILES
from core.asking.generation.markup import read_passages, read_question
from tests.integration.answers.chat_server import Chats, Reply, completion, failure, serving
from tests.integration.bot.slack_server import BOT_USER, Failure, SlackServer

SLOW_S = 4.0  # beyond the 3 s that Slack itself gives
SILENT_S = 25.0  # how long nothing is said to who waits; the product's own limits are shorter
RETRY_AFTER_S = 2
MODEL_S = 0.5  # what the model takes for an answer when it is well
_SHARE = 0.6  # of the calls that are met while Slack or the model is not well
_LEAKS = 0.2  # of its replies hold a sentence of another document
_SHOWING = frozenset(
    {
        "chat.postMessage", "chat.update", "chat.postEphemeral", "chat.startStream", "chat.appendStream",
        "chat.stopStream", "views.open", "views.update", "views.publish", "respond",
    }
)  # fmt: skip
_REMEMBERED = 500  # sentences
_SENTENCE = re.compile(r"The entrance code of the [^.\n]* is [^.\n]*\.")


class Mood(StrEnum):
    """The behaviour of Slack or the model."""

    WELL = "well"
    SLOW = "slow"
    FAILING = "500"
    LIMITING = "429"
    MALFORMED = "malformed"
    SILENT = "silent"
    LOST = "lost"  # does what it is asked, and then fails to say so; of Slack alone


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A call by which something is shown."""

    at: float
    method: str
    arguments: dict[str, Any]
    ts: str  # of the message, or the id of the view


class PlayedSlack(SlackServer):
    """The workspace of a world. It notes what is shown and when, and behaves as its mood is."""

    def __init__(self, world: World, chance: random.Random) -> None:
        super().__init__()
        self.mood = Mood.WELL
        self.shown: list[Call] = []
        self._chance = chance
        self._ended = threading.Event()
        self.page_size = 1000
        self.add_user(BOT_USER, None, is_bot=True)
        for person in world.people:
            self.add_user(person, email_of(person))
        self.members = dict(members_with_bot(world))

    def __enter__(self) -> Self:
        super().__enter__()
        return self

    def __exit__(self, *details: object) -> None:
        self._ended.set()  # nobody is kept waiting any longer
        super().__exit__(*details)

    def call(self, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return Slack's response. What it shows is noted first, since it is on its way to be read."""
        at = time.time()
        result = super().call(method, arguments)
        if method in _SHOWING and result.get("ok"):
            ts = str(result.get("ts") or arguments.get("ts") or result.get("view", {}).get("id") or "")
            self.shown.append(Call(at=at, method=method, arguments=arguments, ts=ts))
        self.calls.clear()  # hours of them would be kept
        self.used.clear()
        return result

    def failure_of(self, method: str, arguments: dict[str, Any]) -> Failure | None:
        """Choose how this call fails, by the mood and by chance."""
        mood = self.mood
        if mood is Mood.WELL or self._chance.random() > _SHARE:
            return None
        if mood is Mood.SLOW:
            self._ended.wait(SLOW_S)
            return None
        if mood is Mood.SILENT:
            self._ended.wait(SILENT_S)
            return Failure(error="silent", hang_up=True)
        return {
            Mood.FAILING: Failure(error="internal_error", status=500),
            Mood.LIMITING: Failure(error="ratelimited", status=429, headers={"Retry-After": str(RETRY_AFTER_S)}),
            Mood.MALFORMED: Failure(error="malformed", raw=b'{"ok": true, "ts": '),
            Mood.LOST: Failure(error="internal_error", done=True, hang_up=True),
        }[mood]

    def find_offer(self, channel: str, thread_ts: str) -> dict[str, Any] | None:
        """Our message about a file that was shared there, once it asks whether to add it."""
        return next(
            (
                message
                for message in list(self.messages[channel])
                if message.get("thread_ts") == thread_ts and f'"{ADD_FILES}"' in json.dumps(message.get("blocks"))
            ),
            None,
        )

    def find_view(self, trigger: str) -> tuple[str, dict[str, Any]] | None:
        """The window that was opened with this trigger: its id, and what it shows."""
        opened = (call for call in list(self.shown) if call.arguments.get("trigger_id") == trigger)
        return next(((call.ts, call.arguments["view"]) for call in opened), None)


class PlayedModel:
    """Answers with what stands in the passages, and now and then with what stood in those of somebody else."""

    def __init__(self, chance: random.Random) -> None:
        self.mood = Mood.WELL
        self.address = ""
        self._chance = chance
        self._chats = Chats()
        self._seen: list[str] = []  # sentences, of whosever passages
        self._ended = threading.Event()

    @contextmanager
    def served(self) -> Iterator[Self]:
        """It answers within the block."""
        with serving() as self._chats:
            self._chats.compose = self._compose
            self.address = self._chats.address
            try:
                yield self
            finally:
                self._ended.set()

    def _compose(self, request: dict[str, Any]) -> Reply:
        self._chats.asked.clear()
        mood = self.mood if self._chance.random() < _SHARE else Mood.WELL
        self._chats.headers = {"Retry-After": str(RETRY_AFTER_S)} if mood is Mood.LIMITING else {}
        match mood:
            case Mood.FAILING:
                return failure(500, "the model is not well")
            case Mood.LIMITING:
                return failure(429, "too many requests", "rate_limit_exceeded")
            case Mood.MALFORMED:
                return 200, b'{"id": "c", "choices": [{'
            case Mood.SILENT:
                self._ended.wait(SILENT_S)
                return failure(503, "too late")
            case Mood.SLOW:
                self._ended.wait(SLOW_S)
        self._ended.wait(MODEL_S)
        return completion(self._write("\n".join(str(message.get("content")) for message in request["messages"])))

    def _write(self, prompt: str) -> str:
        """Two lines for the sentence that answers; the question itself where it is to be rewritten."""
        question, passages = read_question(prompt), read_passages(prompt)
        if not passages:
            return question or "NOTHING"
        known = [(passage.number, said) for passage in passages for said in _SENTENCE.findall(passage.text)]
        about = [(number, said) for number, said in known if said.split(" of the ")[1].split(" is ")[0] in question]
        lines = [f"ANSWER: {said}\nQUOTE {number}: {said}" for number, said in about[:1]]
        if self._seen and self._chance.random() < _LEAKS:
            leaked = self._chance.choice(self._seen)
            lines.append(f"ANSWER: {leaked}\nQUOTE 1: {leaked}")
        self._seen = [*dict.fromkeys([*self._seen, *(said for _, said in known)])][-_REMEMBERED:]
        return "\n".join(lines) or "NOTHING"


def as_text(call: Call) -> str:
    """All that a call shows, to be searched for words."""
    return json.dumps({name: value for name, value in call.arguments.items() if name != "token"}, ensure_ascii=False)
