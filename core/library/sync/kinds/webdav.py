"""A folder on a WebDAV server: Nextcloud, ownCloud, SharePoint Server, Apache."""

import hashlib
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from pydantic import BaseModel, Field

from core.errors import GoneError, IngestionError, SourceError, SourceRefusedError, UnreadableFileError
from core.library.ingestion.markup.values import Resource
from core.library.ingestion.sources import LeftOut
from core.library.sync.connector import Access, Connector, Kind, make_changed_error
from core.library.sync.files.connector import FileConnector
from core.library.sync.files.settings import FileSettings, HttpAddress
from core.library.sync.files.store import Entry, PassedOver, StoredFile, walk, why_unfit

if TYPE_CHECKING:
    import httpx

_PROPERTIES = (
    b'<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop>'
    b"<resourcetype/><getetag/><getlastmodified/><getcontentlength/></prop></propfind>"
)
_XML_SPACE = " \t\r\n"
_LONGEST_FINGERPRINT = 200  # characters


class WebDavSettings(FileSettings):
    """The folder's address, and the account that signs in."""

    address: HttpAddress = Field(
        min_length=1,
        title="Address of the folder",
        description="As the server tells it for WebDAV, such as "
        "https://cloud.example.com/remote.php/dav/files/footnote/Handbook for Nextcloud.",
    )
    user: str = Field(
        default="",
        title="User name",
        description="Best of an account of its own that can only read. Empty: everybody may read the folder.",
    )


class _WebDav:
    """Files on a WebDAV server."""

    def __init__(self, address: str, credentials: dict[str, str], access: Access) -> None:
        from core.library.sync.files.guarded_http import GuardedClient

        self._address = address
        self._markup = access.markup
        self._server = urlsplit(address).hostname or ""
        self._http = GuardedClient(self, access, credentials=lambda: credentials, follows_redirects=True)

    def files(self, passed_over: PassedOver) -> Iterator[StoredFile | LeftOut]:
        """Return all files, folder by folder."""
        return walk(self._list_entries, passed_over)

    def _list_entries(self, path: str) -> list[Entry]:
        response = self._ask_server(self._url_of(f"{path}/" if path else ""), depth="1")
        if response.status_code == 404:
            raise GoneError
        if response.status_code in {401, 403}:
            self._check_origin(response)
            raise SourceRefusedError(f"{self._server} does not let this user read {path or 'the folder'}.")
        if response.status_code != 207:
            raise SourceError(f"{self._server} answers with status {response.status_code} when asked for a folder.")
        # Where it was asked: a redirect may have led elsewhere.
        told = self._read_answer(response, path or "the folder")
        return _read_entries(told, urlsplit(str(response.url)).path, self._url_of(path))

    def _ask_server(self, url: str, *, depth: str) -> "httpx.Response":
        from core.library.sync.files.guarded_http import translate_faults

        headers = {"Depth": depth, "Content-Type": "application/xml"}
        with translate_faults(self._server):
            return self._http.request("PROPFIND", url, headers=headers, content=_PROPERTIES)

    def pieces(self, path: str, fingerprint: str) -> Iterator[bytes]:
        """Yield the content, as it comes."""
        from core.library.sync.files.guarded_http import translate_faults

        with translate_faults(self._server), self._http.stream("GET", self._url_of(path)) as response:
            self._check_answer(response, path, good=200)
            yield from response.iter_raw()
        sent = _fingerprints_sent(response)
        # Where a server sends neither entity tag nor time, only a look at the file after loading shows a change.
        if fingerprint and sent and _strip_tag(fingerprint) not in sent:
            self._check_called_otherwise(path, fingerprint, sent)

    def fingerprint_of(self, path: str) -> str:
        """Return the fingerprint as the folder's listing would give it now."""
        response = self._ask_server(self._url_of(path), depth="0")
        self._check_answer(response, path, good=207)
        found = self._read_answer(response, path)
        if len(found) != 1:
            raise SourceError(f"{self._server} does not answer as a WebDAV server does. Check the address.")
        if found[0].is_folder:
            raise GoneError(f"{path} is no file any more.")
        return _fingerprint(found[0])

    def _read_answer(self, response: "httpx.Response", path: str) -> tuple[Resource, ...]:
        """Parse an answer. path: of what was asked for, for messages."""
        try:
            return self._markup.read_folder(response.content, path)
        except UnreadableFileError as error:
            raise SourceError(f"{self._server} does not answer as a WebDAV server does. Check the address.") from error
        except IngestionError as error:
            raise SourceError(f"What {self._server} tells of {path} cannot be read. {error.message}") from error

    def _check_answer(self, response: "httpx.Response", path: str, *, good: int) -> None:
        """The error for an answer about a file that has another status than the good one."""
        if response.status_code in {404, 410}:
            raise GoneError(f"{path} is no longer there.")
        if response.status_code == 401:
            self._check_origin(response)
            raise SourceRefusedError(f"{self._server} does not accept the user name and password.")
        if response.status_code == 403:
            raise UnreadableFileError(f"{path} may not be read by this user.")
        if response.status_code != good:
            raise SourceError(f"{self._server} answers with status {response.status_code} when asked for a file.")

    def _check_called_otherwise(self, path: str, fingerprint: str, sent: frozenset[str]) -> None:
        """Raise ChangedMeanwhileError unless the server only calls the listed content by another name when it sends it.

        Some servers give one entity tag in a listing and another one with the content. Then the file is still what was
        listed, and bears the name with which its content came.
        """
        from core.library.sync.files.guarded_http import translate_faults

        if self.fingerprint_of(path) != fingerprint:
            raise make_changed_error(path)
        with translate_faults(self._server):
            response = self._http.request("HEAD", self._url_of(path))
        if _fingerprints_sent(response) != sent:
            raise make_changed_error(path)

    def _check_origin(self, response: "httpx.Response") -> None:
        """Raise SourceError for a refusal of another server, which got no password."""
        here, there = urlsplit(self._address), urlsplit(str(response.url))
        if (here.scheme, here.netloc) != (there.scheme, there.netloc):
            raise SourceError(
                f"{self._server} leads to {there.scheme}://{there.netloc}, to which the password is not sent. If the "
                "folder is there now, enter that address."
            )

    def _url_of(self, path: str) -> str:
        return f"{self._address}/{quote(path)}"


