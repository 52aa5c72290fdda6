"""Fetch a model file: it goes on where it was broken off, and counts only with the right SHA-256."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import requests

from core.errors import FootnoteError

_PIECE = 1 << 20  # bytes
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
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    if target.exists() and hash_file(target) == expected:
        return expected
    try:
        _fetch_rest(address, part, progress)
    except requests.RequestException as error:
        kept = part.stat().st_size if part.exists() else 0
        raise FetchError(
            f"The file could not be fetched ({type(error).__name__}). {kept:,} bytes are kept: run the command again "
            "to go on. Without a way to the network, fetch it elsewhere and give it with --file."
        ) from error
    if (found := hash_file(part)) != expected:
        part.unlink()
        raise FetchError(f"The file is not the one that was announced: its SHA-256 is {found}, not {expected}.")
    part.replace(target)
    return expected


def find_stated(address: str) -> str:
    """Return the SHA-256 that the server states for a file, without fetching it. FetchError where it states none."""
    _check_address(address)
    try:
        reply = requests.head(address, allow_redirects=False, timeout=_WAIT_S, headers={"Accept-Encoding": "identity"})
    except requests.RequestException as error:
        raise FetchError(
            f"The hub could not be reached ({type(error).__name__}). Fetch the file elsewhere and give it with --file."
        ) from error
    if reply.status_code >= 400:
        raise FetchError(f"The hub does not give the file: it replied {reply.status_code}.")
    for name in _STATED:
        if match := _SHA256.fullmatch(reply.headers.get(name, "")):
            return match[1]
    raise FetchError("The server states no SHA-256 for the file, so it cannot be checked. Give it with --sha256.")


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


def _check_address(address: str) -> None:
    """FetchError for an address that is neither https nor of this machine."""
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in {"127.0.0.1", "localhost"}):
        raise FetchError("Models are fetched over https only.")
