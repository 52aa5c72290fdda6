"""Confluence, in Atlassian's cloud or at home: pages and their attachments, with who may read them there."""

import base64
from collections.abc import Iterator, Mapping
from html import escape
from typing import Annotated, Any, Literal, cast
from urllib.parse import quote, urlencode

from pydantic import AfterValidator, BaseModel, Field, model_validator

from core.errors import SourceError, SourceRefusedError
from core.ingestion.detection import list_readable_endings
from core.ingestion.naming import suffix
from core.ingestion.sources.source import LeftOut, LoadedFile
from core.sync.connector import Access, Connector, Kind, Listed, Loaded
from core.sync.kinds.web_site import Address
from core.sync.services.client import Client
from core.sync.services.confluence_readers import SPACE_EXPANSIONS, PageReaders
from core.sync.services.fields import inner, text
from core.sync.services.paging import items, read_pages
from core.sync.services.tokens import read_secret

_PAGE_SIZE = 50
_EXPANSIONS = (
    "version,ancestors,metadata.labels,childTypes.attachment,"
    "restrictions.read.restrictions.user,restrictions.read.restrictions.group"
)
_PAGE, _ATTACHMENT = "page:", "attachment:"


def _as_key(written: str) -> str:
    key = written.strip().removeprefix("~")
    if not (key.isascii() and key.isalnum()):
        raise ValueError("Write the key of a space, such as DOCS: it stands in the address of each of its pages.")
    return written.strip()


class Settings(BaseModel):
    """Which pages of which Confluence."""

    address: Address = Field(
        title="Address",
        description="Of Confluence: https://example.atlassian.net in the cloud, else where it stands in your network.",
    )
    edition: Literal["cloud", "data_center"] = Field(
        "cloud", title="Edition", description="Cloud at atlassian.net, or Data Center on a server of your own."
    )
    email: str = Field(
        "", title="E-mail address", description="Of the account whose API token is used. In the cloud alone."
    )
    spaces: tuple[Annotated[str, AfterValidator(_as_key)], ...] = Field(
        (), title="Spaces", description="Keys of spaces, one a line. Empty for all that the account may read."
    )
    attachments: bool = Field(
        True, title="Attachments", description="Whether files attached to pages are read as well."
    )
    without_labels: tuple[str, ...] = Field(
        (), title="Labels to leave out", description="Pages with one of these labels are left out; one a line."
    )

    @model_validator(mode="after")
    def check(self) -> "Settings":
        """In the cloud a token belongs to an address."""
        if self.edition == "cloud" and "@" not in self.email:
            raise ValueError("Write the e-mail address of the account to which the API token belongs.")
        return self

    def base(self) -> str:
        """Below which its addresses are."""
        found = self.address.rstrip("/")
        return f"{found}/wiki" if self.edition == "cloud" and not found.endswith("/wiki") else found


