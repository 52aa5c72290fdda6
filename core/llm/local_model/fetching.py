"""Fetch a model file: it goes on where it was broken off, and counts only with the right SHA-256."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import requests

from core.errors import FootnoteError

_PIECE = 1 << 16  # bytes: on a slow line, progress is still seen every few seconds
_WAIT_S = (10, 60)  # for a connection, and for the next piece
_STATED = ("X-Linked-ETag", "ETag")  # where the hub states the SHA-256 of a large file
_SHA256 = re.compile(r'(?:W/)?"?([0-9a-f]{64})"?')

Progress = Callable[[int, int], None]  # told the bytes that are there, and of how many; 0 where that is unknown


class FetchError(FootnoteError):
    """The model could not be fetched."""


def fetch(address: str, target: Path, *, sha256: str = "", progress: Progress = lambda done, total: None) -> str:
    """Fetch a file to `target` and return its SHA-256. What is there of an earlier try is used.

    sha256: what the file must have; "" takes what the server states in its headers, and refuses one that states none.
    FetchError, in words, where it cannot be had; a file with another hash is deleted.
    """
    _check_address(address)
    expected = sha256 or find_stated(address)
    part = find_part(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and hash_file(target) == expected:
            return expected
        _fetch_rest(address, part, progress)
        if (found := hash_file(part)) != expected:
            part.unlink()
            raise FetchError(
                f"The file is not the one that was announced: its SHA-256 is {found}, not {expected}. It was deleted."
            )
        part.replace(target)
    except requests.RequestException as error:
        raise FetchError(
            f"The file could not be fetched ({_describe_error(error)}). {_say_kept(part)} Without a way to the "
            "network, fetch it elsewhere and give it as a file (--file)."
        ) from error
    except OSError as error:
        raise FetchError(f"The file could not be written ({error.strerror}). {_say_kept(part)}") from error
    return expected


def find_part(target: Path) -> Path:
    """Return where the beginning of a file is kept until it is whole."""
    return target.with_name(target.name + ".part")


def find_stated(address: str) -> str:
    """Return the SHA-256 that the server states for a file, without fetching it. FetchError where it states none."""
    _check_address(address)
    try:
        reply = requests.head(address, allow_redirects=False, timeout=_WAIT_S, headers={"Accept-Encoding": "identity"})
    except requests.RequestException as error:
        raise FetchError(
            f"The hub could not be reached ({_describe_error(error)}). Fetch the file elsewhere and give it as a file "
            "(--file)."
        ) from error
    if reply.status_code >= 400:
        raise FetchError(f"The hub does not give the file: it replied {reply.status_code}.")
    for name in _STATED:
        if match := _SHA256.fullmatch(reply.headers.get(name, "")):
            return match[1]
    raise FetchError(
        "The server states no SHA-256 for the file, so it cannot be checked. Give it to the command (--sha256)."
    )


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch_rest(address: str, part: Path, progress: Progress) -> None:
    done = part.stat().st_size if part.exists() else 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={done}-"} if done else {})
    with requests.get(address, headers=headers, stream=True, timeout=_WAIT_S) as reply:
        if reply.status_code == 416:  # nothing is left
            return
        reply.raise_for_status()
        if reply.status_code != 206:  # the server begins anew
            done = 0
        length = int(reply.headers.get("Content-Length") or 0)
        total = done + length if length else 0
        with part.open("ab" if done else "wb") as file:
            for piece in reply.iter_content(_PIECE):
                file.write(piece)
                done += len(piece)
                progress(done, total)
    if total and done < total:
        raise requests.ConnectionError


def _describe_error(error: requests.RequestException) -> str:
    """Name what went wrong, without the address, which may be a signed one."""
    reply = error.response
    return f"the server replied {reply.status_code}" if reply is not None else type(error).__name__


def _say_kept(part: Path) -> str:
    kept = part.stat().st_size if part.exists() else 0
    return f"{kept:,} bytes are kept: fetch again to go on from there." if kept else "Nothing of it is here yet."


def _check_address(address: str) -> None:
    """Raise FetchError for an address that is neither https nor of this machine."""
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in {"127.0.0.1", "localhost"}):
        raise FetchError("Models are fetched over https only.")
