"""The storage emulator, behind a door that one service account may pass."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from gcp_storage_emulator.server import create_server

from tests.integration.sync.servers.served import Served, serving

_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
_OTHER = rsa.generate_private_key(public_exponent=65537, key_size=2048)


@contextmanager
def serve(folder: Path) -> Iterator[Served]:
    """A bucket, of which a folder is the source."""
    emulator = create_server("127.0.0.1", 0, in_memory=True, default_bucket="handbook")
    emulator.start()
    inner = emulator._api._httpd.server_address[1]
    with serving(_door(inner)) as port:

        def at(port: int) -> dict[str, str]:
            return {"bucket": "handbook", "prefix": "all of it", "endpoint": f"http://127.0.0.1:{port}"}

        def put(path: str, content: bytes) -> None:
            upload = f"http://127.0.0.1:{inner}/upload/storage/v1/b/handbook/o?uploadType=multipart"
            about = json.dumps({"name": f"all of it/{path}"}).encode()
            parts = [b"Content-Type: application/json\r\n\r\n" + about, b"Content-Type: text/plain\r\n\r\n" + content]
            body = b"".join(b"--part\r\n" + part + b"\r\n" for part in parts) + b"--part--"
            headers = {"Content-Type": 'multipart/related; boundary="part"'}
            with urlopen(Request(upload, data=body, headers=headers)):
                pass

        def remove(path: str) -> None:
            name = quote(f"all of it/{path}", safe="")
            with urlopen(Request(f"http://127.0.0.1:{inner}/storage/v1/b/handbook/o/{name}", method="DELETE")):
                pass

        yield Served(
            kind="gcs",
            settings=at(port),
            secrets={"key": _account(port, _KEY)},
            refused={"key": _account(port, _OTHER)},
            put=put,
            remove=remove,
            at=at,
        )
    emulator.stop()


def _account(port: int, key: rsa.RSAPrivateKey) -> str:
    """https://cloud.google.com/iam/docs/keys-create-delete"""
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    return json.dumps(
        {
            "type": "service_account",
            "client_email": "footnote@example.iam.gserviceaccount.com",
            "private_key": pem,
            "token_uri": f"http://127.0.0.1:{port}/token",
        }
    )


def _door(inner: int) -> Any:
    """https://developers.google.com/identity/protocols/oauth2/service-account, and the emulator behind it."""

    def answer(environ: dict[str, Any], start: Any) -> list[bytes]:
        if environ["PATH_INFO"] == "/token":
            body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])).decode()
            return _token(body.rpartition("assertion=")[2].partition("&")[0], start)
        if environ.get("HTTP_AUTHORIZATION") != "Bearer right":
            start("401 Unauthorized", [("Content-Type", "application/json")])
            return [b"{}"]
        asked = quote(
            environ["PATH_INFO"].removeprefix("/storage/v1/b/handbook/o").removeprefix("/").encode("latin-1"), safe=""
        )
        url = f"http://127.0.0.1:{inner}/storage/v1/b/handbook/o{'/' if asked else ''}{asked}?{environ['QUERY_STRING']}"
        try:
            with urlopen(url) as response:
                start("200 OK", [("Content-Type", response.headers["Content-Type"] or "text/plain")])
                return [response.read()]
        except HTTPError as error:
            with error:
                start(f"{error.code} Refused", [("Content-Type", "application/json")])
                return [error.read()]

    return answer


def _token(assertion: str, start: Any) -> list[bytes]:
    try:
        claims = jwt.decode(assertion, _KEY.public_key(), algorithms=["RS256"], options={"verify_aud": False})
    except jwt.InvalidTokenError:
        start("400 Bad Request", [("Content-Type", "application/json")])
        return [b'{"error": "invalid_grant"}']
    assert claims["exp"] > time.time()
    start("200 OK", [("Content-Type", "application/json")])
    return [json.dumps({"access_token": "right", "expires_in": 3600, "token_type": "Bearer"}).encode()]
