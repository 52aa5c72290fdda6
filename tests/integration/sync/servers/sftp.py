"""Paramiko's server, with one user and one folder."""

import base64
import hashlib
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import paramiko
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519

from tests.integration.sync.servers.folder import put
from tests.integration.sync.servers.served import Served

USERS_KEY = ed25519.Ed25519PrivateKey.generate()


class _User(paramiko.ServerInterface):
    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        form = (serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
        right = USERS_KEY.public_key().public_bytes(*form).split()[1] == key.get_base64().encode()
        return paramiko.AUTH_SUCCESSFUL if right else paramiko.AUTH_FAILED

    def check_auth_password(self, username: str, password: str) -> int:
        right = (username, password) == ("footnote", "right")
        return paramiko.AUTH_SUCCESSFUL if right else paramiko.AUTH_FAILED

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return paramiko.OPEN_SUCCEEDED

    def get_allowed_auths(self, username: str) -> str:
        return "password,publickey"


class _Handle(paramiko.SFTPHandle):
    readfile: Any

    def stat(self) -> paramiko.SFTPAttributes:
        return paramiko.SFTPAttributes.from_stat(os.fstat(self.readfile.fileno()))


class _Files(paramiko.SFTPServerInterface):
    root: Path

    def list_folder(self, path: str) -> Any:
        try:
            return [_attributes(one) for one in self._at(path).iterdir()]
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno or 0)

    def stat(self, path: str) -> Any:
        return self.lstat(path)

    def lstat(self, path: str) -> Any:
        try:
            return _attributes(self._at(path))
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno or 0)

    def open(self, path: str, flags: int, attr: Any) -> Any:
        try:
            handle = _Handle(flags)
            handle.readfile = self._at(path).open("rb")
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno or 0)
        return handle

    def _at(self, path: str) -> Path:
        return self.root / path.lstrip("/")


def _attributes(path: Path) -> paramiko.SFTPAttributes:
    return paramiko.SFTPAttributes.from_stat(os.lstat(path), os.fsencode(path.name))


class _Answering(threading.Thread):
    def __init__(self, key: paramiko.PKey, root: Path) -> None:
        super().__init__(daemon=True)
        self._key = key
        self._files = type("Files", (_Files,), {"root": root})
        self._connections: list[paramiko.Transport] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]

    def run(self) -> None:
        with suppress(OSError):
            while True:
                transport = paramiko.Transport(self._socket.accept()[0])
                transport.add_server_key(self._key)
                transport.set_subsystem_handler("sftp", paramiko.SFTPServer, self._files)
                with suppress(paramiko.SSHException, EOFError):
                    transport.start_server(threading.Event(), server=_User())
                self._connections.append(transport)

    def stop(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self.join()
        for transport in self._connections:
            transport.close()


@contextmanager
def serve(folder: Path) -> Iterator[Served]:
    """A folder of which a folder is the source."""
    key = paramiko.ECDSAKey.generate()
    shown = base64.b64encode(hashlib.sha256(key.asbytes()).digest()).decode().rstrip("=")
    server = _Answering(key, folder)
    server.start()

    def at(port: int) -> dict[str, Any]:
        return {
            "host": "127.0.0.1",
            "port": port,
            "host_key": f"SHA256:{shown}",
            "user": "footnote",
            "path": "/hand book",
        }

    (folder / "hand book").mkdir()
    yield Served(
        kind="sftp",
        settings=at(server.port),
        secrets={"password": "right"},
        refused={"password": "wrong"},
        put=lambda path, content: put(folder / "hand book", path, content),
        remove=lambda path: (folder / "hand book" / path).unlink(),
        at=at,
    )
    server.stop()
