"""A folder of a Windows share, or of one by Samba."""

import datetime as dt
import weakref
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from core.errors import GoneError, SourceError, SourceRefusedError, UnreadableFileError
from core.library.ingestion.sources import LeftOut
from core.library.sync.connector import Access, Connector, Kind, make_changed_error
from core.library.sync.files import store
from core.library.sync.files.connector import FileConnector
from core.library.sync.files.settings import FileSettings, HostName, RelativePath
from core.library.sync.files.store import PIECE, Entry, PassedOver, StoredFile, check_number, walk, within

if TYPE_CHECKING:
    from smbprotocol.open import Open
    from smbprotocol.tree import TreeConnect

_OPEN_LINK_ITSELF = 0x00200000  # [MS-SMB2] 2.2.13, FILE_OPEN_REPARSE_POINT
_FOLDER = 0x10  # [MS-FSCC] 2.6, FILE_ATTRIBUTE_DIRECTORY
_NO_NAME = frozenset('\\/:*?"<>|')
_FOREIGN = "its name is none on Windows"
_LETTERS = "another name differs from its own in capital letters alone, which the server takes for the same"
_LINK = 0x400  # FILE_ATTRIBUTE_REPARSE_POINT


class SmbSettings(FileSettings):
    """The share to read, and the account that signs in."""

    host: HostName = Field(title="Server", description="Its name, such as files.example.com.")
    port: int = Field(default=445, ge=1, le=65535, title="Port", description="445 unless the server has another.")
    share: str = Field(
        pattern=r'^[^\\/:*?"<>|\x00-\x1f]{1,80}$', title="Share", description="Its name without the server: Handbooks."
    )
    path: RelativePath = Field(
        default="", title="Folder", description="Below the share, with /, such as policies/2024. Empty: all of it."
    )
    user: str = Field(
        min_length=1,
        title="User name",
        description="As DOMAIN\\user or user@example.com. Best of an account that can only read.",
    )


class _Smb:
    """Files on a share, over one connection that lasts as long as this object.

    Every message is signed. Referrals to other servers (DFS) and links are not followed.
    """

    def __init__(self, given: SmbSettings, password: str, access: Access) -> None:
        self._given = given
        self._password = password
        self._access = access
        self._connection: Any = None
        self._tree: TreeConnect | None = None

    def files(self, passed_over: PassedOver) -> Iterator[StoredFile | LeftOut]:
        """Return all files, folder by folder."""
        return walk(self._list_entries, passed_over)

    def _list_entries(self, path: str) -> list[Entry]:
        from smbprotocol.exceptions import NoMoreFiles
        from smbprotocol.file_info import FileInformationClass

        found: list[Any] = []
        with (
            self._translate_errors(""),
            self._in_time(store.LOADING_S),
            self._open_entry(path, is_folder=True) as folder,
        ):
            while True:
                try:
                    with self._in_time():
                        found += folder.query_directory("*", FileInformationClass.FILE_ID_FULL_DIRECTORY_INFORMATION)
                except NoMoreFiles:
                    break
                check_number(len(found), path)
        return _drop_ambiguous(entry for one in found if (entry := _make_entry(one)).name not in {".", ".."})

    def pieces(self, path: str, fingerprint: str) -> Iterator[bytes]:
        """Yield the content, as it comes."""
        with self._translate_errors(path), self._open_entry(path, is_folder=False) as file:
            _refuse_link(file, path)
            most = min(PIECE, file.connection.max_read_size)
            offset = 0
            while offset < file.end_of_file:
                with self._in_time():
                    piece: bytes = file.read(offset, min(most, file.end_of_file - offset))
                yield piece
                offset += len(piece)
        # By the answer to closing, which describes the file as it was when it had been read.
        if fingerprint and _fingerprint_of(file) != fingerprint:
            raise make_changed_error(path)

    def fingerprint_of(self, path: str) -> str:
        """Return the fingerprint from the attributes that the server gives when the file is opened and closed."""
        with self._translate_errors(path), self._open_entry(path, is_folder=False) as file:
            _refuse_link(file, path)
        return _fingerprint_of(file)

    @contextmanager
    def _open_entry(self, path: str, *, is_folder: bool) -> "Iterator[Open]":
        from smbprotocol.open import (
            CreateDisposition,
            CreateOptions,
            FilePipePrinterAccessMask,
            ImpersonationLevel,
            Open,
            ShareAccess,
        )

        tree = self._ensure_connected()
        self._access.pause()
        parts = [self._given.path.replace("/", "\\"), path.replace("/", "\\")]
        opened = Open(tree, "\\".join(part for part in parts if part))
        kind = CreateOptions.FILE_DIRECTORY_FILE if is_folder else CreateOptions.FILE_NON_DIRECTORY_FILE
        with self._in_time():
            opened.create(
                ImpersonationLevel.Impersonation,
                FilePipePrinterAccessMask.FILE_READ_DATA | FilePipePrinterAccessMask.FILE_READ_ATTRIBUTES,
                _FOLDER if is_folder else 0,
                ShareAccess.FILE_SHARE_READ | ShareAccess.FILE_SHARE_WRITE | ShareAccess.FILE_SHARE_DELETE,
                CreateDisposition.FILE_OPEN,
                kind | _OPEN_LINK_ITSELF,
            )
        try:
            yield opened
        finally:
            with self._in_time():
                opened.close(get_attributes=not is_folder)

    def _ensure_connected(self) -> "TreeConnect":
        from smbprotocol.session import Session
        from smbprotocol.tree import TreeConnect

        from core.library.sync.files.guarded_smb import GuardedConnection

        if self._tree is None:
            self._access.pause()
            self._connection = GuardedConnection(self._access.addresses_of, self._given.host, self._given.port)
            weakref.finalize(self, _close, self._connection)
            with self._in_time(2 * store.ANSWER_S):
                self._connection.connect(timeout=max(1, int(store.ANSWER_S)))
            session = Session(
                self._connection, username=self._given.user, password=self._password, require_encryption=False
            )
            tree = TreeConnect(session, rf"\\{self._given.host}\{self._given.share}")
            with self._in_time():
                session.connect()
                tree.connect()
            self._tree = tree
        return self._tree

    def _in_time(self, seconds: float | None = None) -> AbstractContextManager[None]:
        """Close the connection when what is inside takes too long. seconds: None for those of one answer."""
        return within(store.ANSWER_S if seconds is None else seconds, self._close, self._given.host)

    def _close(self) -> None:
        self._tree = None
        if self._connection is not None:
            _close(self._connection)

    @contextmanager
    def _translate_errors(self, path: str) -> Iterator[None]:
        """path: of the one file that is asked for; "" for a folder."""
        from smbprotocol import exceptions
        from spnego.exceptions import SpnegoError

        host = self._given.host
        try:
            yield
        except (
            exceptions.NoSuchFile,
            exceptions.NotFound,
            exceptions.ObjectNameNotFound,
            exceptions.ObjectPathNotFound,
            exceptions.StatusNotADirectory,
            exceptions.FileIsADirectory,
        ):
            raise GoneError(f"{path} is no longer there.") from None
        except exceptions.BadNetworkName:
            raise SourceError(f"{host} has no share {self._given.share}.") from None
        except (exceptions.LogonFailure, exceptions.SMBAuthenticationError, SpnegoError):
            self._tree = None
            raise SourceRefusedError(f"{host} does not accept the user name and password.") from None
        except exceptions.AccessDenied:
            if path:
                raise UnreadableFileError(f"{path} may not be read by this user.") from None
            raise SourceRefusedError(f"{host} does not let this user read one of the folders.") from None
        except (exceptions.SMBException, OSError, ValueError):
            self._tree = None
            raise SourceError(f"{host} does not answer, or not as a file server does.") from None


