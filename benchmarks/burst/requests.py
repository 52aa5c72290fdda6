"""Build the requests of the burst: mentions in their two events, and clicks on an answer."""

from typing import Any

from benchmarks.burst.workspace import channels, people
from benchmarks.installation.requests import button_click, event_callback
from bot.blocks.buttons import FEEDBACK_UP, SHOW_QUOTES
from tests.integration.bot.slack_server import BOT_USER

QUESTION = "What does the canteen in the harbour office serve at noon?"


def mention(number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The two events of one mention, in a thread of its own: app_mention, and message."""
    ts = f"1700000000.{number:06d}"
    said = {
        "channel": channels[number % len(channels)],
        "user": people[number % len(people)],
        "text": f"<@{BOT_USER}> {QUESTION}",
        "ts": ts,
        "event_ts": ts,
    }
    return (
        event_callback(f"EvA{number:08d}", {"type": "app_mention", **said}),
        event_callback(f"EvM{number:08d}", {"type": "message", "channel_type": "channel", **said}),
    )


def thread_of(number: int) -> tuple[str, str]:
    """The channel and the ts of a mention."""
    event = mention(number)[0]["event"]
    return event["channel"], event["ts"]


def click(number: int, request_id: str) -> dict[str, Any]:
    """A click on an answer: its quotes, and a vote, in turn."""
    return button_click(
        user=people[number % len(people)],
        channel=channels[0],
        message_ts="2.2",
        thread_ts="1.1",
        action=FEEDBACK_UP if number % 2 else SHOW_QUOTES,
        value=request_id,
        trigger=f"{number}.1.burst",
    )
