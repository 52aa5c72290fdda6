"""Asking a source over http and https: at its pace, again when it says so, with its refusals in our words."""

import datetime as dt
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from core.errors import FetchError, GoneError, IngestionError, SourceError, SourceRefusedError
from core.library.ingestion.sources.web import Request, Response, send
from core.library.sync.connector import Access

_TRIES = 4  # of a request that the source asks to send later
_LONGEST_WAIT = 60  # seconds, of what it asks for at a time
_WAIT = 2  # seconds, doubled each time, where it does not say how long
LISTING_MB = 32  # of one answer that lists
_LATER = {429, 503}


def no_credentials() -> dict[str, str]:
    """For sources that everybody may read."""
    return {}


class Client:
    """Asks one source."""

    def __init__(
        self,
        access: Access,
        base: str,
        *,
        name: str,
        credentials: Callable[[], dict[str, str]] = no_credentials,
        interval: float = 0,
        is_throttled: Callable[[Response], bool] = lambda response: response.status in _LATER,
    ) -> None:
        self._access = access
        self._base = base.rstrip("/")
        self._name = name  # of the source, for people
        self._credentials = credentials  # the headers that say who asks; sent to the host of `base` alone
        self._interval = interval  # seconds between two requests, at least
        self._is_throttled = is_throttled
        self._asked_at = float("-inf")

    def slow_down(self, interval: float) -> None:
        """Wait so many seconds between two requests, at least."""
        self._interval = max(self._interval, interval)

    def ask_json(self, path: str, **body: Any) -> dict[str, Any]:
        """Return an answer in JSON that is part of a listing, to GET, or to POST where there is a body.

        Whatever is wrong is the source's: SourceError, SourceRefusedError.
        """
        return self.read_listing(self.send_json(path, body))

    def ask_array(self, path: str) -> list[dict[str, Any]]:
        """Return the objects of an answer that is nothing but a list, in JSON. Errors as of `ask_json`."""
        response = self.send_json(path)
        self._check_listing(response)
        found = self._parse_json(response)
        if not isinstance(found, list):
            raise self._make_form_error()
        return [each for each in found if isinstance(each, dict)]

    def ask_json_if_shown(self, path: str) -> dict[str, Any] | None:
        """Return the same for something beside the documents; None when these credentials are not shown it."""
        response = self._ask_listing(Request(url=self.url(path), headers={"Accept": "application/json"}))
        return None if response.status in {403, 404} else self.read_listing(response)

    def send_json(self, path: str, body: Mapping[str, Any] | None = None) -> Response:
        """Return whatever answer comes, by its status, to GET, or to POST of an object in JSON where there is one.

        SourceError when none comes, SourceRefusedError when the credentials are refused.
        """
        request = Request(url=self.url(path), headers={"Accept": "application/json"})
        if body:
            sent = {"Content-Type": "application/json", "Accept": "application/json"}
            request = replace(request, method="POST", headers=sent, body=json.dumps(body).encode())
        return self._ask_listing(request)

    def load_file(self, path: str, name: str, *, refusal: str = "may not be read with these credentials") -> Response:
        """Return an answer that is one document. GoneError when it is not there, another IngestionError for the rest.

        refusal: what it means when it is refused, as the end of a sentence.
        """
        response = self.ask(Request(url=self.url(path)), max_mb=self._access.max_mb)
        if response.status in {404, 410}:
            raise GoneError(f"{name} is no longer there.")
        if response.status == 403:
            raise IngestionError(f"{name} {refusal}.")
        if response.status != 200:
            raise FetchError(f"{name} could not be fetched: the server answered with status {response.status}.")
        return response

    def ask(self, request: Request, *, max_mb: int) -> Response:
        """Any answer but that the credentials are refused (SourceRefusedError), or that there will be one later.

        SourceError when it is still busy after some waiting, IngestionError when nothing comes from this address.
        """
        if urlsplit(request.url)[:2] == urlsplit(self._base)[:2]:
            request = replace(request, credentials=self._credentials())
        for attempt in range(_TRIES):
            self._access.pause()
            time.sleep(max(0.0, self._asked_at + self._interval - time.monotonic()))
            self._asked_at = time.monotonic()
            response = send(request, max_mb=max_mb, policy=self._access.policy)
            if response.status == 401 and request.credentials:
                raise SourceRefusedError(f"{self._name} refuses the credentials. Renew them.")
            if not self._is_throttled(response):
                return response
            wait = _seconds_asked_for(response) if "retry-after" in response.headers else _WAIT * 2.0**attempt
            if wait > _LONGEST_WAIT:
                raise SourceError(f"{self._name} is busy: it asks to come back in {wait:.0f} seconds.")
            if attempt < _TRIES - 1:
                time.sleep(wait)
        raise SourceError(f"{self._name} is busy. It is asked again later.")

    def url(self, path: str) -> str:
        """Return the address of a path below the source's base; an address stays as it is."""
        return path if path.startswith(("http://", "https://")) else self._base + path

    def read_listing(self, response: Response) -> dict[str, Any]:
        """Return the object that an answer to `send_json` holds. SourceError for any other, SourceRefusedError."""
        self._check_listing(response)
        return self.read_json(response)

    def read_json(self, response: Response) -> dict[str, Any]:
        """Return the object that an answer holds. SourceError when it holds none."""
        found = self._parse_json(response)
        if not isinstance(found, dict):
            raise self._make_form_error()
        return found

    def _parse_json(self, response: Response) -> Any:
        try:
            return json.loads(response.content)
        except (ValueError, RecursionError) as error:
            raise self._make_form_error() from error

    def _make_form_error(self) -> SourceError:
        return SourceError(f"{self._name} does not answer as it should. Check its address.")

    def _ask_listing(self, request: Request) -> Response:
        try:
            return self.ask(request, max_mb=LISTING_MB)
        except IngestionError as error:
            raise SourceError(f"{self._name} cannot be asked. {error.message}") from error

    def _check_listing(self, response: Response) -> None:
        if response.status == 403:
            raise SourceRefusedError(f"{self._name} does not let these credentials read what is to be listed.")
        if response.status != 200:
            raise SourceError(f"{self._name} answered with status {response.status}.")


def read_secret(secrets: Mapping[str, str], name: str, label: str) -> str:
    """A token that fits into a header. SourceRefusedError when there is none: nothing is said of what there is."""
    token = secrets.get(name, "").strip()
    if not token:
        raise SourceRefusedError(f"There is no {label}. Enter one.")
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise SourceRefusedError(f"The {label} has characters that none has. Copy it once more and enter it again.")
    return token


def _seconds_asked_for(response: Response) -> float:
    """Parse Retry-After, given in seconds or as a date, into seconds."""
    value = response.headers["retry-after"].strip()
    if value.isdecimal():
        return float(value)
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return _WAIT
    return max(0.0, (until.replace(tzinfo=until.tzinfo or dt.UTC) - dt.datetime.now(dt.UTC)).total_seconds())
