"""Hands Slack's requests, signed as Slack signs them, to the endpoint that hears a real workspace."""

import io
import json
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.urls import resolve
from slack_sdk.signature import SignatureVerifier

from bot.slack.workspace import find_signing_secret
from core.errors import FootnoteError

EVENTS_PATH = "/slack/events"
FORM = "application/x-www-form-urlencoded"


class UndeliveredError(FootnoteError):
    """Footnote did not accept this. The log of the web process says why."""


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """The listener's acknowledgement."""

    body: dict[str, Any]


def send_event(envelope: dict[str, Any]) -> Acknowledgement:
    """Deliver an event. UndeliveredError when it was not acknowledged."""
    return _send_request(json.dumps(envelope), "application/json")


def send_interaction(payload: dict[str, Any]) -> Acknowledgement:
    """Deliver a press, a submission or the like. UndeliveredError when it was not acknowledged."""
    return _send_request(urlencode({"payload": json.dumps(payload)}), FORM)


def send_command(form: dict[str, str]) -> Acknowledgement:
    """Deliver a slash command. UndeliveredError when it was not acknowledged."""
    return _send_request(urlencode(form), FORM)


def _send_request(text: str, content_type: str) -> Acknowledgement:
    """Call the endpoint in this process: a call over the network could find all of the server's threads busy."""
    body = text.encode()
    timestamp = str(int(time.time()))
    signature = SignatureVerifier(find_signing_secret()).generate_signature(timestamp=timestamp, body=body)
    request = WSGIRequest(
        {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": EVENTS_PATH,
            "QUERY_STRING": "",
            "CONTENT_TYPE": content_type,
            "CONTENT_LENGTH": str(len(body)),
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": str(settings.PORT),
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_X_SLACK_REQUEST_TIMESTAMP": timestamp,
            "HTTP_X_SLACK_SIGNATURE": signature,
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(body),
        }
    )
    match = resolve(EVENTS_PATH)
    response = match.func(request, *match.args, **match.kwargs)
    if response.status_code != 200:
        raise UndeliveredError(f"Footnote answered {response.status_code}: the log of the web process says why.")
    return Acknowledgement(_read_body(response.content))


def _read_body(content: bytes) -> dict[str, Any]:
    """Read an acknowledgement: empty, a modal's next step, or a bare text to show."""
    try:
        body = json.loads(content)
    except ValueError:
        text = content.decode()
        return {"text": text} if text else {}
    return body if isinstance(body, dict) else {}
