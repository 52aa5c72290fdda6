"""WsgiDAV, with one user."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wsgidav.wsgidav_app import WsgiDAVApp

from tests.integration.sync.servers.folder import put
from tests.integration.sync.servers.served import Served, serving


@contextmanager
def serve(folder: Path) -> Iterator[Served]:
    """A share of a folder."""
    application = WsgiDAVApp(
        {
            "provider_mapping": {"/dav files": str(folder)},
            "simple_dc": {"user_mapping": {"*": {"footnote": {"password": "right"}}}},
            "http_authenticator": {"accept_basic": True, "accept_digest": False, "default_to_digest": False},
            "verbose": 0,
            "logging": {"enable": False},
            "lock_storage": False,
            "property_manager": False,
        }
    )
    with serving(application) as port:

        def at(port: int) -> dict[str, str]:
            return {"address": f"http://127.0.0.1:{port}/dav%20files", "user": "footnote"}

        yield Served(
            kind="webdav",
            settings=at(port),
            secrets={"password": "right"},
            refused={"password": "wrong"},
            put=lambda path, content: put(folder, path, content),
            remove=lambda path: (folder / path).unlink(),
            at=at,
        )
