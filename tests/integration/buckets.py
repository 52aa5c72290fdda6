"""A bucket on this machine, as the place of originals."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from wsgiref.types import StartResponse, WSGIEnvironment

import pytest
import werkzeug.serving
from pytest_django import Settings
from werkzeug.wrappers import Request, Response


class Bucket:
    """As much of S3 as the storage uses, after https://docs.aws.amazon.com/AmazonS3/latest/API."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.is_full = False

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> object:
        return self._answer(Request(environ))(environ, start_response)

    def _answer(self, request: Request) -> Response:
        key = request.path.removeprefix("/kept").lstrip("/")
        if request.method == "GET" and not key:
            return self._list(request.args.get("prefix", ""))
        if request.method == "PUT":
            if self.is_full:
                return Response("<Error><Code>QuotaExceeded</Code></Error>", status=403, mimetype="application/xml")
            self.objects[key] = _read_body(request)
            return Response()
        if request.method == "DELETE":
            self.objects.pop(key, None)
            return Response(status=204)
        if key not in self.objects:
            return Response("<Error><Code>404</Code></Error>", status=404, mimetype="application/xml")
        return Response(self.objects[key], headers={"Last-Modified": "Wed, 01 May 2024 10:00:00 GMT"})

    def _list(self, prefix: str) -> Response:
        below = {key.removeprefix(prefix) for key in self.objects if key.startswith(prefix)}
        files = "".join(f"<Contents><Key>{prefix}{one}</Key></Contents>" for one in below if "/" not in one)
        folders = {one.partition("/")[0] for one in below if "/" in one}
        shared = "".join(f"<CommonPrefixes><Prefix>{prefix}{one}/</Prefix></CommonPrefixes>" for one in folders)
        space = "http://s3.amazonaws.com/doc/2006-03-01/"
        return Response(
            f'<ListBucketResult xmlns="{space}"><IsTruncated>false</IsTruncated>{files}{shared}</ListBucketResult>',
            mimetype="application/xml",
        )


def _read_body(request: Request) -> bytes:
    body = request.get_data()
    if "aws-chunked" not in request.headers.get("Content-Encoding", ""):
        return body
    size, _, rest = body.partition(b"\r\n")  # one piece, and a checksum behind it
    return rest[: int(size.partition(b";")[0], 16)]


@contextmanager
def keep_in_bucket(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    """Within the block originals are kept in it."""
    served = Bucket()
    server = werkzeug.serving.make_server("127.0.0.1", 0, served, threaded=True)
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.05))
    thread.start()
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    settings.ORIGINALS_S3_BUCKET = "kept"
    keep_in(
        settings,
        "storages.backends.s3.S3Storage",
        bucket_name="kept",
        location="originals",
        endpoint_url=f"http://127.0.0.1:{server.server_port}",
        region_name="eu-central-1",
    )
    yield served
    server.shutdown()
    thread.join(10)
    server.server_close()


def keep_in(settings: Settings, backend: str, **options: object) -> None:
    """Originals are kept in a storage from now on."""
    settings.STORAGES = settings.STORAGES | {"originals": {"BACKEND": backend, "OPTIONS": options}}
