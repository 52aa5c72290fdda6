"""Find the sources that a file or a folder holds.

A folder of section files with a `_titles.tsv` is one document. Each line of `_titles.tsv` is a code, a tab, and the
title of a section; the section's text is in the file whose name is the code, or ends in "_" and the code. The order of
the lines is the order of the sections.
"""

import csv
import io
import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from core.errors import UnreadableFileError
from core.language.nlp.document_types import type_from_path
from core.library.ingestion import errors
from core.library.ingestion.formats import list_readable_endings
from core.library.ingestion.naming import date_in_name, suffix, title_from_name
from core.library.ingestion.sources import Found, LeftOut, LoadedFile, Source, fomc
from core.library.ingestion.sources.addresses import path_as_source
from core.values.sizes import MEGABYTE

TITLES = "_titles.tsv"
_ABBREVIATION = 4  # letters; a folder's name of so few is taken for an abbreviation: fomc, hr


def find(path: Path, *, max_mb: int) -> Iterator[Found]:
    """Yield the sources in a file or folder, folders with all below them, in the order of their names.

    Hidden files and folders are passed over. IngestionError when there is no such file.
    """
    if path.is_dir():
        yield from _in_folder(path, max_mb)
    elif path.is_file():
        yield _make_source(path, max_mb=max_mb, was_found=False)
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
            yield _make_source(entry, max_mb=max_mb, was_found=True)
        else:
            ending = suffix(entry.name)
            kind = f"a file of type {ending}" if ending else "a file without an extension"
            yield LeftOut(name=name_of(entry), reason=f"{kind}, not a document")


def _make_source(path: Path, *, max_mb: int, was_found: bool) -> Source:
    name = name_of(path)
    hints = fomc.hints(path.name)
    return Source(
        name=name,
        key=path_as_source(name),
        load=partial(_load_file, path, name, max_mb),
        was_found=was_found,
        document_type=type_from_path(path.resolve().as_posix()) or hints.document_type,
        document_date=hints.document_date,
    )


def _build_closed_source(folder: Path, reason: str | None) -> Source:
    """Stands for all that is in a folder that cannot be read: what may be missing has to fail."""
    name = name_of(folder)
    return Source(name=name, key=name, load=partial(_refuse_file, name, reason))


def _refuse_file(name: str, reason: str | None) -> LoadedFile:
    raise UnreadableFileError(f"The folder {name} cannot be read. The system says: {reason}. Check its permissions.")


def _load_file(path: Path, name: str, max_mb: int) -> LoadedFile:
    return LoadedFile(content=read_bytes(path, name, max_mb), name=name)


def read_bytes(path: Path, name: str, max_mb: int) -> bytes:
    """Return the bytes of a file. FileTooLargeError over `max_mb`, UnreadableFileError when the system refuses."""
    try:
        with path.open("rb") as stream:
            if os.fstat(stream.fileno()).st_size > max_mb * MEGABYTE:
                raise errors.make_too_large_error(name, max_mb)
            return stream.read()
    except OSError as error:
        raise errors.make_unreadable_error(name, f"the system says: {error.strerror}") from error


def section_folder(folder: Path, name: str, max_mb: int) -> tuple[Source, set[Path]]:
    """Return the source that a folder is, and the files that it is made of. name: the folder's, for people."""
    files = {folder / TITLES, *_find_section_files(folder).values()}
    source = Source(
        name=f"{name}/",
        key=path_as_source(f"{name}/"),
        load=partial(_load_sections, folder, f"{name}/", max_mb),
        was_found=True,
        document_type=type_from_path(f"{folder.resolve().as_posix()}/{TITLES}"),
        document_date=date_in_name(folder.name),
    )
    return source, files


def _load_sections(folder: Path, name: str, max_mb: int) -> LoadedFile:
    """Return the document as the JSON of one with sections."""
    files = _find_section_files(folder)
    if sum(file.stat().st_size for file in files.values()) > max_mb * MEGABYTE:
        raise errors.make_too_large_error(name, max_mb)
    sections = []
    for code, title in _read_titles(folder):
        if code not in files:
            raise UnreadableFileError(f"{name}: {TITLES} names the section {code}, but there is no file for it.")
        sections.append({"title": title, "text": _read_text(files[code], name)})
    document = {"title": _document_title(folder.resolve()), "sections": sections}
    return LoadedFile(content=json.dumps(document).encode(), name=f"{name}{folder.name}.json", is_original=False)


def _read_titles(folder: Path) -> list[tuple[str, str]]:
    rows = csv.reader(io.StringIO(_read_text(folder / TITLES, folder.name)), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [(row[0].strip(), row[1].strip()) for row in rows if len(row) > 1 and row[0].strip()]


def _find_section_files(folder: Path) -> dict[str, Path]:
    """Return the sections' files by code."""
    found = {}
    files = [path for path in sorted(folder.iterdir()) if path.is_file() and path.suffix in {".txt", ".md"}]
    for code, _ in _read_titles(folder):
        match = next((path for path in files if path.stem == code or path.stem.endswith(f"_{code}")), None)
        if match is not None:
            found[code] = match
    return found


def _read_text(path: Path, name: str) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise errors.make_unreadable_error(f"{name}: {path.name}", "it is not UTF-8 text") from error


def _document_title(folder: Path) -> str:
    """The folder's name; for a folder named by a date, the folders above it and the date: "FOMC minutes 2024-01-31"."""
    date = date_in_name(folder.name)
    if date is None:
        return title_from_name(folder.name)
    above = [title_from_name(part.name) for part in (folder.parent.parent, folder.parent) if part.name]
    words = [word.upper() if len(word) <= _ABBREVIATION else word.lower() for word in above]
    title = " ".join([*words, date.isoformat()])
    return title[:1].upper() + title[1:]
