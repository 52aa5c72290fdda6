"""Impacket's SMB server, with one user."""

import threading
from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from impacket.ntlm import compute_lmhash, compute_nthash
from impacket.smbserver import SMBSERVER

from tests.integration.sync.servers.folder import put
from tests.integration.sync.servers.served import Served


@contextmanager
def serve(folder: Path) -> Iterator[Served]:
    """A share of a folder, of which a folder is the source."""
    (folder / "hand book").mkdir()
    config = ConfigParser()
    config["global"] = {
        "server_name": "FILES",
        "server_os": "",
        "server_domain": "EXAMPLE",
        "log_file": "None",
        "credentials_file": "",
        "challenge": "A" * 16,
        "SMB2Support": "True",
    }
    config["HANDBOOKS"] = {"comment": "", "read only": "yes", "share type": "0", "path": str(folder)}
    server = SMBSERVER(("127.0.0.1", 0), config_parser=config)
    server.processConfigFile()
    server.addCredential("footnote", 0, compute_lmhash("right"), compute_nthash("right"))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    server.daemon_threads = True
    thread.start()

    def at(port: int) -> dict[str, Any]:
        return {"host": "127.0.0.1", "port": port, "share": "HANDBOOKS", "path": "hand book", "user": "footnote"}

    yield Served(
        kind="smb",
        settings=at(server.server_address[1]),
        secrets={"password": "right"},
        refused={"password": "wrong"},
        put=lambda path, content: put(folder / "hand book", path, content),
        remove=lambda path: (folder / "hand book" / path).unlink(),
        at=at,
    )
    server.shutdown()
    server.server_close()
    thread.join()
