"""A folder on a server that speaks SFTP."""

import base64
import hashlib
import io
import re
import stat
import weakref
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field, field_validator

from core.errors import GoneError, SourceError, SourceRefusedError, UnreadableFileError
from core.library.ingestion.sources import LeftOut
from core.library.ingestion.sources.connections import open_socket
from core.library.sync.connector import Access, Connector, Kind, make_changed_error
from core.library.sync.files import store
from core.library.sync.files.connector import FileConnector
from core.library.sync.files.settings import FileSettings, HostName
from core.library.sync.files.store import Entry, PassedOver, StoredFile, check_number, walk, within
from core.values.sizes import MEGABYTE

if TYPE_CHECKING:
    import paramiko

_HOST_KEY = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")
_PIECE = 32 * 1024  # bytes; what servers send at a time
_AHEAD = 64  # pieces


class SftpSettings(FileSettings):
    """The server's address, its host key, and the folder to read."""

    host: HostName = Field(title="Server", description="Its name, such as files.example.com.")
    port: int = Field(default=22, ge=1, le=65535, title="Port", description="22 unless the server has another.")
    host_key: str = Field(
        title="Fingerprint of the server's key",
        description="As its administrator tells it, or as ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub prints it "
        "on the server: SHA256:, then 43 characters. Several, one in a line, while keys are changed. A server that "
        "shows another key is not asked.",
    )
    user: str = Field(min_length=1, title="User name", description="Best of an account that can only read.")
    path: str = Field(
        default=".", title="Folder", description="As /srv/handbook, or relative to where the user begins."
    )

    @field_validator("host_key")
    @classmethod
    def _check_host_key(cls, text: str) -> str:
        keys = text.split()
        if not keys or not all(_HOST_KEY.fullmatch(key) for key in keys):
            raise ValueError('Write the fingerprint as "SHA256:" and 43 characters, as ssh-keygen -lf prints it.')
        return "\n".join(keys)

    @field_validator("path")
    @classmethod
    def _check_path(cls, path: str) -> str:
        if not path.isprintable():
            raise ValueError("Write the path of a folder, such as /srv/handbook.")
        return path.rstrip("/") or "/"