class Confluence:
    """One Confluence, as the account of the token sees it."""

    def __init__(self, settings: Settings, token: str, access: Access) -> None:
        self._settings = settings
        self._is_cloud = settings.edition == "cloud"
        self._base = settings.base()
        basic = base64.b64encode(f"{settings.email}:{token}".encode()).decode()
        header = {"Authorization": f"Basic {basic}" if self._is_cloud else f"Bearer {token}"}
        self._client = Client(access, self._base, name="Confluence", credentials=lambda: header)

    def list(self) -> Iterator[Listed | LeftOut]:
        """Pages and attachments of the spaces."""
        if self._client.ask_json("/rest/api/user/current").get("type") == "anonymous":
            raise SourceRefusedError("Confluence does not know the account of these credentials. Renew them.")
        for space in self._spaces():
            yield from self._list_space(space)

    def load(self, listed: Listed, validator: str) -> Loaded | None:
        """A page as HTML, or an attachment as it is."""
        if listed.key.startswith(_PAGE):
            return Loaded(file=self._load_page(listed))
        page, _, attachment = listed.key.removeprefix(_ATTACHMENT).partition("/")
        path = f"/rest/api/content/{quote(page)}/child/attachment/{quote(attachment)}/download"
        if not self._is_cloud:
            about = self._client.read_json(
                self._client.load_file(f"/rest/api/content/{quote(attachment)}", listed.name)
            )
            path = text(about, "_links", "download")
        content = self._client.load_file(path, listed.name).content
        return Loaded(file=LoadedFile(content=content, name=listed.name))

    def _spaces(self) -> Iterator[Mapping[str, Any]]:
        wanted = set(self._settings.spaces)
        keys = [("spaceKey", key) for key in sorted(wanted)]
        query = [*keys, ("status", "current"), ("limit", str(_PAGE_SIZE)), ("expand", SPACE_EXPANSIONS)]
        found = set[str]()
        for space in self._read_all(f"/rest/api/space?{urlencode(query)}"):
            key = text(space, "key")
            if not wanted or key in wanted:
                found.add(key)
                yield space
        if not found or wanted - found:
            missing = ", ".join(sorted(wanted - found)) or "any"
            raise SourceError(
                f"These credentials do not show spaces: {missing}. Check the keys and the account's rights."
            )

    def _list_space(self, space: Mapping[str, Any]) -> Iterator[Listed | LeftOut]:
        """A space is read to its end before anything of it is told: a page above may restrict all below it."""
        key = text(space, "key")
        which = {"type": "page", "spaceKey": key, "status": "current"}
        path = "/rest/api/content"
        if self._is_cloud:
            path, which = "/rest/api/content/search", {"cql": f'space = "{key}" and type = page'}
        pages = list(self._read_all(f"{path}?{urlencode(which | {'limit': _PAGE_SIZE, 'expand': _EXPANSIONS})}"))
        readers = PageReaders(self._client, space, pages, is_cloud=self._is_cloud)
        for page in pages:
            name = f"{key}: {text(page, 'title')}"
            labels = {text(label, "name") for label in items(inner(page, "metadata", "labels"), "results")}
            unwanted = sorted(labels & set(self._settings.without_labels))
            if unwanted:
                yield LeftOut(name=name, reason=f"it has the label {unwanted[0]}")
                continue
            groups = readers.of(page)
            yield Listed(
                key=f"{_PAGE}{text(page, 'id')}",
                name=name,
                fingerprint=text(page, "version", "number"),
                groups=groups,
                source_url=self._base + text(page, "_links", "webui"),
            )
            if self._settings.attachments and inner(page, "childTypes", "attachment").get("value") is not False:
                yield from self._list_attachments(text(page, "id"), groups)

    def _list_attachments(self, page: str, groups: tuple[str, ...]) -> Iterator[Listed | LeftOut]:
        path = f"/rest/api/content/{quote(page)}/child/attachment?limit={_PAGE_SIZE}&expand=version"
        for attachment in self._read_all(path):
            name = text(attachment, "title")
            if suffix(name) not in list_readable_endings():
                yield LeftOut(name=name, reason="an attachment of a kind that is not read")
                continue
            yield Listed(
                key=f"{_ATTACHMENT}{page}/{text(attachment, 'id')}",
                name=name,
                fingerprint=text(attachment, "version", "number"),
                groups=groups,
                source_url=self._base + text(attachment, "_links", "webui"),
            )

    def _load_page(self, listed: Listed) -> LoadedFile:
        page = quote(listed.key.removeprefix(_PAGE))
        path = f"/rest/api/content/{page}?expand=body.export_view"
        if self._is_cloud:
            path = f"/api/v2/pages/{page}?body-format=export_view"
        found = self._client.read_json(self._client.load_file(path, listed.name))
        title = escape(text(found, "title"))
        body = text(found, "body", "export_view", "value")
        html = (
            f'<!doctype html><html><head><meta charset="utf-8"><title>{title}</title></head>'
            f"<body><main><h1>{title}</h1>{body}</main></body></html>"
        )
        return LoadedFile(content=html.encode(), name="page.html")

    def _read_all(self, first: str) -> Iterator[dict[str, Any]]:
        """What a listing holds, from page to page. Where the next one is, Confluence says by a path of its own."""
        for page in read_pages(
            lambda path: self._client.ask_json(f"/{(path or first).lstrip('/')}"),
            lambda page: text(page, "_links", "next"),
        ):
            yield from items(page, "results")


def connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    """The connector of a Confluence. SourceRefusedError without a token."""
    return Confluence(cast(Settings, settings), read_secret(secrets, "token", "token"), access)


KIND = Kind(
    name="confluence",
    label="Confluence",
    help="Pages of spaces and the files attached to them, each for those who may read it in Confluence.",
    settings=Settings,
    connect=connect,
    secrets={"token": "API token (cloud) or personal access token (Data Center)"},
    tells_readers=True,
)
