"""The burst itself: events at their times, and clicks meanwhile."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from benchmarks.burst.requests import click, mention
from benchmarks.installation.requests import SLACK_WAITS_S, Endpoint

SENT_TWICE_EVERY = 10  # one mention of so many is sent a second time, with the same event ids
CLICK_EVERY_S = 0.1
_SENDERS = 64  # events that are on their way at once, at most


@dataclass(slots=True)
class Heard:
    """The acknowledgements of the web process."""

    acknowledged_ms: list[float] = field(default_factory=list)  # from when an event was due
    not_acknowledged: int = 0
    clicks: int = 0
    clicks_refused: int = 0


def send_events(endpoint: Endpoint, *, events: int, within_s: float, heard: Heard) -> None:
    """Send the mentions, evenly over some seconds, each in its two events, and some of them twice.

    The time to an acknowledgement counts from when the event was due: waiting for a free sender is part of it.
    """
    started = time.monotonic()
    noting = threading.Lock()

    def send(body: dict[str, Any], due: float, headers: dict[str, str]) -> None:
        status = endpoint.event(body, **headers)
        took_ms = (time.monotonic() - due) * 1000
        with noting:
            heard.acknowledged_ms.append(took_ms)
            heard.not_acknowledged += status != 200

    with ThreadPoolExecutor(_SENDERS, thread_name_prefix="event") as senders:
        for number in range(events):
            due = started + number * within_s / events
            time.sleep(max(0.0, due - time.monotonic()))
            pair = mention(number)
            for body in pair if number % 2 else reversed(pair):
                senders.submit(send, body, due, {})
            if number % SENT_TWICE_EVERY == 0:
                for body in pair:
                    senders.submit(send, body, due, {"X-Slack-Retry-Num": "1", "X-Slack-Retry-Reason": "http_timeout"})


class Clicking:
    """Clicks on one answer within the block, one every CLICK_EVERY_S."""

    def __init__(self, endpoint: Endpoint, request_id: str, heard: Heard) -> None:
        self._endpoint, self._request_id, self._heard = endpoint, request_id, heard
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="clicks")

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        with ThreadPoolExecutor(_SENDERS, thread_name_prefix="click") as clickers:
            while not self._over.wait(CLICK_EVERY_S):
                clickers.submit(self._click, self._heard.clicks)
                self._heard.clicks += 1

    def _click(self, number: int) -> None:
        started = time.monotonic()
        status = self._endpoint.click(click(number, self._request_id))
        if status != 200 or time.monotonic() - started > SLACK_WAITS_S:
            self._heard.clicks_refused += 1


def wait_until(done: Callable[[], bool], deadline: float) -> bool:
    """Wait for something until a time on the monotonic clock. False when it did not come about."""
    while not done():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True
