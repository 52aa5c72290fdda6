"""A folder of section files with a `_titles.tsv` is one document.

Each line of `_titles.tsv` is a code, a tab, and the title of a section; the section's text is in the file whose name
is the code, or ends in "_" and the code. The order of the lines is the order of the sections.
"""

import csv
import io
import json
from functools import partial
from pathlib import Path

from core.errors import UnreadableFileError
from core.language.nlp.document_types import type_from_path
from core.library.ingestion import errors
from core.library.ingestion.dates import date_in_name
from core.library.ingestion.naming import title_from_name
from core.library.ingestion.sources.addresses import path_as_source
from core.library.ingestion.sources.source import LoadedFile, Source
from core.values.sizes import MEGABYTE

TITLES = "_titles.tsv"
_ABBREVIATION = 4  # letters; a folder's name of so few is taken for an abbreviation: fomc, hr


def section_folder(folder: Path, name: str, max_mb: int) -> tuple[Source, set[Path]]:
    """The source that a folder is, and the files that it is made of. name: the folder's, for people."""
    files = {folder / TITLES, *_section_files(folder).values()}
    source = Source(
        name=f"{name}/",
        key=path_as_source(f"{name}/"),
        load=partial(_load, folder, f"{name}/", max_mb),
        was_found=True,
        document_type=type_from_path(f"{folder.resolve().as_posix()}/{TITLES}"),
        document_date=date_in_name(folder.name),
    )
    return source, files


def _load(folder: Path, name: str, max_mb: int) -> LoadedFile:
    """The document as the JSON of one with sections."""
    files = _section_files(folder)
    if sum(file.stat().st_size for file in files.values()) > max_mb * MEGABYTE:
        raise errors.make_too_large_error(name, max_mb)
    sections = []
    for code, title in _titles(folder):
        if code not in files:
            raise UnreadableFileError(f"{name}: {TITLES} names the section {code}, but there is no file for it.")
        sections.append({"title": title, "text": _text(files[code], name)})
    document = {"title": _document_title(folder.resolve()), "sections": sections}
    return LoadedFile(content=json.dumps(document).encode(), name=f"{name}{folder.name}.json", is_original=False)


def _titles(folder: Path) -> list[tuple[str, str]]:
    rows = csv.reader(io.StringIO(_text(folder / TITLES, folder.name)), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [(row[0].strip(), row[1].strip()) for row in rows if len(row) > 1 and row[0].strip()]


def _section_files(folder: Path) -> dict[str, Path]:
    """The sections' files by code."""
    found = {}
    files = [path for path in sorted(folder.iterdir()) if path.is_file() and path.suffix in {".txt", ".md"}]
    for code, _ in _titles(folder):
        match = next((path for path in files if path.stem == code or path.stem.endswith(f"_{code}")), None)
        if match is not None:
            found[code] = match
    return found


def _text(path: Path, name: str) -> str:
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
