"""A library described in a file: its roles, its collections with their files, and its people.

The format is explained at the top of samples/library.toml.
"""

import hashlib
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from django.core.management import call_command
from django.db import transaction

from core.errors import FootnoteError
from core.models import Collection, Document, Role, User, UserRole
from core.values.addresses import fold_address

_TABLES = {"roles": ("name",), "collections": ("name", "paths", "roles"), "people": ("email", "roles")}


class LibraryFileError(FootnoteError):
    """The file that describes a library cannot be used."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LibraryDescription:
    """The description of a library, as written in its file."""

    root: Path  # paths in it are relative to this
    roles: list[dict[str, Any]]
    collections: list[dict[str, Any]]
    people: list[dict[str, Any]]


def read_library(file: Path, *, root: Path) -> LibraryDescription:
    """Read the description. LibraryFileError, naming the place, for a file that is missing or malformed."""
    try:
        raw = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise LibraryFileError(f"{file} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LibraryFileError(f"{file} is not TOML: {error}.") from error
    for table, keys in _TABLES.items():
        for number, row in enumerate(raw.setdefault(table, []), 1):
            lacking = [key for key in keys if key not in row]
            if lacking:
                raise LibraryFileError(f"{file}: entry {number} of {table} lacks {' and '.join(lacking)}.")
    library = LibraryDescription(root=root, **{table: raw[table] for table in _TABLES})
    known = {row["name"] for row in library.roles}
    unknown = {name for row in (*library.collections, *library.people) for name in row["roles"]} - known
    if unknown:
        raise LibraryFileError(f"{file} uses the roles {', '.join(sorted(unknown))} without describing them.")
    types = {row["document_type"] for row in library.collections if row.get("document_type")}
    if wrong := sorted(types - set(Document.Type.values)):
        known_types = ", ".join(Document.Type.values)
        raise LibraryFileError(f"{file} uses the document type {', '.join(wrong)}. The types are {known_types}.")
    return library


def list_unmatched_paths(library: LibraryDescription) -> list[str]:
    """The paths of collections that match no file."""
    return [path for raw in library.collections for path in raw["paths"] if not any(library.root.glob(path))]


@transaction.atomic
def make_people(library: LibraryDescription, *, password: str | None) -> None:
    """Make the roles, collections and people exist. People who exist keep their password.

    password: of those who are new; with None they cannot sign in with one.
    """
    roles = {
        raw["name"]: Role.objects.update_or_create(
            name=raw["name"], defaults={"description": raw.get("description", "")}
        )[0]
        for raw in library.roles
    }
    for raw in library.collections:
        collection, _ = Collection.objects.update_or_create(
            name=raw["name"],
            defaults={"description": raw.get("description", ""), "is_asked_last": raw.get("asked_last", False)},
        )
        collection.default_roles.set(roles[name] for name in raw["roles"])
    for raw in library.people:
        _make_person(raw, roles, password)


def ingest_collections(library: LibraryDescription, out: TextIO) -> None:
    """Ingest what is not in the library yet, or has changed. out: where progress is written.

    SystemExit, after the reasons have been written, when a file could not be ingested.
    """
    for raw in library.collections:
        new = [path for path in _files(library, raw) if not _is_ingested(path, raw["name"])]
        if new:
            out.write(f"{raw['name']}:\n")
            out.flush()  # before the minutes that its documents may take
            call_command(
                "ingest",
                *(str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path) for path in new),
                collection=raw["name"],
                type=raw.get("document_type", ""),
                stdout=out,
            )


def _make_person(raw: dict[str, Any], roles: dict[str, Role], password: str | None) -> None:
    user = User.objects.filter(email=fold_address(raw["email"])).first()
    if user is None:
        administers = raw.get("staff", False)
        user = User.objects.create_user(
            raw["email"],
            password,
            display_name=raw.get("display_name", ""),
            is_staff=administers,
            is_superuser=administers,
        )
    for name in raw["roles"]:
        UserRole.objects.get_or_create(user=user, role=roles[name])


def _files(library: LibraryDescription, raw: dict[str, Any]) -> Iterator[Path]:
    for pattern in raw["paths"]:
        yield from sorted(library.root.glob(pattern))


def _is_ingested(path: Path, collection: str) -> bool:
    """Return True if a file is in the library, unchanged. False for a folder: ingestion finds out about its files."""
    if path.is_dir():
        return False
    content_hash = hashlib.sha256(path.read_bytes()).hexdigest()
    return Document.objects.filter(collection__name=collection, content_hash=content_hash).exists()
