"""The folder of a backup: manifest.json, database.dump, originals.txt and originals/, for its owner alone.

The manifest holds the checksums of the dump and of the list of originals, and one of itself; an original's name is its
checksum. So damage to any of them is found before anything is touched.
"""

import datetime as dt
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from core.errors import BackupError, BackupPathError

FORM = 1  # of the folder; a program reads those up to its own
MANIFEST, DUMP, LIST, ORIGINALS = "manifest.json", "database.dump", "originals.txt", "originals"


@dataclass(frozen=True, kw_only=True, slots=True)
class Manifest:
    """The contents of a backup, and the sums by which they are checked."""

    taken_at: str  # ISO 8601, UTC
    version: str  # of Footnote
    commit: str  # empty where it is not known
    postgresql: str
    migrations: dict[str, list[str]]  # applied ones by application
    audit_head: str  # NUMBER:DIGEST at that moment
    counts: dict[str, int]  # rows of the tables that matter most, by name
    originals: int
    missing_originals: list[str]  # SHA-256 of those that the storage did not have, or not whole
    dump_sha256: str
    list_sha256: str
    form: int = FORM

    @property
    def moment(self) -> dt.datetime:
        """The time at which the backup was taken."""
        return dt.datetime.fromisoformat(self.taken_at)

    @property
    def moment_in_words(self) -> str:
        """The same for people to read."""
        return f"{self.moment.astimezone(dt.UTC):%-d %B %Y, %H:%M} UTC"

    def write(self, folder: Path) -> None:
        """Write it into the folder, with a checksum of its own."""
        body = asdict(self)
        write_private(folder / MANIFEST, json.dumps(body | {"checksum": _sum_up(body)}, indent=2) + "\n")

    @classmethod
    def read(cls, folder: Path) -> Self:
        """BackupPathError where there is none; BackupError where it is damaged, or a newer Footnote wrote it."""
        try:
            body = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            checksum = body.pop("checksum")
        except (FileNotFoundError, NotADirectoryError):
            raise BackupPathError(f"{folder} is no backup: it has no {MANIFEST}.") from None
        except OSError as error:
            raise BackupError(f"{folder / MANIFEST} cannot be read: {error.strerror}.") from error
        except (ValueError, AttributeError, KeyError):
            raise _make_damaged_error(folder, MANIFEST) from None
        if checksum != _sum_up(body):
            raise _make_damaged_error(folder, MANIFEST)
        if body["form"] > FORM:
            raise BackupError(
                f"{folder} was written by Footnote {body['version']}, which is newer: restore it with that."
            )
        return cls(**body)


def verify(folder: Path, manifest: Manifest, done: Callable[[int], None]) -> None:
    """Compare every file with its checksum. BackupError with the name of the first that is damaged or not there.

    done: called with 1 for each original.
    """
    for name, expected in ((DUMP, manifest.dump_sha256), (LIST, manifest.list_sha256)):
        if hash_file(folder / name) != expected:
            raise _make_damaged_error(folder, name)
    for sha256 in iterate_originals(folder):
        if hash_file(place_of(folder, sha256)) != sha256:
            raise _make_damaged_error(folder, f"{ORIGINALS}/{sha256[:2]}/{sha256}")
        done(1)


def iterate_originals(folder: Path) -> Iterator[str]:
    """Yield the SHA-256 of each original that the backup holds."""
    with (folder / LIST).open(encoding="utf-8") as lines:
        yield from (line.strip() for line in lines)


def place_of(folder: Path, sha256: str) -> Path:
    """Return the path of an original in the folder."""
    return folder / ORIGINALS / sha256[:2] / sha256


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file, read piece by piece; empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read."""
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8")


def _sum_up(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _make_damaged_error(folder: Path, name: str) -> BackupError:
    return BackupError(f"{folder / name} is damaged or missing. Nothing was changed. Use another backup.")
