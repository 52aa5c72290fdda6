"""A session of requests for libraries that ask through one: each of its requests goes the guarded way."""

from collections.abc import Mapping

import requests
from requests.adapters import BaseAdapter

from core.errors import IngestionError, SourceError
from core.library.ingestion.sources.web import Request
from core.library.sync.services.client import LISTING_MB, Client


def guarded_session(client: Client) -> requests.Session:
    """A session whose GET requests are asked by a client, with its pace and its errors."""
    session = requests.Session()
    session.trust_env = False
    for scheme in ("http://", "https://"):
        session.mount(scheme, _GuardedAdapter(client))
    return session


class _GuardedAdapter(BaseAdapter):
    """Sends through a client."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,
        timeout: float | tuple[float, float] | tuple[float, None] | None = None,
        verify: bool | str = True,
        cert: bytes | str | tuple[bytes | str, bytes | str] | None = None,
        proxies: Mapping[str, str] | None = None,
    ) -> requests.Response:
        """Return the answer to a request. SourceError when there is none."""
        try:
            answered = self._client.ask(Request(url=str(request.url)), max_mb=LISTING_MB)
        except IngestionError as error:
            raise SourceError(error.message) from error
        response = requests.Response()
        response.status_code, response.url, response.request = answered.status, answered.url, request
        response.headers.update(answered.headers)
        response._content = answered.content
        return response

    def close(self) -> None:
        """Nothing is kept open."""
