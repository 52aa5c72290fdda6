"""Requests as Slack sends them, signed, and how long each took to be acknowledged."""

import http.client
import json
import time
from typing import Any
from urllib.parse import urlencode

from slack_sdk.signature import SignatureVerifier

from benchmarks.burst.workspace import channels, people
from bot.blocks.buttons import FEEDBACK_UP, SHOW_QUOTES
from tests.integration.bot.slack_server import BOT_USER, TEAM

SECRET = "signing-secret-of-the-burst"  # noqa: S105 - of a workspace that is not there
SLACK_WAITS_S = 3.0  # for an acknowledgement
QUESTION = "What does the canteen in the harbour office serve at noon?"
_JSON, _FORM = "application/json", "application/x-www-form-urlencoded"


class Endpoint:
    """Where the web process hears Slack."""

    def __init__(self, port: int) -> None:
        self._port = port

    def event(self, body: dict[str, Any], **headers: str) -> int:
        """Send an event; the status, or 0 without an answer in time."""
        return self._post(json.dumps(body), _JSON, headers)

    def click(self, body: dict[str, Any]) -> int:
        """Send a click; the status, or 0 without an answer in time."""
        return self._post(urlencode({"payload": json.dumps(body)}), _FORM, {})

    def _post(self, raw: str, content_type: str, headers: dict[str, str]) -> int:
        timestamp = str(int(time.time()))
        signature = SignatureVerifier(SECRET).generate_signature(timestamp=timestamp, body=raw)
        signed = {"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": str(signature)}
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=SLACK_WAITS_S)
        try:
            connection.request("POST", "/slack/events", raw, {"Content-Type": content_type, **signed, **headers})
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            connection.close()


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
        _event(f"EvA{number:08d}", {"type": "app_mention", **said}),
        _event(f"EvM{number:08d}", {"type": "message", "channel_type": "channel", **said}),
    )


def thread_of(number: int) -> tuple[str, str]:
    """The channel and the ts of a mention."""
    event = mention(number)[0]["event"]
    return event["channel"], event["ts"]


def click(number: int, request_id: str) -> dict[str, Any]:
    """A click on an answer: its quotes, and a vote, in turn."""
    return {
        "type": "block_actions",
        "team": {"id": TEAM, "domain": "burst"},
        "user": {"id": people[number % len(people)], "team_id": TEAM},
        "api_app_id": "A0APP",
        "container": {"type": "message", "message_ts": "2.2", "channel_id": channels[0], "thread_ts": "1.1"},
        "channel": {"id": channels[0], "name": "general"},
        "message": {"ts": "2.2", "thread_ts": "1.1", "text": ""},
        "trigger_id": f"{number}.1.burst",
        "actions": [
            {
                "type": "button",
                "action_id": FEEDBACK_UP if number % 2 else SHOW_QUOTES,
                "block_id": "b",
                "value": request_id,
            }
        ],
    }


def _event(event_id: str, event: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "event_callback",
        "team_id": TEAM,
        "api_app_id": "A0APP",
        "event_id": event_id,
        "event_time": 1700000000,
        "authorizations": [{"team_id": TEAM, "user_id": BOT_USER, "is_bot": True, "enterprise_id": None}],
        "event": event,
    }
