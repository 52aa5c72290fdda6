"""Fetch the shared files themselves: what Slack says of them, and their bytes.

The bot's token goes to Slack alone: over https to its own hosts, or to where the Web API is. A redirect to anywhere
else is refused.
"""

import errno
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, BinaryIO
from urllib.parse import urljoin

import httpcore
from slack_sdk import WebClient

from bot.slack.addresses import is_slacks
from bot.slack.errors import SlackRefusedError, SlackUnavailableError, translate_errors
from core.errors import FootnoteError
from core.language.i18n.translation import say, translatable
from core.library.ingestion.formats import SUPPORTED, list_readable_endings
from core.library.ingestion.naming import suffix
from core.values.sizes import MEGABYTE

GONE = translatable("is not in Slack any more")
NOT_HOSTED = translatable("is not stored in Slack: download it and share the file itself")
NOT_GIVEN = translatable("could not be fetched: Slack does not let me have it")
UNSUPPORTED = translatable("cannot be read. I can read {kinds}")

_GONE_CODES = frozenset({"file_not_found", "file_deleted", "file_not_visible"})
_HOSTED = frozenset({"", "hosted", "snippet"})
_LONGEST_NAME = 150
_MOST_REDIRECTS = 3
_SECONDS = 120  # for one file
_CONNECT_SECONDS = 10
_DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069<>:\"|?*]+")


class UnusableFileError(FootnoteError):
    """This file cannot be added. The message is the end of a sentence that begins with its name."""

    def __init__(self, problem: str, *, name: str = "") -> None:
        super().__init__(problem)
        self.name = name


class NoRoomError(FootnoteError):
    """The disk has no room for the shared files. They can be fetched again once it has."""

    retry = True


@dataclass(frozen=True, kw_only=True, slots=True)
class FileInSlack:
    """Holds a file as Slack describes it, if it can be added."""

    name: str  # clean: no path, no control characters
    size: int  # bytes
    address: str


def describe(client: WebClient, file_id: str, *, max_mb: int) -> FileInSlack:
    """Describe a file in Slack. UnusableFileError when it is gone, too large, or of a kind that cannot be read."""
    try:
        with translate_errors():
            told = client.files_info(file=file_id).get("file") or {}
    except SlackRefusedError as error:
        if error.code in _GONE_CODES:
            raise UnusableFileError(say(GONE)) from None
        raise
    name = clean_name(str(told.get("name") or ""))
    size = int(told.get("size") or 0)
    address = str(told.get("url_private_download") or told.get("url_private") or "")
    problem = _find_problem(told, suffix(name), address, size, max_mb)
    if problem:
        raise UnusableFileError(problem, name=name)
    return FileInSlack(name=name, size=size, address=address)


def _find_problem(told: dict[str, Any], ending: str, address: str, size: int, max_mb: int) -> str:
    """Explain why a file cannot be added; "" when it can."""
    if told.get("mode") == "tombstone":
        return say(GONE)
    if told.get("is_external") or (told.get("mode") or "") not in _HOSTED or not is_slacks(address):
        return say(NOT_HOSTED)
    if ending not in list_readable_endings():
        return say(UNSUPPORTED, kinds=SUPPORTED)
    return _describe_too_large(max_mb) if size > max_mb * MEGABYTE else ""


def clean_name(name: str) -> str:
    """Return a name without a path and without what could be mistaken for something else; never empty."""
    last = re.split(r"[/\\]", name)[-1]
    plain = " ".join(_NOT_IN_NAMES.sub(" ", last).split()).lstrip(".").strip() or "file"
    ending = PurePosixPath(plain).suffix[:20]
    return plain if len(plain) <= _LONGEST_NAME else plain[: _LONGEST_NAME - len(ending)] + ending


def fetch(client: WebClient, file: FileInSlack, into: BinaryIO, *, max_mb: int) -> None:
    """Write the bytes of a file, piece by piece as they come.

    UnusableFileError when Slack does not give them, SlackUnavailableError when it may later. OSError when the disk is
    full.
    """
    deadline = time.monotonic() + _SECONDS
    address = file.address
    try:
        # Connections the way the client of the Web API makes them.
        with httpcore.HTTPProxy(client.proxy) if client.proxy else httpcore.ConnectionPool() as pool:
            for _ in range(_MOST_REDIRECTS + 1):
                if not is_slacks(address):
                    raise UnusableFileError(say(NOT_GIVEN))
                target = _request_file(pool, address, client.token or "", into, deadline, max_mb)
                if not target:
                    break
                address = urljoin(address, target)
            else:
                raise UnusableFileError(say(NOT_GIVEN))
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException, OSError) as error:
        if _is_disk_full(error):
            raise
        raise SlackUnavailableError(type(error).__name__) from None
    if into.tell() != file.size:  # a page that asks to sign in, for instance
        raise UnusableFileError(say(NOT_GIVEN))


def _is_disk_full(error: Exception) -> bool:
    """Return True if the disk, or this process's share of it, is full."""
    return isinstance(error, OSError) and error.errno in _DISK_FULL


@contextmanager
def translate_full_disk() -> Iterator[None]:
    """Raise NoRoomError where files of the block do not fit on the disk; small ones show it only when closed."""
    try:
        yield
    except OSError as error:
        if _is_disk_full(error):
            raise NoRoomError from None
        raise


def _request_file(
    pool: httpcore.ConnectionPool, address: str, token: str, into: BinaryIO, deadline: float, max_mb: int
) -> str:
    """Make one request. Returns where it redirects to, or "" when what it brought is written."""
    headers: dict[bytes | str, bytes | str] = {
        "Authorization": f"Bearer {token}",
        "Accept-Encoding": "identity",
        "User-Agent": "Footnote",
    }
    timeout = dict.fromkeys(("connect", "read", "write", "pool"), _CONNECT_SECONDS)
    with pool.stream("GET", address, headers=headers, extensions={"timeout": timeout}) as response:
        answered = {name.lower(): value.decode("latin-1") for name, value in response.headers}
        if response.status in {301, 302, 303, 307, 308} and b"location" in answered:
            return answered[b"location"]
        if response.status == 429 or response.status >= 500:
            raise SlackUnavailableError(f"http_{response.status}")
        if response.status != 200:
            raise UnusableFileError(say(NOT_GIVEN))
        for piece in response.iter_stream():
            into.write(piece)
            if into.tell() > max_mb * MEGABYTE:
                raise UnusableFileError(_describe_too_large(max_mb))
            if time.monotonic() > deadline:
                raise SlackUnavailableError("timeout")
        return ""


def _describe_too_large(max_mb: int) -> str:
    return say("is larger than {most} MB: share it in parts", most=max_mb)
