"""SharePoint and OneDrive, over Microsoft Graph: the files of libraries, with who may read them there."""

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, cast
from urllib.parse import quote, unquote, urlsplit

from pydantic import AfterValidator, BaseModel, Field, model_validator

from core.errors import GoneError, SourceError
from core.library.ingestion.sources import LeftOut, LoadedFile
from core.library.sync.batches import in_batches
from core.library.sync.connector import (
    Access,
    Connector,
    Kind,
    Listed,
    Loaded,
    make_changed_error,
    make_uncertain_error,
)
from core.library.sync.services.answers import identifier, text
from core.library.sync.services.client import read_secret
from core.library.sync.services.entra import CLOUDS, Application
from core.library.sync.services.graph import AT_ONCE, Graph
from core.library.sync.services.graph_items import (
    ALSO_IN_IDS,
    CHANGES,
    FIELDS,
    Folders,
    Item,
    find_reason_of_place,
    is_deleted,
    read_folder,
    read_item,
)
from core.library.sync.services.graph_readers import read_readers

_FILE = "file:"
_PAGE_SIZE = 1000
_MOST_LOOKS = 4  # at a file that changes each time
_GUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_DOMAIN = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
_USER = re.compile(r"[^\s@/\\?#]+@[a-z0-9-]+(\.[a-z0-9-]+)+")
_UNNAMED = (
    "a group of the site, whose members Microsoft Graph does not tell, so nobody reads by it. Give Entra groups "
    "rights, or let the settings name groups of sites"
)


def _as_tenant(written: str) -> str:
    tenant = written.strip().lower()
    if not (_GUID.fullmatch(tenant) or _DOMAIN.fullmatch(tenant)):
        raise ValueError("Write the tenant's ID or one of its domains, such as contoso.onmicrosoft.com.")
    return tenant


def _as_client_id(written: str) -> str:
    client_id = written.strip().lower()
    if not _GUID.fullmatch(client_id):
        raise ValueError("Write the application (client) ID from Entra: 32 digits and letters with four hyphens.")
    return client_id


def _as_site(written: str) -> str:
    """Return the address of a site without anything that comes after it."""
    try:
        parts = urlsplit(written.strip())
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    names = [name for name in unquote(parts.path).split("/") if name]
    is_page = any(name.startswith(("_", ".")) or name.casefold() in {"forms", "sitepages"} for name in names)
    has_odd = any(mark in name for name in names for mark in ':\\?#*"<>|')
    if parts.scheme != "https" or not _DOMAIN.fullmatch(host) or port or parts.query or is_page or has_odd:
        raise ValueError(
            "Write the address of a site without what follows it, such as https://contoso.sharepoint.com/sites/hr."
        )
    return "/".join([f"https://{host}", *names])


def _as_user(written: str) -> str:
    user = written.strip().lower()
    if not _USER.fullmatch(user):
        raise ValueError("Write the e-mail address with which somebody signs in, such as anna@contoso.com.")
    return user


def _as_folder(written: str) -> str:
    names = [name.strip() for name in written.replace("\\", "/").split("/") if name.strip()]
    if not names or ".." in names or "." in names:
        raise ValueError("Write the path of a folder from the top of its library, such as Archive/2019.")
    return "/".join(names)


def _as_name(written: str) -> str:
    if not written.strip():
        raise ValueError("Write the name of a library, such as Documents.")
    return written.strip()


