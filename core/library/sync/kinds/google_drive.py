"""Google Drive: the files of a folder or a shared drive, with who may read them there."""

import hashlib
from collections import deque
from collections.abc import Iterator, Mapping
from string import hexdigits
from typing import Annotated, Any, cast
from urllib.parse import quote, urlencode, urlsplit

from pydantic import AfterValidator, BaseModel, Field

from core.errors import GoneError
from core.library.ingestion.formats import FileKind, list_readable_endings
from core.library.ingestion.naming import suffix
from core.library.ingestion.sources import LeftOut, LoadedFile
from core.library.ingestion.sources.web import Response
from core.library.sync.connector import (
    Access,
    Connector,
    Kind,
    Listed,
    Loaded,
    make_changed_error,
    make_uncertain_error,
)
from core.library.sync.services.answers import NO_ID, identifier, items, read_pages, text
from core.library.sync.services.client import Client
from core.library.sync.services.google_account import ServiceAccount
from core.library.sync.services.levels import ANYONE

API = "https://www.googleapis.com/drive/v3"

_SCOPE = "https://www.googleapis.com/auth/drive.readonly"
_PAGE_SIZE = 1000
_FOLDER = "application/vnd.google-apps.folder"
_SHORTCUT = "application/vnd.google-apps.shortcut"
_EXPORTS = {  # Google's own documents, as what they are loaded
    "application/vnd.google-apps.document": FileKind.DOCX.value,
    "application/vnd.google-apps.spreadsheet": FileKind.XLSX.value,
    "application/vnd.google-apps.presentation": FileKind.PPTX.value,
}
_OTHERS_OF_GOOGLE = "application/vnd.google-apps."
_FILE_FIELDS = "id,name,mimeType,md5Checksum,version,webViewLink,trashed"
_PERMISSION_FIELDS = "nextPageToken,permissions(type,emailAddress,domain,deleted,view)"
_HASH_DIGITS = 32
_MOST_LOOKS = 4  # at a file that changes each time
_NOT_EXPORTED = "may not be downloaded by the service account, or has more than the 10 MB that Google exports"
_FILE, _EXPORT = "file:", "export:"
_ID_MARKS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def _as_folder(written: str) -> str:
    """Return the id of a folder: as it is, or at the end of the address that a browser shows."""
    folder = urlsplit(written.strip()).path.rstrip("/").rpartition("/")[2]
    if len(folder) < 3 or not set(folder) <= _ID_MARKS:
        raise ValueError("Write the address of a folder or a shared drive, as the browser shows it.")
    return folder


class Settings(BaseModel):
    """The folder of Drive to read, and whether to descend into its subfolders."""

    folder: Annotated[str, AfterValidator(_as_folder)] = Field(
        title="Folder or shared drive",
        description="Its address in the browser: https://drive.google.com/drive/folders/... It must be shared with the "
        "service account.",
    )
    subfolders: bool = Field(True, title="Folders within it", description="Whether they are read as well.")