def _close(connection: Any) -> None:
    if connection.transport is not None:
        connection.transport.close()


def _drop_ambiguous(entries: Iterable[Entry]) -> list[Entry]:
    """Entries, without those by whose name the server may open something else.

    It takes capital and small letters for the same, and some characters for ends of names, streams and patterns.
    """
    spellings = defaultdict[str, list[Entry]](list)
    for entry in entries:
        spellings["".join(map(_fold_letter, entry.name))].append(entry)
    found = []
    for same in spellings.values():
        is_ambiguous = len({entry.name for entry in same}) > 1
        for entry in same:
            reason = _LETTERS if is_ambiguous else _FOREIGN if _NO_NAME & set(entry.name) else ""
            found.append(Entry(name=entry.name, left_out=reason) if reason else entry)
    return found


def _fold_letter(letter: str) -> str:
    """As Windows compares names: one letter for one."""
    upper = letter.upper()
    return upper if len(upper) == 1 else letter


def _refuse_link(file: "Open", path: str) -> None:
    if file.file_attributes & _LINK:
        raise GoneError(f"{path} is no file any more.")


def _make_entry(found: Any) -> Entry:
    """Build a folder's entry from a FileIdFullDirectoryInformation."""
    name = found["file_name"].get_value().decode("utf-16-le", "surrogatepass")
    attributes = found["file_attributes"].get_value()
    if attributes & _LINK:
        return Entry(name=name, left_out="a link, which is not followed")
    if attributes & _FOLDER:
        return Entry(name=name, is_folder=True)
    told = (found[field].get_value() for field in ("last_write_time", "change_time", "end_of_file"))
    return Entry(name=name, fingerprint=_fingerprint(*told))


def _fingerprint_of(closed: "Open") -> str:
    """Return the fingerprint of a closed file, from the attributes that the server gave on closing."""
    return _fingerprint(closed.last_write_time, closed.change_time, closed.end_of_file)


def _fingerprint(written: dt.datetime, changed: dt.datetime, size: int) -> str:
    # The time of any change as well: a copy that keeps the time of writing, and a file that is moved into the place of
    # another, have a new one.
    return f"{written.isoformat()}-{changed.isoformat()}-{size}"


def _connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    given = SmbSettings.model_validate(settings)
    return FileConnector(_Smb(given, secrets.get("password", ""), access), given, access)


KIND = Kind(
    name="smb",
    label="Windows share (SMB)",
    help="A folder of a share on a Windows or Samba server, with all below it. Links and DFS are not followed.",
    settings=SmbSettings,
    connect=_connect,
    secrets={"password": "Password"},
    destination=("host", "port"),
    per_minute=600,
    tells_readers=True,
)
