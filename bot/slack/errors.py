"""Slack's errors, translated where they arise. Only the code goes further: Slack's own text may repeat ours."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException

from slack_sdk.errors import SlackApiError

from core.errors import FootnoteError

# Codes of the Web API that mean "later", not "never".
_TRANSIENT_CODES = frozenset(
    {
        "fatal_error",
        "internal_error",
        "ratelimited",
        "rate_limited",
        "request_timeout",
        "service_unavailable",
        "team_added_to_org",
        "message_limit_exceeded",
    }
)
_CODE = re.compile(r"[\w.:-]{1,60}")  # of another form is what slack_sdk says of a body that is not Slack's JSON
_UNREADABLE = "unreadable_response"


class SlackRefusedError(FootnoteError):
    """Slack refused a call, and would refuse it again."""

    def __init__(self, code: str) -> None:
        super().__init__()
        self.code = code


class SlackUnavailableError(FootnoteError):
    """Slack could not be reached, or asked to wait."""

    retry = True

    def __init__(self, code: str, *, retry_after_s: float = 0) -> None:
        super().__init__()
        self.code = code
        self.retry_after_s = retry_after_s


@contextmanager
def translate_errors() -> Iterator[None]:
    """Raise SlackRefusedError or SlackUnavailableError for a call of the Web API that fails in the block."""
    try:
        yield
    except SlackApiError as error:
        raise _read_response(error) from None
    except (OSError, HTTPException) as error:  # no connection, a broken one, or no answer in time
        raise SlackUnavailableError(type(error).__name__) from None


def find_code(error: FootnoteError) -> str:
    """Return Slack's code of an error, or the name of its class where it is not one of Slack's. It holds no text."""
    return str(getattr(error, "code", type(error).__name__))


def _read_response(error: SlackApiError) -> SlackRefusedError | SlackUnavailableError:
    code = str(error.response.get("error") or "unknown_error")
    if not _CODE.fullmatch(code):
        code = _UNREADABLE
    status = int(getattr(error.response, "status_code", 200))
    # Slack refuses in words that can be read. What cannot be, was broken off, or is a proxy's, and says nothing.
    if status == 429 or status >= 500 or code in _TRANSIENT_CODES or (status == 200 and code == _UNREADABLE):
        return SlackUnavailableError(code, retry_after_s=_read_retry_after(error))
    return SlackRefusedError(code)


def _read_retry_after(error: SlackApiError) -> float:
    headers = {name.lower(): value for name, value in (getattr(error.response, "headers", None) or {}).items()}
    try:
        return max(0.0, float(headers.get("retry-after", 0)))
    except ValueError:
        return 0.0
