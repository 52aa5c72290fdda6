"""Ask Microsoft Graph: page by page, twenty requests at once where it takes them, and never at another address."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from core.errors import SourceError
from core.library.sync.connector import Access
from core.library.sync.services.answers import inner, items, read_pages, text
from core.library.sync.services.client import Client
from core.library.sync.services.entra import Application, Cloud

NAME = "Microsoft Graph"
AT_ONCE = 20  # requests in one: the limit of Microsoft's manual, "Combine multiple HTTP requests using JSON batching"

_VERSION = "v1.0"
_LONGEST_ADDRESS = 8000  # characters: addresses for one download, and of next pages, bear a token
_NOT_SHOWN = {403, 404}

Entries = list[dict[str, Any]]


class Graph:
    """Microsoft Graph as an application sees it. Paths begin with a slash, after the version."""

    def __init__(self, cloud: Cloud, application: Application, access: Access) -> None:
        self._base = f"{cloud.graph}/{_VERSION}"
        access = replace(access, policy=replace(access.policy, longest=_LONGEST_ADDRESS))
        self._client = Client(access, self._base, name=NAME, credentials=application.header)

    def ask_if_shown(self, path: str) -> Mapping[str, Any] | None:
        """Return one object beside the documents; None when the application is not shown it. Else SourceError."""
        return self._client.ask_json_if_shown(path)

    def load_file(self, path: str, name: str) -> bytes:
        """Return the content of a file, from wherever Graph leads; the token is not sent there. Errors as of `load`."""
        return self._client.load_file(path, name).content

    def load_description(self, path: str, name: str) -> Mapping[str, Any]:
        """Return the description of one file. Errors as of `load`: GoneError when it is not there."""
        return self._client.read_json(self._client.load_file(path, name))

    def read_all(self, path: str) -> Iterator[dict[str, Any]]:
        """Yield the entries of a listing. SourceError when it is refused, breaks off or leads elsewhere."""
        for page in read_pages(lambda link: self._client.ask_json(link or path), self._next_of):
            yield from items(page, "value")

    def read_changes(self, path: str) -> Iterator[dict[str, Any]]:
        """Yield the entries of a listing of changes, which says itself that it is at its end. Errors as above."""
        page: Mapping[str, Any] = {}
        for page in read_pages(lambda link: self._client.ask_json(link or path), self._next_of):
            yield from items(page, "value")
        if not text(page, "@odata.deltaLink"):
            raise SourceError(f"The listing of {NAME} breaks off. Nothing is taken for gone.")

    def read_permissions(self, drive: str, files: Sequence[str]) -> list[Entries]:
        """Return the permissions of at most twenty files of a drive, in their order; [] where they are not shown.

        Those that one answer does not have as a whole are asked for one by one, which also waits where Graph is busy.
        """
        paths = [f"/drives/{quote(drive, safe='')}/items/{quote(file, safe='')}/permissions" for file in files]
        if len(paths) == 1:
            return [self._read_alone(paths[0])]
        wanted = [{"id": str(number), "method": "GET", "url": path} for number, path in enumerate(paths)]
        answers = items(self._client.ask_json("/$batch", requests=wanted), "responses")
        by_id: dict[str, dict[str, Any]] = {}
        for answer in answers:
            number = text(answer, "id")
            by_id[number] = {} if number in by_id else answer  # told twice: nobody knows which is right
        return [self._take(by_id.get(str(number), {}), path) for number, path in enumerate(paths)]

    def _take(self, answer: Mapping[str, Any], path: str) -> Entries:
        """Return the permissions in one answer of several, or ask for them alone."""
        body = inner(answer, "body")
        if answer.get("status") in _NOT_SHOWN:
            return []
        if answer.get("status") != 200 or "@odata.nextLink" in body or not isinstance(body.get("value"), list):
            return self._read_alone(path)
        return items(body, "value")

    def _read_alone(self, path: str) -> Entries:
        found: Entries = []
        for page in read_pages(lambda link: self._client.ask_json_if_shown(link or path) or {}, self._next_of):
            if not isinstance(page.get("value"), list):
                return []
            found += items(page, "value")
        return found

    def _next_of(self, page: Mapping[str, Any]) -> str:
        """Return the address of the next page, which is Graph's own; "" after the last."""
        link = page.get("@odata.nextLink")
        if link is None or link == "":
            return ""
        if not isinstance(link, str) or not link.startswith(f"{self._base}/") or not link.isprintable():
            raise SourceError(f"{NAME} names a next page that is not at its own address. Nothing is taken for gone.")
        return link
