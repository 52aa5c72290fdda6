"""Impacket's SMB server, with one user."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from impacket.ntlm import compute_lmhash, compute_nthash
from impacket.smbserver import SimpleSMBServer

from tests.integration.sync.servers.folder import put
from tests.integration.sync.servers.served import Served


@contextmanager
def serve(folder: Path) -> Iterator[Served]:
    """A share of a folder, of which a folder is the source."""
    (folder / "hand book").mkdir()
    server = SimpleSMBServer(listenAddress="127.0.0.1", listenPort=0)
    server.addShare("HANDBOOKS", str(folder), readOnly="yes")
    server.setSMB2Support(True)
    server.addCredential("footnote", 0, compute_lmhash("right"), compute_nthash("right"))
    server.setLogFile("")
    inner = server.getServer()
    thread = threading.Thread(target=inner.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    inner.daemon_threads = True
    thread.start()

    def at(port: int) -> dict[str, Any]:
        return {"host": "127.0.0.1", "port": port, "share": "HANDBOOKS", "path": "hand book", "user": "footnote"}

    yield Served(
        kind="smb",
        settings=at(inner.server_address[1]),
        secrets={"password": "right"},
        refused={"password": "wrong"},
        put=lambda path, content: put(folder / "hand book", path, content),
        remove=lambda path: (folder / "hand book" / path).unlink(),
        at=at,
    )
    inner.shutdown()
    inner.server_close()
    thread.join()
