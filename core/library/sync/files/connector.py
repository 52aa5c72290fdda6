"""Listing and loading the files of a source, whatever it is."""

import time
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace

from core.errors import FetchError, GoneError, IngestionError, SourceError
from core.language.nlp.document_types import type_from_path
from core.library.ingestion.errors import make_too_large_error
from core.library.ingestion.formats import list_readable_endings
from core.library.ingestion.naming import suffix
from core.library.ingestion.sources import LeftOut, LoadedFile, fomc
from core.library.sync.connector import Access, Listed, Loaded, make_changed_error, make_uncertain_error
from core.library.sync.files import store
from core.library.sync.files.patterns import RULES_FILE, ReaderRules, read_patterns, read_rules
from core.library.sync.files.settings import FileSettings
from core.library.sync.files.store import FileStore, StoredFile, shown, why_unfit
from core.values.sizes import MEGABYTE

_RULES_MB = 1  # of the file of rules
_MOST_LOOKS = 4  # at a file that changes each time


class FileChoice:
    """Tells which files of a source its settings choose."""

    def __init__(self, settings: FileSettings) -> None:
        self._include = read_patterns(settings.include)
        self._exclude = read_patterns(settings.exclude)

    def is_passed_over(self, path: str) -> bool:
        """Return True for what is hidden or excluded. path: of a folder it ends in "/"."""
        return any(part.startswith(".") for part in path.split("/")) or any(one.fits(path) for one in self._exclude)

    def is_chosen(self, path: str) -> bool:
        """Return True for a file that is included, and neither hidden nor excluded."""
        is_included = not self._include or any(pattern.fits(path) for pattern in self._include)
        return is_included and not self.is_passed_over(path)

    def is_listed(self, path: str) -> bool:
        """Return True for a file that is chosen and of a kind that is read."""
        return self.is_chosen(path) and suffix(path) in list_readable_endings()


class FileConnector:
    """A source of files."""

    def __init__(self, files: FileStore, settings: FileSettings, access: Access) -> None:
        self._store = files
        self._access = access
        self._choice = FileChoice(settings)
        self._readers = settings.readers

    def list(self) -> Iterator[Listed | LeftOut]:
        """Every file of a kind that is read; hidden and excluded ones are passed over, others left out with a reason.

        SourceError when it is not certain that this is all, or who reads what.
        """
        rules = self._read_rules()
        for found in self._store.files(self._choice.is_passed_over):
            if isinstance(found, LeftOut):
                yield found
            elif self._choice.is_chosen(found.path):
                yield _list_one(found, rules)

    def load(self, listed: Listed, validator: str) -> Loaded | None:
        """Return the bytes of one file."""
        if why_unfit(listed.key):
            raise GoneError(f"{shown(listed.key)} is no longer there.")
        content = self._read_file(listed.key, listed.fingerprint, self._access.max_mb)
        return Loaded(file=LoadedFile(content=content, name=listed.key))

    def look_again(self, listed: Listed) -> Listed | None:
        """One file as it is now, for the groups that the rules name now."""
        if why_unfit(listed.key):
            return None
        known = listed.fingerprint
        for _ in range(_MOST_LOOKS):
            # The rules are read between two looks that find the same fingerprint, so that they are those of this
            # content: no matter whether it or the rules are changed first. Of the first two looks the caller had one.
            rules = self._read_rules()
            try:
                fingerprint = self._store.fingerprint_of(listed.key)
            except GoneError:
                return None
            if not fingerprint and rules is not None and not self._readers:
                raise make_uncertain_error(listed.key)
            if fingerprint == known:
                return replace(listed, fingerprint=fingerprint, groups=_find_groups(rules, listed.key))
            known = fingerprint
        raise make_changed_error(listed.key)

    def _read_rules(self) -> ReaderRules | None:
        """Return the rules in the settings, else those in the source; None where there are none."""
        if self._readers:
            return read_rules(self._readers, where="Who reads what")
        try:
            content = self._read_file(RULES_FILE, "", _RULES_MB)
            return read_rules(content.decode("utf-8-sig"), where=RULES_FILE)
        except GoneError:
            return None
        except IngestionError as error:
            raise SourceError(f"Who reads what is not known: {error.message}") from error
        except UnicodeDecodeError as error:
            raise SourceError(f"{RULES_FILE} is not text in UTF-8. Save it as such.") from error

    def _read_file(self, path: str, fingerprint: str, max_mb: int) -> bytes:
        """Return a file, of which no more is read than is allowed."""
        content = bytearray()
        deadline = time.monotonic() + store.LOADING_S
        with closing(_read_pieces(self._store, path, fingerprint)) as pieces:
            for piece in pieces:
                content += piece
                if len(content) > max_mb * MEGABYTE:
                    raise make_too_large_error(path, max_mb)
                if time.monotonic() > deadline:
                    raise FetchError(f"{path} could not be read within {store.LOADING_S:.0f} seconds.")
        return bytes(content)


def _read_pieces(files: FileStore, path: str, fingerprint: str) -> Generator[bytes, None, None]:
    yield from files.pieces(path, fingerprint)


def _find_groups(rules: ReaderRules | None, path: str) -> tuple[str, ...] | None:
    return None if rules is None else rules.groups(path)


def _list_one(found: StoredFile, rules: ReaderRules | None) -> Listed | LeftOut:
    if reason := why_unfit(found.path):
        return LeftOut(name=shown(found.path), reason=reason)
    ending = suffix(found.path)
    if ending not in list_readable_endings():
        kind = f"a file of type {ending}" if ending else "a file without an extension"
        return LeftOut(name=found.path, reason=f"{kind}, not a document")
    hints = fomc.hints(found.path)
    return Listed(
        key=found.path,
        name=found.path,
        fingerprint=found.fingerprint,
        groups=_find_groups(rules, found.path),
        source_url=found.source_url,
        document_type=type_from_path(found.path) or hints.document_type,
        document_date=hints.document_date,
    )
