"""Find the members of a channel: asked of Slack, or as it said just now, where a delay of seconds reveals nothing.

Slack allows about a hundred questions a minute. Posting and opening are always decided by a fresh answer; to begin
answering, and to offer a private answer afterwards, a recent one is enough.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from slack_sdk import WebClient

LIFE_S = 10.0  # how long what Slack said of members to this process may be believed

_may_be_recent: ContextVar[bool] = ContextVar("may_be_recent", default=False)
_said: dict[tuple[str, str, str], tuple[float, frozenset[str]]] = {}  # when, on the monotonic clock, and who


@contextmanager
def accept_recent() -> Iterator[None]:
    """Believe within the block what Slack said just now of members and channels."""
    token = _may_be_recent.set(True)
    try:
        yield
    finally:
        _may_be_recent.reset(token)


def is_recent_enough() -> bool:
    """Return True within such a block."""
    return _may_be_recent.get()


def find_members(client: WebClient, channel_id: str, ask: Callable[[], set[str]]) -> set[str]:
    """Find the members of a channel; `ask` asks Slack for them. That they are unknown is never remembered."""
    key, now = (client.base_url, client.token or "", channel_id), time.monotonic()
    if is_recent_enough():
        said_at, members = _said.get(key, (0.0, frozenset()))
        if members and now - said_at < LIFE_S:
            return set(members)
    asked = ask()
    for old in [key for key, (said_at, _) in list(_said.items()) if now - said_at >= LIFE_S]:
        _said.pop(old, None)
    _said[key] = now, frozenset(asked)
    return asked


def forget() -> None:
    """Believe nothing of what Slack said."""
    _said.clear()
