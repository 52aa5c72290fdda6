"""Read one call of a Web API method: its token, its arguments and the page that it asks for; and refuse it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from bot.slack.workspace import find_bot_token
from core.errors import FootnoteError
from slack_emulator.models import LocalChannel, LocalMessage

Item = TypeVar("Item")

PAGE_SIZE = 100
LARGEST_PAGE = 1_000


class RefusedCallError(FootnoteError):
    """The Web API refuses this call."""

    def __init__(self, code: str, *details: str, errors: Sequence[Mapping[str, Any]] = ()) -> None:
        """code: Slack's short word for what is wrong. details: what exactly, for the person who develops.

        errors: the same part by part, where a method does so.
        """
        super().__init__(code)
        self.code = code
        self.details = details
        self.errors = errors


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments of a call, as strings from a form or as JSON values."""

    arguments: Mapping[str, Any]

    @classmethod
    def read(cls, request: HttpRequest, *, reads_json: bool) -> Self:
        """Read the arguments of a request. A method that does not read JSON ignores such a body, as Slack's do."""
        if request.content_type == "application/json":
            return cls(read_json_object(request.body) if reads_json and request.body else {})
        return cls({**request.GET.dict(), **request.POST.dict()})

    def read_text(self, name: str) -> str:
        """Read a text argument; empty when it is absent."""
        value = self.arguments.get(name)
        return "" if value is None else str(value)

    def read_required(self, name: str) -> str:
        """Read a text argument that the method cannot do without."""
        value = self.read_text(name)
        if not value:
            raise RefusedCallError("invalid_arguments", f"[ERROR] missing required field: {name}")
        return value

    def read_flag(self, name: str) -> bool:
        """Read a yes or no, which forms write in several ways."""
        return self.read_text(name).casefold() in {"1", "true"}

    def read_number(self, name: str, default: int) -> int:
        """Read a whole number of at least 1."""
        try:
            value = int(self.read_text(name) or default)
        except ValueError as error:
            raise RefusedCallError("invalid_arguments", f"[ERROR] not a number: {name}") from error
        return max(1, value)

    def read_structure(self, name: str, refusal: str) -> Any:
        """Read an argument that is a list or an object, which forms carry as JSON text; None when it is absent."""
        value = self.arguments.get(name)
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except json.JSONDecodeError as error:
            raise RefusedCallError(refusal) from error

    def find_channel(self, argument: str = "channel") -> LocalChannel:
        """Return the channel that the call names."""
        channel = LocalChannel.objects.filter(channel_id=self.read_text(argument)).first()
        if channel is None:
            raise RefusedCallError("channel_not_found")
        return channel

    def find_message(self, channel: LocalChannel, *, ts_argument: str) -> LocalMessage:
        """Return the message that the call names. Ephemeral messages cannot be named by a ts."""
        message = channel.messages.filter(ts=self.read_text(ts_argument), only_for=None).first()
        if message is None:
            raise RefusedCallError("message_not_found")
        return message


def read_json_object(body: bytes) -> dict[str, Any]:
    """Read the JSON object that a body holds."""
    try:
        value = json.loads(body)
    except ValueError as error:
        raise RefusedCallError("invalid_json") from error
    if not isinstance(value, dict):
        raise RefusedCallError("json_not_object")
    return value


def check_token(request: HttpRequest) -> None:
    """Raise RefusedCallError when the request shows another token, or none."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme != "Bearer":
        token = request.POST.get("token", "")
    if not token:
        raise RefusedCallError("not_authed")
    if not constant_time_compare(token, find_bot_token()):
        raise RefusedCallError("invalid_auth")


def cut_page(items: list[Item], call: Call) -> tuple[list[Item], str]:
    """Return the page that the call asks for, and the cursor of the next one; empty on the last."""
    start = 0
    if call.read_text("cursor"):
        digits = call.read_text("cursor").removeprefix("from:")
        if not digits.isdecimal():
            raise RefusedCallError("invalid_cursor")
        start = int(digits)
    end = start + min(call.read_number("limit", PAGE_SIZE), LARGEST_PAGE)
    return items[start:end], f"from:{end}" if end < len(items) else ""