def _read_entries(told: Iterable[Resource], folder: str, url: str) -> list[Entry]:
    """Yield the entries of a folder from a server's answer."""
    entries = []
    for one in told:
        path = _read_path(one.href)
        if path is None:
            reason = "its address is written in a form that may mean another file"
            entries.append(Entry(name=one.href.strip(), left_out=reason))
            continue
        if not path or _unquote(path) == _unquote(folder.rstrip("/")):
            continue
        # Only the last name is believed, so that no answer leads out of its folder.
        name = _unquote(path.rpartition("/")[2])
        if reason := why_unfit(name, is_name=True):
            entries.append(Entry(name=name, left_out=reason))
            continue
        if one.is_folder:
            entries.append(Entry(name=name, is_folder=True))
            continue
        entries.append(Entry(name=name, fingerprint=_fingerprint(one), source_url=f"{url.rstrip('/')}/{quote(name)}"))
    return entries


def _read_path(href: str) -> str | None:
    """Return the path in an address, without "/" at its end. None where some of the address would be dropped unseen.

    It may be on a line of its own, but a space that follows it there may belong to the name.
    """
    begun = href.lstrip(_XML_SPACE)
    address = begun.rstrip(_XML_SPACE)
    if begun.startswith(f"{address} ") or not address.isprintable() or "?" in address or "#" in address:
        return None
    try:
        return urlsplit(address).path.rstrip("/")
    except ValueError:
        return None


def _unquote(path: str) -> str:
    """Return a path with its bytes as characters; those that are no text stay apart, and no name holds them."""
    return unquote(path, errors="surrogateescape")


def _fingerprint(one: Resource) -> str:
    """Build the fingerprint of a file as listed; "" when the listing has none of its parts."""
    return _combine_fingerprint(one.tag, one.changed, one.size)


def _fingerprints_sent(response: "httpx.Response") -> frozenset[str]:
    """Return the fingerprints under which a listing may have named this response. Quotes of entity tags are removed."""
    tag, changed, size = (response.headers.get(name, "") for name in ("ETag", "Last-Modified", "Content-Length"))
    return frozenset({_strip_tag(_combine_fingerprint(tag, "", "")), _combine_fingerprint("", changed, size)} - {""})


def _combine_fingerprint(tag: str, changed: str, size: str) -> str:
    fingerprint = tag or (f"{changed}-{size}" if changed else "")
    if len(fingerprint) <= _LONGEST_FINGERPRINT and fingerprint.isprintable():
        return fingerprint
    return hashlib.sha256(fingerprint.encode(errors="surrogatepass")).hexdigest()


def _strip_tag(fingerprint: str) -> str:
    """Return an entity tag without its quotes, and without the mark of a weak one: servers add and drop these."""
    return fingerprint.removeprefix("W/").strip('"')


def _connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    given = WebDavSettings.model_validate(settings)
    basic = b64encode(f"{given.user}:{secrets.get('password', '')}".encode()).decode("ascii")
    credentials = {"Authorization": f"Basic {basic}"} if given.user else {}
    return FileConnector(_WebDav(given.address, credentials, access), given, access)


KIND = Kind(
    name="webdav",
    label="WebDAV folder",
    help="A folder on a server that speaks WebDAV, such as Nextcloud, ownCloud or SharePoint Server.",
    settings=WebDavSettings,
    connect=_connect,
    secrets={"password": "Password, best one made for this application"},
    destination=("address",),
    per_minute=600,
    tells_readers=True,
)