class Settings(BaseModel):
    """The tenant, the application that asks, and what it reads."""

    cloud: Literal["global", "us_government", "us_defense", "china"] = Field(
        "global",
        title="Cloud",
        description="Where the tenant is: Microsoft's global cloud, that of the US government (GCC High), that of the "
        "US Department of Defense, or the one in China.",
    )
    tenant: Annotated[str, AfterValidator(_as_tenant)] = Field(
        title="Tenant", description="Its ID, or one of its domains, such as contoso.onmicrosoft.com."
    )
    client_id: Annotated[str, AfterValidator(_as_client_id)] = Field(
        title="Client ID", description="Of the application that you registered in Entra for Footnote."
    )
    sites: tuple[Annotated[str, AfterValidator(_as_site)], ...] = Field(
        (), title="Sites", description="Addresses such as https://contoso.sharepoint.com/sites/hr, one a line."
    )
    libraries: tuple[Annotated[str, AfterValidator(_as_name)], ...] = Field(
        (),
        title="Libraries",
        description="Names of document libraries of these sites, one a line. Empty for all of them.",
    )
    users: tuple[Annotated[str, AfterValidator(_as_user)], ...] = Field(
        (), title="OneDrive of", description="E-mail addresses of users whose OneDrive is read, one a line."
    )
    without_folders: tuple[Annotated[str, AfterValidator(_as_folder)], ...] = Field(
        (),
        title="Folders to leave out",
        description="Paths from the top of a library or OneDrive, such as Archive/2019, one a line; with all in them.",
    )
    site_groups: bool = Field(
        False,
        title="Groups of sites",
        description="Whether groups such as HR Visitors, whose members Microsoft does not tell, are named so that you "
        "can give them roles. Choose a role whose people are all in that group, and keep it so.",
    )

    @model_validator(mode="after")
    def check(self) -> "Settings":
        """Ask for something to read."""
        if not self.sites and not self.users:
            raise ValueError("Write the address of a site, or the e-mail address of a user whose OneDrive is read.")
        if self.libraries and not self.sites:
            raise ValueError("Write the sites in which these libraries are, or leave the libraries empty.")
        return self


@dataclass(frozen=True, kw_only=True, slots=True)
class _Drive:
    """Holds a document library or somebody's OneDrive."""

    id: str
    name: str  # for people