class _Sftp:
    """Files on an SFTP server, over one connection that lasts as long as this object."""

    def __init__(self, given: SftpSettings, secrets: Mapping[str, str], access: Access) -> None:
        self._given = given
        self._secrets = secrets
        self._access = access
        self._client: paramiko.SFTPClient | None = None
        self._transport: paramiko.Transport | None = None

    def files(self, passed_over: PassedOver) -> Iterator[StoredFile | LeftOut]:
        """Return all files, folder by folder."""
        return walk(self._list_entries, passed_over)

    def _list_entries(self, path: str) -> list[Entry]:
        with self._translate_errors(""):
            client = self._ensure_connected()
            self._access.pause()
            with self._in_time(store.LOADING_S):
                found = _read_folder(client, self._path_below(path))
            return [_make_entry(one) for one in found if one.filename not in {".", ".."}]

    def pieces(self, path: str, fingerprint: str) -> Iterator[bytes]:
        """Yield the content, as it comes."""
        with self._translate_errors(path):
            client = self._ensure_connected()
            self._access.pause()
            with self._in_time():
                found = self._look_at(client, path)
                file = client.open(self._path_below(path), "rb")
            try:
                # Asked for ahead, so that not each piece waits for the one before it; and no more than is allowed.
                file.prefetch(min(found.st_size or 0, self._access.max_mb * MEGABYTE + 1), _AHEAD)
                while piece := self._read_piece(file):
                    yield piece
                # Of the opened file, whatever is at the path by now. Version 3 of the protocol, which all servers
                # speak, gives times in whole seconds: two contents of one length and one second look alike.
                with self._in_time():
                    after = _fingerprint(file.stat())
                if after != (fingerprint or _fingerprint(found)):
                    raise make_changed_error(path)
            finally:
                with self._in_time():
                    file.close()

    def fingerprint_of(self, path: str) -> str:
        """Return the fingerprint by the attributes of now."""
        with self._translate_errors(path):
            client = self._ensure_connected()
            self._access.pause()
            with self._in_time():
                return _fingerprint(self._look_at(client, path))

    def _read_piece(self, file: "paramiko.SFTPFile") -> bytes:
        with self._in_time():
            piece: bytes = file.read(_PIECE)
        return piece

    def _look_at(self, client: "paramiko.SFTPClient", path: str) -> "paramiko.SFTPAttributes":
        """Return the attributes of a file. GoneError for anything else: what was a file may be a link by now."""
        found = client.lstat(self._path_below(path))
        if not stat.S_ISREG(found.st_mode or 0):
            raise GoneError(f"{path} is no file any more.")
        return found

    def _path_below(self, path: str) -> str:
        return f"{self._given.path.rstrip('/')}/{path}" if path else self._given.path

    def _in_time(self, seconds: float | None = None) -> AbstractContextManager[None]:
        """Close the connection when what is inside takes too long. seconds: None for those of one answer."""
        return within(store.ANSWER_S if seconds is None else seconds, self._close, self._given.host)

    def _close(self) -> None:
        self._client = None
        if self._transport is not None:
            self._transport.close()

    def _ensure_connected(self) -> "paramiko.SFTPClient":
        import paramiko

        if self._client is None:
            self._access.pause()
            self._transport = paramiko.Transport(
                open_socket(self._access.addresses_of, self._given.host, self._given.port, seconds=store.ANSWER_S)
            )
            weakref.finalize(self, self._transport.close)
            with self._in_time(2 * store.ANSWER_S):
                self._client = self._sign_in_over(self._transport)
        return self._client

    def _sign_in_over(self, transport: "paramiko.Transport") -> "paramiko.SFTPClient":
        """Sign in over a connection that was just opened."""
        import paramiko

        class Client(paramiko.SFTPClient):  # type: ignore[misc]  # the library has no types
            def _read_all(self, n: int) -> bytes:
                """As the library's, of messages that have a bounded length."""
                if n > store.LISTING_MB * MEGABYTE:
                    raise paramiko.SSHException
                read: bytes = super()._read_all(n)
                return read

        transport.banner_timeout = transport.handshake_timeout = store.ANSWER_S
        transport.auth_timeout = transport.channel_timeout = store.ANSWER_S
        transport.start_client(timeout=store.ANSWER_S)
        self._check_host_key(transport.get_remote_server_key())
        self._sign_in(transport)
        client = Client.from_transport(transport)
        if client is None:
            raise SourceError(f"{self._given.host} does not speak SFTP.")
        client.get_channel().settimeout(store.ANSWER_S)
        return client

    def _check_host_key(self, key: "paramiko.PKey") -> None:
        shown = base64.b64encode(hashlib.sha256(key.asbytes()).digest()).decode("ascii").rstrip("=")
        if f"SHA256:{shown}" not in self._given.host_key.split():
            raise SourceError(
                f"{self._given.host} shows a key with the fingerprint SHA256:{shown}, which is not the one entered. "
                "Ask its administrator whether the key was changed: somebody may stand in between."
            )

    def _sign_in(self, transport: "paramiko.Transport") -> None:
        if self._secrets.get("private_key"):
            transport.auth_publickey(self._given.user, self._read_key())
        else:
            transport.auth_password(self._given.user, self._secrets.get("password", ""), fallback=False)

    def _read_key(self) -> "paramiko.PKey":
        import paramiko

        text, passphrase = self._secrets["private_key"].strip() + "\n", self._secrets.get("password") or None
        for form in (paramiko.Ed25519Key, paramiko.ECDSAKey, paramiko.RSAKey):
            try:
                return form.from_private_key(io.StringIO(text), password=passphrase)
            except paramiko.PasswordRequiredException:
                break
            except (paramiko.SSHException, ValueError, IndexError, TypeError):
                continue
        raise SourceRefusedError("The private key cannot be read. Paste all of its file; its passphrase is Password.")

    @contextmanager
    def _translate_errors(self, path: str) -> Iterator[None]:
        """path: of the one file that is asked for; "" for a folder."""
        import paramiko

        host = self._given.host
        try:
            yield
        except FileNotFoundError:
            raise GoneError(f"{path} is no longer there.") from None
        except PermissionError:
            if path:
                raise UnreadableFileError(f"{path} may not be read by this user.") from None
            raise SourceRefusedError(f"{host} does not let this user read one of the folders.") from None
        except paramiko.AuthenticationException:
            raise SourceRefusedError(f"{host} does not accept the user name with this password or key.") from None
        except (paramiko.SSHException, EOFError, OSError):
            self._client = None
            raise SourceError(f"{host} does not answer, or not as an SFTP server does.") from None


def _read_folder(client: "paramiko.SFTPClient", path: str) -> "list[paramiko.SFTPAttributes]":
    """As the library does it, which breaks off at a name that is not written in UTF-8."""
    import paramiko

    folder = client._request(paramiko.sftp.CMD_OPENDIR, path.encode())[1].get_binary()
    found: list[paramiko.SFTPAttributes] = []
    try:
        while True:
            try:
                kind, names = client._request(paramiko.sftp.CMD_READDIR, folder)
            except EOFError:
                return found
            if kind != paramiko.sftp.CMD_NAME:
                raise paramiko.SSHException
            for _ in range(names.get_int()):
                name = names.get_binary().decode("utf-8", "surrogateescape")
                names.get_binary()  # the same for people
                found.append(paramiko.SFTPAttributes._from_msg(names, name))
                check_number(len(found), path)  # each time: the number that the server gives may be any
    finally:
        client._request(paramiko.sftp.CMD_CLOSE, folder)


def _make_entry(found: "paramiko.SFTPAttributes") -> Entry:
    mode = found.st_mode or 0
    if stat.S_ISDIR(mode):
        return Entry(name=found.filename, is_folder=True)
    if stat.S_ISREG(mode):
        return Entry(name=found.filename, fingerprint=_fingerprint(found))
    is_link = stat.S_ISLNK(mode)
    return Entry(name=found.filename, left_out="a link, which is not followed" if is_link else "no file, but a device")


def _fingerprint(found: "paramiko.SFTPAttributes") -> str:
    return f"{found.st_mtime}-{found.st_size}"


def _connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    given = SftpSettings.model_validate(settings)
    return FileConnector(_Sftp(given, secrets, access), given, access)


KIND = Kind(
    name="sftp",
    label="SFTP server",
    help="A folder on a server that is reached by SSH, with all below it. Links are not followed.",
    settings=SftpSettings,
    connect=_connect,
    secrets={
        "password": "Password, or the passphrase of the private key",
        "private_key": "Private key: all of its file. Empty: the password is used",
    },
    destination=("host", "port", "host_key"),
    per_minute=600,
    tells_readers=True,
)
