"""A folder on a WebDAV server: Nextcloud, ownCloud, SharePoint Server, Apache."""

from collections.abc import Iterator, Mapping
from urllib.parse import quote, unquote, urlsplit

from pydantic import BaseModel, Field

from core.errors import GoneError, SourceError, SourceRefusedError, UnreadableFileError
from core.ingestion.sources.source import LeftOut
from core.sync.connector import Access, Connector, Kind
from core.sync.files.connector import FileConnector
from core.sync.files.settings import FileSettings, HttpAddress
from core.sync.files.store import Entry, PassedOver, StoredFile, walk

_PROPERTIES = (
    b'<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop>'
    b"<resourcetype/><getetag/><getlastmodified/><getcontentlength/></prop></propfind>"
)
_ANSWER = {"dav": "DAV:"}


class WebDavSettings(FileSettings):
    """Where it is, and for whom it is asked."""

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

    def __init__(self, address: str, auth: tuple[str, str] | None, access: Access) -> None:
        from core.sync.files.guarded_http import build_client

        self._address = address
        self._server = urlsplit(address).hostname or ""
        self._http = build_client(self, access, auth=auth, most_redirects=5)

    def files(self, passed_over: PassedOver) -> Iterator[StoredFile | LeftOut]:
        """All files, folder by folder."""
        return walk(self._entries, passed_over)

    def _entries(self, path: str) -> list[Entry]:
        from core.sync.files.guarded_http import translate_faults

        url = self._url(f"{path}/" if path else "")
        with translate_faults(self._server):
            response = self._http.request(
                "PROPFIND", url, headers={"Depth": "1", "Content-Type": "application/xml"}, content=_PROPERTIES
            )
        if response.status_code == 404:
            raise GoneError
        if response.status_code in {401, 403}:
            raise SourceRefusedError(f"{self._server} does not let this user read {path or 'the folder'}.")
        if response.status_code != 207:
            raise SourceError(f"{self._server} answers with status {response.status_code} when asked for a folder.")
        # Where it was asked: a redirect may have led elsewhere.
        return _read_entries(response.content, self._server, urlsplit(str(response.url)).path, self._url(path))

    def pieces(self, path: str, fingerprint: str) -> Iterator[bytes]:
        """The content, as it comes."""
        from core.sync.files.guarded_http import translate_faults

        with translate_faults(self._server), self._http.stream("GET", self._url(path)) as response:
            if response.status_code in {404, 410}:
                raise GoneError(f"{path} is no longer there.")
            if response.status_code == 401:
                raise SourceRefusedError(f"{self._server} does not accept the user name and password.")
            if response.status_code == 403:
                raise UnreadableFileError(f"{path} may not be read by this user.")
            if response.status_code != 200:
                raise SourceError(f"{self._server} answers with status {response.status_code} when asked for a file.")
            yield from response.iter_raw()

    def _url(self, path: str) -> str:
        return f"{self._address}/{quote(path)}"


def _read_entries(content: bytes, server: str, folder: str, url: str) -> list[Entry]:
    """What is in a folder, by the server's answer."""
    from lxml import etree

    try:
        answer = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    except (etree.XMLSyntaxError, ValueError) as error:
        raise SourceError(f"{server} does not answer as a WebDAV server does. Check the address.") from error
    if answer.tag != "{DAV:}multistatus":
        raise SourceError(f"{server} does not answer as a WebDAV server does. Check the address.")
    entries = []
    for one in answer.iterfind("dav:response", _ANSWER):
        path = urlsplit(one.findtext("dav:href", "", _ANSWER).strip()).path.rstrip("/")
        if not path or unquote(path) == unquote(folder.rstrip("/")):
            continue
        # Only the last name is believed, so that no answer leads out of its folder.
        name = unquote(path.rpartition("/")[2])
        if one.find(".//dav:resourcetype/dav:collection", _ANSWER) is not None:
            entries.append(Entry(name=name, is_folder=True))
            continue
        tag, changed, size = (
            one.findtext(f".//dav:{prop}", "", _ANSWER).strip()
            for prop in ("getetag", "getlastmodified", "getcontentlength")
        )
        fingerprint = tag or (f"{changed}-{size}" if changed else "")
        entries.append(Entry(name=name, fingerprint=fingerprint, source_url=f"{url.rstrip('/')}/{quote(name)}"))
    return entries


def _connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    given = WebDavSettings.model_validate(settings)
    auth = (given.user, secrets.get("password", "")) if given.user else None
    return FileConnector(_WebDav(given.address, auth, access), given, access)


KIND = Kind(
    name="webdav",
    label="WebDAV folder",
    help="A folder on a server that speaks WebDAV, such as Nextcloud, ownCloud or SharePoint Server.",
    settings=WebDavSettings,
    connect=_connect,
    secrets={"password": "Password, best one made for this application"},
    per_minute=600,
    tells_readers=True,
)