class GoogleDrive:
    """A folder, as a service account sees it."""

    def __init__(self, settings: Settings, key: str, access: Access, *, api: str = API) -> None:
        self._settings = settings
        self._account = ServiceAccount(key, access, scope=_SCOPE)
        self._client = Client(
            access, api, name="Google Drive", credentials=self._account.header, is_throttled=_is_throttled
        )

    def list(self) -> Iterator[Listed | LeftOut]:
        """Yield the files in the folder and, where wanted, in those within it, each once."""
        # A folder that the account is not shown would look like an empty one.
        self._client.ask_json(f"/files/{quote(self._settings.folder)}?supportsAllDrives=true&fields=id")
        waiting, seen = deque([self._settings.folder]), {self._settings.folder}
        while waiting:
            for file in self._files_in(waiting.popleft()):
                found = identifier(file, "id")
                if not found:
                    yield LeftOut(name=text(file, "name"), reason=NO_ID)
                    continue
                if found in seen:
                    continue
                seen.add(found)
                if text(file, "mimeType") != _FOLDER:
                    yield self._list_file(file, None)
                elif self._settings.subfolders:
                    waiting.append(found)

    def load(self, listed: Listed, validator: str) -> Loaded | None:
        """Return a file as it is, or one of Google's own as its counterpart in Office."""
        if listed.key.startswith(_FILE):
            path = f"/files/{quote(listed.key.removeprefix(_FILE))}?alt=media&supportsAllDrives=true"
            content = self._client.load_file(path, listed.name).content
            if _is_hash(listed.fingerprint) and listed.fingerprint != _hash_of(content):
                raise make_changed_error(listed.name)
        else:
            file, ending = _split_exported(listed.key)
            kind = next(each.media_type for each in _EXPORTS.values() if each.ending == f".{ending}")
            path = f"/files/{quote(file)}/export?{urlencode({'mimeType': kind})}"
            content = self._client.load_file(path, listed.name, refusal=_NOT_EXPORTED).content
        return Loaded(file=LoadedFile(content=content, name=listed.name))

    def look_again(self, listed: Listed) -> Listed | None:
        """Return a file as it is now, and with whom it is shared now."""
        file = listed.key.removeprefix(_FILE) if listed.key.startswith(_FILE) else _split_exported(listed.key)[0]
        path = f"/files/{quote(file)}?{urlencode({'supportsAllDrives': 'true', 'fields': _FILE_FIELDS})}"
        known = listed.fingerprint
        for _ in range(_MOST_LOOKS):
            # Permissions are read between two looks that find the same fingerprint, of which the caller had the first.
            # Of what Google exports this is a version that only rises, with each change of permissions too. A hash may
            # come back, but then what was loaded has been held against it.
            readers = self._read_readers(file)
            try:
                found = self._client.read_json(self._client.load_file(path, listed.name))
            except GoneError:
                return None
            now = self._list_file(found, readers)
            if found.get("trashed") is True or isinstance(now, LeftOut) or now.key != listed.key:
                return None
            if not now.fingerprint:
                raise make_uncertain_error(listed.name)
            if now.fingerprint == known:
                return now
            known = now.fingerprint
        raise make_changed_error(listed.name)

    def _files_in(self, folder: str) -> Iterator[Mapping[str, Any]]:
        query = {
            "q": f"'{folder}' in parents and trashed = false",
            "fields": f"nextPageToken,files({_FILE_FIELDS})",
            "pageSize": _PAGE_SIZE,
            "supportsAllDrives": "true",
            "includeItemsFromAllDrives": "true",
        }
        yield from self._read_all("/files", query, "files")

    def _list_file(self, file: Mapping[str, Any], readers: tuple[str, ...] | None) -> Listed | LeftOut:
        """Return a file as a document. readers: None to ask for them, if it is one."""
        name, kind = text(file, "name"), text(file, "mimeType")
        key = f"{_FILE}{text(file, 'id')}"
        if kind in _EXPORTS:
            ending = _EXPORTS[kind].ending
            key, name = f"{_EXPORT}{text(file, 'id')}{ending}", f"{name}{ending}"
        elif kind == _SHORTCUT:
            return LeftOut(name=name, reason="a shortcut; what it leads to is read where it lies")
        elif kind.startswith(_OTHERS_OF_GOOGLE) or suffix(name) not in list_readable_endings():
            return LeftOut(name=name, reason="a file of a kind that is not read")
        return Listed(
            key=key,
            name=name,
            fingerprint=text(file, "md5Checksum") or text(file, "version"),
            groups=self._read_readers(text(file, "id")) if readers is None else readers,
            source_url=text(file, "webViewLink"),
        )

    def _read_readers(self, file: str) -> tuple[str, ...]:
        """E-mail addresses of users and groups, names of domains, or "anyone".

        Nobody where the account may not see them.
        """
        query = {"fields": _PERMISSION_FIELDS, "pageSize": 100, "supportsAllDrives": "true"}
        readers = set[str]()
        for page in read_pages(
            lambda token: (
                self._client.ask_json_if_shown(f"/files/{quote(file)}/permissions?{urlencode(query | _next(token))}")
                or {}
            ),
            lambda page: text(page, "nextPageToken"),
        ):
            if "permissions" not in page:
                return ()
            readers |= {_read_reader(each) for each in items(page, "permissions")}
        return tuple(sorted(readers - {""}))

    def _read_all(self, path: str, query: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
        for page in read_pages(
            lambda token: self._client.ask_json(f"{path}?{urlencode({**query, **_next(token)})}"),
            lambda page: text(page, "nextPageToken"),
        ):
            yield from items(page, name)


def _split_exported(key: str) -> tuple[str, str]:
    """Return the id of a file of Google's own, and the ending of what it is loaded as."""
    file, _, ending = key.removeprefix(_EXPORT).rpartition(".")
    return file, ending


def _is_hash(fingerprint: str) -> bool:
    """Return True if a fingerprint is a hash of the content, and False if it is a version number."""
    return len(fingerprint) == _HASH_DIGITS and set(fingerprint) <= set(hexdigits)


def _hash_of(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def _next(token: str) -> dict[str, str]:
    return {"pageToken": token} if token else {}


def _read_reader(permission: Mapping[str, Any]) -> str:
    """Whom a permission means; "" for one of an account that is gone, or that is no permission to read the file."""
    if permission.get("deleted") is True or permission.get("view"):
        return ""
    match text(permission, "type"):
        case "user" | "group":
            return text(permission, "emailAddress")
        case "domain":
            return text(permission, "domain")
        case "anyone":
            return ANYONE
        case _:
            return ""


def _is_throttled(response: Response) -> bool:
    """Return True if Drive limits the rate. It uses 403 for that too, and distinguishes the cases by a reason."""
    if response.status in {429, 503}:
        return True
    return response.status == 403 and any(
        reason in response.content for reason in (b'"rateLimitExceeded"', b'"userRateLimitExceeded"')
    )


def connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    """Return the connector of a folder in Drive. SourceRefusedError for a key that is none."""
    return GoogleDrive(cast(Settings, settings), secrets.get("key", ""), access)


KIND = Kind(
    name="google_drive",
    label="Google Drive",
    help="The files of a folder or a shared drive, each for those with whom it is shared. Docs, Sheets and Slides are "
    "read as Word, Excel and PowerPoint files.",
    settings=Settings,
    connect=connect,
    secrets={"key": "Key of a service account (the JSON file's text)"},
    destination=(),
    tells_readers=True,
)
