"""Requests as Slack sends them, signed, over HTTP."""

import http.client
import json
import time
from typing import Any
from urllib.parse import urlencode

from slack_sdk.signature import SignatureVerifier

from tests.integration.bot.slack_server import BOT_USER, TEAM

SECRET = "signing-secret-of-the-measurement"  # noqa: S105 - of a workspace that is not there
SLACK_WAITS_S = 3.0  # for an acknowledgement
_JSON, _FORM = "application/json", "application/x-www-form-urlencoded"


class Endpoint:
    """The web process's endpoint for Slack."""

    def __init__(self, port: int) -> None:
        self._port = port

    def event(self, body: dict[str, Any], **headers: str) -> int:
        """Send an event; the status, or 0 without an answer in time."""
        return self._post(json.dumps(body), _JSON, headers)

    def click(self, body: dict[str, Any]) -> int:
        """Send a click, or a window that is submitted; the status, or 0 without an answer in time."""
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


def event_callback(event_id: str, event: dict[str, Any]) -> dict[str, Any]:
    """An event in what Slack wraps around it."""
    return {
        "type": "event_callback",
        "team_id": TEAM,
        "api_app_id": "A0APP",
        "event_id": event_id,
        "event_time": 1700000000,
        "authorizations": [{"team_id": TEAM, "user_id": BOT_USER, "is_bot": True, "enterprise_id": None}],
        "event": event,
    }


def button_click(
    *, user: str, channel: str, message_ts: str, thread_ts: str, action: str, value: str, trigger: str
) -> dict[str, Any]:
    """A click on a button of a message."""
    return {
        "type": "block_actions",
        "team": {"id": TEAM, "domain": "measured"},
        "user": {"id": user, "team_id": TEAM},
        "api_app_id": "A0APP",
        "container": {"type": "message", "message_ts": message_ts, "channel_id": channel, "thread_ts": thread_ts},
        "channel": {"id": channel, "name": "general"},
        "message": {"ts": message_ts, "thread_ts": thread_ts, "text": ""},
        "trigger_id": trigger,
        "actions": [{"type": "button", "action_id": action, "block_id": "b", "value": value}],
    }


def submission(*, user: str, view: dict[str, Any], view_id: str, values: dict[str, Any]) -> dict[str, Any]:
    """A window that somebody submits, filled in with these values."""
    return {
        "type": "view_submission",
        "team": {"id": TEAM, "domain": "measured"},
        "user": {"id": user, "team_id": TEAM},
        "api_app_id": "A0APP",
        "view": {**view, "id": view_id, "state": {"values": values}},
    }
