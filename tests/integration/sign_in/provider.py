"""A real OpenID provider on this machine, whose tokens a test may change before they are signed."""

import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode
from wsgiref.types import StartResponse, WSGIEnvironment

import jwt
import oidc_provider_mock
import werkzeug.serving
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from werkzeug.test import run_wsgi_app
from werkzeug.wrappers import Request, Response

Claims = dict[str, Any]
KEY = rsa.generate_private_key(65537, 2048)
OTHER_KEY = rsa.generate_private_key(65537, 2048)


class Provider:
    """The provider's application with a key of the test's, and what is to be changed in its tokens."""

    def __init__(self, people: dict[str, Claims]) -> None:
        users = [oidc_provider_mock.User(sub=sub, claims=claims) for sub, claims in people.items()]
        self._app = oidc_provider_mock.app(user_claims=users)
        self.reset()

    def reset(self) -> None:
        """Tell the truth."""
        self.change: Callable[[Claims], Claims] = lambda claims: claims
        self.key, self.userinfo, self.described = KEY, Claims(), Claims()
        self.sign: Callable[[Claims], str | None] = self._sign
        self.exchanged: list[dict[str, str]] = []  # the forms by which codes were exchanged

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Any:
        path = environ["PATH_INFO"]
        if path == "/jwks":
            public = json.loads(RSAAlgorithm.to_jwk(KEY.public_key())) | {"kid": "one", "alg": "RS256", "use": "sig"}
            return Response(json.dumps({"keys": [public]}), mimetype="application/json")(environ, start_response)
        if path == "/oauth2/token":
            sent = Request(environ)
            self.exchanged.append(sent.form.to_dict())
            environ["wsgi.input"] = io.BytesIO(urlencode(sent.form).encode())
        chunks, status, headers = run_wsgi_app(self._app, environ)
        body = b"".join(chunks)
        if path == "/.well-known/openid-configuration":
            body = json.dumps(json.loads(body) | self.described).encode()
        if path == "/oauth2/token" and status.startswith("200"):
            body = self._resigned(json.loads(body))
        if path == "/userinfo" and status.startswith("200"):
            body = json.dumps(json.loads(body) | self.userinfo).encode()
        return Response(body, status=status, mimetype=headers.get("Content-Type"), headers=_kept(headers))(
            environ, start_response
        )

    def _resigned(self, answer: Claims) -> bytes:
        claims = jwt.decode(answer.pop("id_token"), options={"verify_signature": False})
        signed = self.sign(self.change(claims))
        return json.dumps(answer | ({} if signed is None else {"id_token": signed})).encode()

    def _sign(self, claims: Claims) -> str:
        return jwt.encode(claims, self.key, algorithm="RS256", headers={"kid": "one"})


def _kept(headers: Any) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name in {"Location", "Set-Cookie", "Cache-Control"}}


@contextmanager
def running(provider: Provider) -> Iterator[str]:
    """Serve it on the loopback address. Gives the issuer's address."""
    server = werkzeug.serving.make_server("127.0.0.1", 0, provider, threaded=True)
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.05))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


def expired(claims: Claims) -> Claims:
    """A token of an hour ago."""
    return claims | {"iat": int(time.time()) - 7200, "exp": int(time.time()) - 3600}
