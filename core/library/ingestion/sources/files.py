"""Files and folders."""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from core.errors import UnreadableFileError
from core.language.nlp.document_types import type_from_path
from core.library.ingestion import errors
from core.library.ingestion.formats import list_readable_endings
from core.library.ingestion.naming import suffix
from core.library.ingestion.sources import fomc
from core.library.ingestion.sources.addresses import path_as_source
from core.library.ingestion.sources.section_folder import TITLES, section_folder
from core.library.ingestion.sources.source import Found, LeftOut, LoadedFile, Source
from core.values.sizes import MEGABYTE


def find(path: Path, *, max_mb: int) -> Iterator[Found]:
    """The sources in a file or folder, folders with all below them, in the order of their names.

    Hidden files and folders are passed over. IngestionError when there is no such file.
    """
    if path.is_dir():
        yield from _in_folder(path, max_mb)
    elif path.is_file():
        yield _file(path, max_mb=max_mb, was_found=False)
    else:
        raise UnreadableFileError(f"{path} does not exist. Check the path.")


def name_of(path: Path) -> str:
    """A file's name for people, and for its source: its path as seen from the working folder, or in full outside it."""
    resolved = path.resolve()
    try:
        return resolved.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return resolved.as_posix()


def _in_folder(folder: Path, max_mb: int) -> Iterator[Found]:
    try:
        entries = sorted((entry for entry in folder.iterdir() if not entry.name.startswith(".")), key=lambda e: e.name)
    except OSError as error:
        yield _build_closed_source(folder, error.strerror)
        return
    consumed: set[Path] = set()
    if folder / TITLES in entries:
        source, consumed = section_folder(folder, name_of(folder), max_mb)
        yield source
    for entry in entries:
        if entry in consumed or (entry.is_symlink() and entry.is_dir()):
            continue
        if entry.is_dir():
            yield from _in_folder(entry, max_mb)
        elif suffix(entry.name) in list_readable_endings():
            yield _file(entry, max_mb=max_mb, was_found=True)
        else:
            ending = suffix(entry.name)
            kind = f"a file of type {ending}" if ending else "a file without an extension"
            yield LeftOut(name=name_of(entry), reason=f"{kind}, not a document")


def _file(path: Path, *, max_mb: int, was_found: bool) -> Source:
    name = name_of(path)
    hints = fomc.hints(path.name)
    return Source(
        name=name,
        key=path_as_source(name),
        load=partial(_load, path, name, max_mb),
        was_found=was_found,
        document_type=type_from_path(path.resolve().as_posix()) or hints.document_type,
        document_date=hints.document_date,
    )


def _build_closed_source(folder: Path, reason: str | None) -> Source:
    """Stands for all that is in a folder that cannot be read: what may be missing has to fail."""
    name = name_of(folder)
    return Source(name=name, key=name, load=partial(_refuse, name, reason))


def _refuse(name: str, reason: str | None) -> LoadedFile:
    raise UnreadableFileError(f"The folder {name} cannot be read. The system says: {reason}. Check its permissions.")


def _load(path: Path, name: str, max_mb: int) -> LoadedFile:
    return LoadedFile(content=read_bytes(path, name, max_mb), name=name)


def read_bytes(path: Path, name: str, max_mb: int) -> bytes:
    """The bytes of a file. FileTooLargeError over `max_mb`, UnreadableFileError when the system refuses."""
    try:
        with path.open("rb") as stream:
            if os.fstat(stream.fileno()).st_size > max_mb * MEGABYTE:
                raise errors.make_too_large_error(name, max_mb)
            return stream.read()
    except OSError as error:
        raise errors.make_unreadable_error(name, f"the system says: {error.strerror}") from error
