"""A folder on this machine."""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, Field, field_validator

from core.errors import GoneError, SourceError, UnreadableFileError
from core.library.ingestion.sources import LeftOut
from core.library.sync.connector import Access, Connector, Kind, make_changed_error
from core.library.sync.files.connector import FileConnector
from core.library.sync.files.settings import FileSettings
from core.library.sync.files.store import PIECE, Entry, PassedOver, StoredFile, walk

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # opening a pipe does not wait for its writer


class FolderSettings(FileSettings):
    """The path of the folder to read."""

    path: str = Field(
        title="Folder",
        description="Its full path on the machine of the worker, such as /srv/handbook. It has to be in one of the "
        "folders that this installation allows.",
    )

    @field_validator("path")
    @classmethod
    def _check_path(cls, path: str) -> str:
        if not Path(path).is_absolute() or not path.isprintable():
            raise ValueError("Write the full path of the folder, beginning with /.")
        return path


class _Folder:
    """Files of this machine. From the allowed folder on, each step is opened by itself and no link is followed."""

    def __init__(self, allowed: Path, parts: tuple[str, ...], access: Access) -> None:
        self._allowed = allowed
        self._parts = parts  # from there to the root of the source
        self._access = access

    def files(self, passed_over: PassedOver) -> Iterator[StoredFile | LeftOut]:
        """Return all files, folder by folder. SourceError when one of these cannot be read."""
        return walk(self._list_entries, passed_over)

    def _list_entries(self, path: str) -> list[Entry]:
        self._access.pause()
        try:
            with self._open_below(path, _FOLDER) as folder, os.scandir(folder) as entries:
                return [entry for one in entries if (entry := _make_entry(one))]
        except FileNotFoundError as error:
            raise GoneError from error
        except OSError as error:
            raise SourceError(
                f"The folder {path or 'of the source'} cannot be read. The system says: {error.strerror}. "
                "Check its permissions."
            ) from error

    def pieces(self, path: str, fingerprint: str) -> Iterator[bytes]:
        """Yield the content. ChangedMeanwhileError when it is another than was listed, or was written to meanwhile."""
        with self._open_file(path) as file:
            before = _fingerprint_of(file, path)
            if fingerprint and before != fingerprint:
                raise make_changed_error(path)
            while piece := os.read(file, PIECE):
                yield piece
            if _fingerprint_of(file, path) != before:
                raise make_changed_error(path)

    def fingerprint_of(self, path: str) -> str:
        """Return the fingerprint of what would be opened now."""
        with self._open_file(path) as file:
            return _fingerprint_of(file, path)

    @contextmanager
    def _open_file(self, path: str) -> Iterator[int]:
        """A descriptor of a file below the root, with this system's errors in our words."""
        self._access.pause()
        try:
            with self._open_below(path, _FILE) as file:
                yield file
        except (FileNotFoundError, NotADirectoryError) as error:
            raise GoneError(f"{path} is no longer there.") from error
        except OSError as error:
            raise UnreadableFileError(f"{path} cannot be read. The system says: {error.strerror}.") from error

    @contextmanager
    def _open_below(self, path: str, flags: int) -> Iterator[int]:
        """A descriptor of a folder or file below the root."""
        parts = [*self._parts, *(part for part in path.split("/") if part)]
        opened = os.open(self._allowed, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for place, part in enumerate(parts, start=1):
                above = opened
                opened = os.open(part, flags if place == len(parts) else _FOLDER, dir_fd=above)
                os.close(above)
            yield opened
        finally:
            os.close(opened)


def _make_entry(found: "os.DirEntry[str]") -> Entry | None:
    """Return the folder's entry as listed; None when it disappeared while the folder was read."""
    try:
        status = found.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        return Entry(name=found.name, is_folder=True)
    if stat.S_ISREG(status.st_mode):
        return Entry(name=found.name, fingerprint=_fingerprint(status))
    is_link = stat.S_ISLNK(status.st_mode)
    return Entry(name=found.name, left_out="a link, which is not followed" if is_link else "no file, but a device")


def _fingerprint_of(file: int, path: str) -> str:
    """Of an opened file; GoneError when it is none."""
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode):
        raise GoneError(f"{path} is no file any more.")
    return _fingerprint(status)


def _fingerprint(status: os.stat_result) -> str:
    # The time of the last change of the status as well: a copy that keeps the time of writing, and a file that is moved
    # into the place of another, have a new one, which no program can set.
    return f"{status.st_mtime_ns}-{status.st_ctime_ns}-{status.st_size}"


def _connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    given = FolderSettings.model_validate(settings)
    allowed, parts = access.locate(given.path)
    return FileConnector(_Folder(allowed, parts, access), given, access)


KIND = Kind(
    name="folder",
    label="Folder",
    help="A folder on the machine on which Footnote's worker runs, with all folders below it. Links are not followed.",
    settings=FolderSettings,
    connect=_connect,
    per_minute=0,
    tells_readers=True,
)
