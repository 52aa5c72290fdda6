"""The workspace that the burst comes from: its people, its channels, and a server that plays Slack for them."""

import time
from collections import Counter
from typing import Any, Self

from tests.integration.bot.slack_server import BOT_USER, Failure, SlackServer

PEOPLE = 50
CHANNELS = 10
ANSWERED_BY = "soup"  # the word of the answer that no other message of the bot has
CALL_S = 0.1  # what a call of Slack's Web API takes
POSTS_EVERY_S = 1.0  # Slack takes about one message a second in a channel
_METHODS = (
    "chat.postMessage",
    "chat.update",
    "chat.postEphemeral",
    "conversations.info",
    "conversations.members",
    "users.info",
    "views.open",
)

people = [f"U{number:04d}" for number in range(PEOPLE)]
channels = [f"C{number:04d}" for number in range(CHANNELS)]


def email_of(person: str) -> str:
    """The address by which a person is known."""
    return f"{person.casefold()}@example.com"


class Workspace(SlackServer):
    """Everyone is in every channel. It knows when each answer came, and if told so takes one message a second.

    The limit is Slack's for chat.postMessage, and per channel; what is beyond it is refused with Retry-After.
    """

    def __init__(self, *, limits_rate: bool) -> None:
        super().__init__()
        self._limits_rate = limits_rate
        self._next_post: dict[str, float] = {}  # by channel, on the monotonic clock
        self.refused = 0  # calls beyond the rate
        self.last_answer = 0.0  # monotonic
        self.page_size = 1000
        self.delay_s = dict.fromkeys(_METHODS, CALL_S)
        self.add_user(BOT_USER, None, is_bot=True)
        for person in people:
            self.add_user(person, email_of(person))
        self.members = {channel: [*people, BOT_USER] for channel in channels}

    def __enter__(self) -> Self:
        super().__enter__()
        return self

    def call(self, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return Slack's response, and note the time of an answer."""
        result = super().call(method, arguments)
        if is_answer(arguments):
            self.last_answer = time.monotonic()
        return result

    def failure_of(self, method: str, arguments: dict[str, Any]) -> Failure | None:
        """Refuse a message that comes too soon after the one before in its channel."""
        now = time.monotonic()
        if not self._limits_rate or method != "chat.postMessage":
            return None
        next_post = self._next_post.get(arguments["channel"], now)
        if now < next_post:
            self.refused += 1
            return Failure(error="ratelimited", status=429, headers={"Retry-After": "1"})
        self._next_post[arguments["channel"]] = now + POSTS_EVERY_S
        return None

    def calls_per(self, answers: int) -> dict[str, float]:
        """Return how often each method was called per answer."""
        return {method: count / answers for method, count in Counter(method for method, _ in self.calls).items()}

    def threads(self) -> dict[tuple[str, str], list[bool]]:
        """For each thread, by channel and ts, its messages of ours: whether each is an answer."""
        said: dict[tuple[str, str], list[bool]] = {}
        for channel, messages in list(self.messages.items()):
            for message in list(messages):
                said.setdefault((channel, message["thread_ts"]), []).append(is_answer(message))
        return said


def is_answer(message: dict[str, Any]) -> bool:
    """Return True if a message is the answer, not a sign of work or an apology."""
    return ANSWERED_BY in str(message.get("blocks"))