class SharePoint:
    """The libraries of sites and the OneDrives of users, as an application sees them."""

    def __init__(self, settings: Settings, secret: str, access: Access) -> None:
        cloud = CLOUDS[settings.cloud]
        application = Application(
            cloud=cloud, tenant=settings.tenant, client_id=settings.client_id, secret=secret, access=access
        )
        self._settings = settings
        self._graph = Graph(cloud, application, access)
        self._sites: dict[str, str] = {}  # the address of the site of a drive, by the drive

    def list(self) -> Iterator[Listed | LeftOut]:
        """Yield the files of all libraries and OneDrives, each once."""
        for drive in self._find_drives():
            yield from self._list_drive(drive)

    def load(self, listed: Listed, validator: str) -> Loaded | None:
        """Return a file as it is."""
        content = self._graph.load_file(f"{_path_of(listed.key)}/content", listed.name)
        return Loaded(file=LoadedFile(content=content, name=listed.name))

    def look_again(self, listed: Listed) -> Listed | None:
        """Return a file as it is now, and who may read it now."""
        drive, _, file = listed.key.removeprefix(_FILE).partition("/")
        known = listed.fingerprint
        for _ in range(_MOST_LOOKS):
            # Permissions are read between two looks that find the same tag, of which the caller had the first.
            [readers], _ = self._read_readers(drive, [file])
            try:
                told = self._graph.load_description(f"{_path_of(listed.key)}?$select={FIELDS}", listed.name)
            except GoneError:
                return None
            item = read_item(told)
            is_left_out = item.reason or find_reason_of_place(read_folder(told), self._settings.without_folders)
            if not item.is_file or item.id != file or is_deleted(told) or is_left_out:
                return None
            if not item.fingerprint:
                raise make_uncertain_error(listed.name)
            if item.fingerprint == known:
                return _as_listed(drive, item, readers)
            known = item.fingerprint
        raise make_changed_error(listed.name)

    def _find_drives(self) -> Sequence[_Drive]:
        """Find all that is to be read, before anything of it is listed. SourceError for what is not shown."""
        found: dict[str, _Drive] = {}
        missing = {name.casefold(): name for name in self._settings.libraries}
        for site in self._settings.sites:
            for drive in self._find_libraries(site):
                if not self._settings.libraries or drive.name.casefold() in map(str.casefold, self._settings.libraries):
                    missing.pop(drive.name.casefold(), None)
                    found[drive.id] = drive
        if missing:
            raise SourceError(f"None of the sites shows a library of this name: {', '.join(missing.values())}.")
        for user in self._settings.users:
            drive = self._find_onedrive(user)
            found[drive.id] = drive
        return list(found.values())

    def _find_libraries(self, address: str) -> Sequence[_Drive]:
        parts = urlsplit(address)
        path = f"/sites/{parts.netloc}" + (f":{quote(parts.path)}" if parts.path else "")
        told = self._graph.ask_if_shown(f"{path}?$select=id")
        site = identifier(told or {}, "id", also=".,")
        if not site:
            raise SourceError(
                f"Microsoft Graph does not show the site {address}. Check its address, and that the application has "
                "the permission Sites.Read.All, or Sites.Selected and was given this site."
            )
        drives = self._graph.read_all(f"/sites/{quote(site, safe='')}/drives?$select=id,name")
        found = [
            _Drive(id=each, name=text(drive, "name"))
            for drive in drives
            if (each := identifier(drive, "id", also=ALSO_IN_IDS))
        ]
        if not found:
            raise SourceError(f"Microsoft Graph shows no document library of the site {address}.")
        return found

    def _find_onedrive(self, user: str) -> _Drive:
        told = self._graph.ask_if_shown(f"/users/{quote(user, safe='')}/drive?$select=id")
        found = identifier(told or {}, "id", also=ALSO_IN_IDS)
        if not found:
            raise SourceError(
                f"Microsoft Graph does not show a OneDrive of {user}. Check the address, and that the application has "
                "the permission Files.Read.All."
            )
        return _Drive(id=found, name=f"OneDrive of {user}")

    def _list_drive(self, drive: _Drive) -> Iterator[Listed | LeftOut]:
        """List a drive once it is read to its end: an item may be told several times, and the last time counts."""
        items: dict[str, Item] = {}
        path = f"/drives/{quote(drive.id, safe='')}/{CHANGES}?$top={_PAGE_SIZE}&$select={FIELDS}"
        for told in self._graph.read_changes(path):
            item = read_item(told)
            if not item.id:
                yield LeftOut(name=item.name, reason=item.reason)
                continue
            items.pop(item.id, None)
            if not is_deleted(told):
                items[item.id] = item
        folders = Folders(items, self._settings.without_folders)
        documents: list[Item] = []
        for item in (each for each in items.values() if each.is_file):
            reason = item.reason or folders.find_reason(item)
            if reason:
                yield LeftOut(name=item.name, reason=reason)
            else:
                documents.append(item)
        yield from self._list_documents(drive, documents)

    def _list_documents(self, drive: _Drive, documents: Iterable[Item]) -> Iterator[Listed | LeftOut]:
        unnamed = set[str]()
        for some in in_batches(documents, AT_ONCE):
            readers, groups = self._read_readers(drive.id, [item.id for item in some])
            for item, names in zip(some, readers, strict=True):
                yield _as_listed(drive.id, item, names)
            unnamed |= groups
        for name in sorted(unnamed):
            yield LeftOut(name=f"{drive.name}: {name}", reason=_UNNAMED)

    def _read_readers(self, drive: str, files: Sequence[str]) -> tuple[Sequence[tuple[str, ...]], set[str]]:
        """Return who reads each file, and the groups of the site by which nobody does."""
        now = dt.datetime.now(dt.UTC)
        told = [
            read_readers(permissions, lambda: self._find_site(drive), now)
            for permissions in self._graph.read_permissions(drive, files)
        ]
        return [tuple(sorted(each.readers)) for each in told], set[str]().union(*(each.unnamed for each in told))

    def _find_site(self, drive: str) -> str:
        """Return the address of the site to which a drive belongs; "" where it is not told or its groups do not count.

        Asked for once: a drive stays in its site.
        """
        if not self._settings.site_groups:
            return ""
        if drive not in self._sites:
            path = f"/drives/{quote(drive, safe='')}?$select=id,sharePointIds"
            self._sites[drive] = text(self._graph.ask_if_shown(path) or {}, "sharePointIds", "siteUrl").lower()
        return self._sites[drive]


def _path_of(key: str) -> str:
    drive, _, file = key.removeprefix(_FILE).partition("/")
    return f"/drives/{quote(drive, safe='')}/items/{quote(file, safe='')}"


def _as_listed(drive: str, item: Item, readers: tuple[str, ...]) -> Listed:
    return Listed(
        key=f"{_FILE}{drive}/{item.id}",
        name=item.name,
        fingerprint=item.fingerprint,
        groups=readers,
        source_url=item.url,
    )


def connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    """Return the connector of libraries and OneDrives. SourceRefusedError without a client secret."""
    return SharePoint(cast(Settings, settings), read_secret(secrets, "client_secret", "client secret"), access)


KIND = Kind(
    name="sharepoint",
    label="SharePoint and OneDrive",
    help="The files of document libraries and of users' OneDrives in Microsoft 365, each for those who may read it "
    "there.",
    settings=Settings,
    connect=connect,
    secrets={"client_secret": "Client secret (its value) of the application in Entra"},
    destination=("cloud", "tenant"),
    per_minute=300,
    tells_readers=True,
)
