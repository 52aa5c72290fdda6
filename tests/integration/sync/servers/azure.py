"""Serve Azure Blob Storage's API for one container, to clients with the SAS token.

https://learn.microsoft.com/en-us/rest/api/storageservices/list-blobs, /get-blob and /get-blob-properties
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs
from xml.sax.saxutils import escape

from tests.integration.sync.servers.served import Served, serving

_PAGE = 2  # blobs in one answer
_DATE = "Mon, 01 Jan 2024 00:00:00 GMT"


class Container:
    """Blobs, and the answers about them."""

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {"elsewhere.md": b"not below the prefix"}

    def __call__(self, environ: dict[str, Any], start: Any) -> list[bytes]:
        """An answer, to who has the token."""
        query = {name: values[0] for name, values in parse_qs(environ["QUERY_STRING"]).items()}
        path = environ["PATH_INFO"].encode("latin-1").decode()
        if query.get("sig") != "right+sign/ature=":
            return _refuse(start, "403 Forbidden", "AuthenticationFailed")
        if path == "/handbooks" and query.get("comp") == "list":
            return self._list(query, start)
        name = path.removeprefix("/handbooks/")
        if name not in self.blobs:
            return _refuse(start, "404 Not Found", "BlobNotFound")
        sent = self._send(self.blobs[name], environ.get("HTTP_X_MS_RANGE", ""), start)
        return [] if environ["REQUEST_METHOD"] == "HEAD" else sent

    def _list(self, query: dict[str, str], start: Any) -> list[bytes]:
        names = sorted(name for name in self.blobs if name.startswith(query.get("prefix", "")))
        begin = int(query.get("marker") or 0)
        shown = "".join(
            f"<Blob><Name>{escape(name)}</Name><Properties><Last-Modified>{_DATE}</Last-Modified>"
            f"<Etag>{_etag(self.blobs[name])}</Etag><Content-Length>{len(self.blobs[name])}</Content-Length>"
            "<BlobType>BlockBlob</BlobType></Properties></Blob>"
            for name in names[begin : begin + _PAGE]
        )
        marker = str(begin + _PAGE) if begin + _PAGE < len(names) else ""
        start("200 OK", [("Content-Type", "application/xml")])
        return [
            f'<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Blobs>{shown}</Blobs>'
            f"<NextMarker>{marker}</NextMarker></EnumerationResults>".encode()
        ]

    def _send(self, content: bytes, asked: str, start: Any) -> list[bytes]:
        first, _, last = asked.removeprefix("bytes=").partition("-")
        begin, end = int(first or 0), min(int(last or len(content)), len(content) - 1)
        if asked and begin >= len(content):
            return _refuse(start, "416 Range Not Satisfiable", "InvalidRange")
        start(
            "206 Partial Content" if asked else "200 OK",
            [
                ("Content-Type", "text/plain"),
                ("Content-Length", str(end - begin + 1)),
                ("Content-Range", f"bytes {begin}-{end}/{len(content)}"),
                ("ETag", _etag(content)),
                ("Last-Modified", _DATE),
                ("x-ms-blob-type", "BlockBlob"),
            ],
        )
        return [content[begin : end + 1]]


def _etag(content: bytes) -> str:
    return f'"0x{hashlib.sha256(content).hexdigest()[:16].upper()}"'


def _refuse(start: Any, status: str, code: str) -> list[bytes]:
    start(status, [("Content-Type", "application/xml"), ("x-ms-error-code", code)])
    return [f'<?xml version="1.0" encoding="utf-8"?><Error><Code>{code}</Code><Message>No.</Message></Error>'.encode()]


@contextmanager
def serve(folder: Path) -> Iterator[Served]:
    """A container, of which a folder is the source."""
    container = Container()
    with serving(container) as port:

        def at(port: int) -> dict[str, str]:
            return {
                "account": "contosofiles",
                "container": "handbooks",
                "prefix": "all of it",
                "endpoint": f"http://127.0.0.1:{port}",
            }

        yield Served(
            kind="azure",
            settings=at(port),
            secrets={"sas_token": "?sv=2024-11-04&sp=rl&sig=right%2Bsign%2Fature%3D"},
            refused={"sas_token": "sv=2024-11-04&sp=rl&sig=wrong"},
            put=lambda path, content: container.blobs.update({f"all of it/{path}": content}),
            remove=lambda path: container.blobs.pop(f"all of it/{path}"),
            at=at,
        )
