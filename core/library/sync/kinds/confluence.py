"""Confluence, in Atlassian's cloud or at home: pages and their attachments, with who may read them there."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Annotated, Any, Literal, cast
from urllib.parse import quote, urlencode

from pydantic import AfterValidator, BaseModel, Field, model_validator

from core.errors import GoneError, SourceError, SourceRefusedError
from core.library.ingestion.formats import list_readable_endings
from core.library.ingestion.naming import suffix
from core.library.ingestion.sources import LeftOut, LoadedFile
from core.library.sync.connector import (
    Access,
    Connector,
    Kind,
    Listed,
    Loaded,
    make_changed_error,
    make_uncertain_error,
)
from core.library.sync.kinds.web_site import Address
from core.library.sync.proposing import ChangeWay, TakesChanges
from core.library.sync.services.answers import NO_ID, identifier, inner, items, read_pages, text
from core.library.sync.services.atlassian import make_authorization
from core.library.sync.services.client import Client, read_secret
from core.library.sync.services.confluence_drafts import NAME, DraftPages
from core.library.sync.services.confluence_readers import SPACE_EXPANSIONS, PageReaders
from core.library.sync.services.confluence_versions import ATTACHMENT, PAGE, fingerprint_of

_PAGE_SIZE = 50
_EXPANSIONS = (
    "version,ancestors,metadata.labels,childTypes.attachment,"
    "restrictions.read.restrictions.user,restrictions.read.restrictions.group"
)
# Of one page. Pages above it are included where Confluence can: it fails for drafts and pages in the bin above.
_NOW = "version,space,ancestors,restrictions.read.restrictions.user,restrictions.read.restrictions.group"
_NOW_WITH_ABOVE = (
    f"{_NOW},space.permissions,"
    "ancestors.restrictions.read.restrictions.user,ancestors.restrictions.read.restrictions.group"
)
_RESTRICTIONS = ("restrictions", "read", "restrictions")
_MOST_LOOKS = 4  # at a page that changes each time


def _as_key(written: str) -> str:
    key = written.strip().removeprefix("~")
    if not (key.isascii() and key.isalnum()):
        raise ValueError("Write the key of a space, such as DOCS: it stands in the address of each of its pages.")
    return written.strip()


class Settings(BaseModel):
    """The Confluence server to ask, and the choice of its pages."""

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
    changes: bool = Field(
        False,
        title="Proposed changes",
        description="Whether changes that people propose are put into Confluence as draft pages, which an editor "
        "publishes or deletes. Enter the token for proposed changes as well.",
    )
    change_email: str = Field(
        "",
        title="E-mail address for proposed changes",
        description="Of the account whose token may add pages, if it is another than above. In the cloud alone.",
    )

    @model_validator(mode="after")
    def check(self) -> "Settings":
        """In the cloud a token belongs to an address."""
        if self.edition == "cloud" and "@" not in self.email:
            raise ValueError("Write the e-mail address of the account to which the API token belongs.")
        if self.edition == "cloud" and self.change_email and "@" not in self.change_email:
            raise ValueError("Write the e-mail address of the account that may add pages, or leave it empty.")
        return self

    def base(self) -> str:
        """Below which its addresses are."""
        found = self.address.rstrip("/")
        return f"{found}/wiki" if self.edition == "cloud" and not found.endswith("/wiki") else found

    def authorization_of(self, email: str, token: str) -> dict[str, str]:
        """Return the header that says who asks. email: of the token's account; it counts in the cloud alone."""
        return make_authorization(email, token, is_cloud=self.edition == "cloud")


class Confluence:
    """One Confluence, as the account of the token sees it."""

    def __init__(self, settings: Settings, token: str, access: Access) -> None:
        self._settings = settings
        self._is_cloud = settings.edition == "cloud"
        self._base = settings.base()
        header = settings.authorization_of(settings.email, token)
        self._client = Client(access, self._base, name="Confluence", credentials=lambda: header)

    def list(self) -> Iterator[Listed | LeftOut]:
        """Pages and attachments of the spaces."""
        if self._client.ask_json("/rest/api/user/current").get("type") == "anonymous":
            raise SourceRefusedError("Confluence does not know the account of these credentials. Renew them.")
        for space in self._find_spaces():
            yield from self._list_space(space)

    def load(self, listed: Listed, validator: str) -> Loaded | None:
        """Return a page as HTML, or an attachment as it is."""
        if listed.key.startswith(PAGE):
            return Loaded(file=self._load_page(listed))
        page, _, attachment = listed.key.removeprefix(ATTACHMENT).partition("/")
        number = _number_of(listed)
        path = f"/rest/api/content/{quote(page)}/child/attachment/{quote(attachment)}/download"
        path += f"?version={quote(number)}" if number else ""
        if not self._is_cloud:
            about = self._read_description(f"/rest/api/content/{quote(attachment)}?expand=version", listed.name)
            _check_version(about, listed)
            path = text(about, "_links", "download")  # of that version
        content = self._client.load_file(path, listed.name).content
        return Loaded(file=LoadedFile(content=content, name=listed.name))

    def look_again(self, listed: Listed) -> Listed | None:
        """Return a page or an attachment as it is now, and who passes its space and all restrictions now.

        Readers and version belong together when one answer had both. Where several answers did, a restriction may have
        been moved meanwhile from a page that was asked later to one that was asked before: all are asked again until
        they say the same twice. An attachment gives its own version. If one answer had the readers of its page, they
        are those of the version that was known before, and that is found after it.
        """
        page_id, _, attachment = listed.key.removeprefix(PAGE).removeprefix(ATTACHMENT).partition("/")
        before: Listed | None = None
        version = listed.fingerprint
        try:
            for _ in range(_MOST_LOOKS):
                now, is_told_at_once = self._look_at_page(page_id, listed.name)
                if attachment:
                    now = self._look_at_attachment(attachment, page_id, listed.name, now.groups or ())
                    is_told_at_once = is_told_at_once and now.fingerprint == version
                if not now.fingerprint:
                    raise make_uncertain_error(listed.name)
                if is_told_at_once or now == before:
                    return now
                before, version = now, now.fingerprint
        except GoneError:
            return None
        raise make_changed_error(listed.name)

    def _look_at_page(self, page_id: str, name: str) -> tuple[Listed, bool]:
        """Return a page as it is now, and whether one answer had all of that. GoneError when it is not there."""
        page = self._load_description(page_id, name)
        space = inner(page, "space")
        key, is_told_at_once = text(space, "key"), isinstance(space.get("permissions"), list)
        if not is_told_at_once:
            path = f"/rest/api/space/{quote(key, safe='')}?expand={SPACE_EXPANSIONS}"
            space = self._client.ask_json_if_shown(path) or {}
        above = items(page, "ancestors") if "ancestors" in page else []
        told = [each for each in above if inner(each, *_RESTRICTIONS)]
        readers = PageReaders(self._client, space, [page, *told], is_cloud=self._is_cloud)
        now = self._listed_page(page, key, readers.of(page))
        return now, is_told_at_once and not readers.has_asked

    def _look_at_attachment(self, attachment: str, page_id: str, name: str, groups: tuple[str, ...]) -> Listed:
        """Return an attachment as it is now. GoneError when the page has it no more."""
        for found in self._attachments_of(page_id):
            if text(found, "id") == attachment:
                return self._listed_attachment(found, page_id, groups)
        raise GoneError(f"{name} is no longer there.")

    def _load_description(self, page_id: str, name: str) -> Mapping[str, Any]:
        """Load a page with all that decides about its readers, as far as one answer has it. GoneError without it.

        The cloud is asked by the search that its listing uses: it takes back the other ways of its first interface.
        """
        path, which = f"/rest/api/content/{quote(page_id)}", {}
        if self._is_cloud:
            path, which = "/rest/api/content/search", {"cql": f'id = "{page_id}" and type = page'}
        found = self._client.ask_json_if_shown(f"{path}?{urlencode(which | {'expand': _NOW_WITH_ABOVE})}")
        if found is None:
            found = self._read_description(f"{path}?{urlencode(which | {'expand': _NOW})}", name)
        pages = items(found, "results") if self._is_cloud else [found]
        for page in pages:
            if text(page, "id") == page_id and text(page, "status") in {"", "current"}:
                return page
        raise GoneError(f"{name} is no longer there.")

    def _read_description(self, path: str, name: str) -> dict[str, Any]:
        """Load Confluence's description of one page or attachment. Errors as of `load`."""
        return self._client.read_json(self._client.load_file(path, name))

    def _find_spaces(self) -> Iterator[Mapping[str, Any]]:
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
        """List a space, once it is read to its end: a page above may restrict all below it."""
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
            if not identifier(page, "id"):
                yield LeftOut(name=name, reason=NO_ID)
                continue
            groups = readers.of(page)
            yield self._listed_page(page, key, groups)
            if self._settings.attachments and inner(page, "childTypes", "attachment").get("value") is not False:
                yield from self._list_attachments(text(page, "id"), groups)

    def _list_attachments(self, page: str, groups: tuple[str, ...]) -> Iterator[Listed | LeftOut]:
        for attachment in self._attachments_of(page):
            name = text(attachment, "title")
            if suffix(name) not in list_readable_endings():
                yield LeftOut(name=name, reason="an attachment of a kind that is not read")
                continue
            if not identifier(attachment, "id"):
                yield LeftOut(name=name, reason=NO_ID)
                continue
            yield self._listed_attachment(attachment, page, groups)

    def _attachments_of(self, page: str) -> Iterator[Mapping[str, Any]]:
        yield from self._read_all(f"/rest/api/content/{quote(page)}/child/attachment?limit={_PAGE_SIZE}&expand=version")

    def _listed_page(self, page: Mapping[str, Any], space: str, groups: tuple[str, ...]) -> Listed:
        return Listed(
            key=f"{PAGE}{text(page, 'id')}",
            name=f"{space}: {text(page, 'title')}",
            fingerprint=fingerprint_of(page),
            groups=groups,
            source_url=self._base + text(page, "_links", "webui"),
        )

    def _listed_attachment(self, attachment: Mapping[str, Any], page: str, groups: tuple[str, ...]) -> Listed:
        return Listed(
            key=f"{ATTACHMENT}{page}/{text(attachment, 'id')}",
            name=text(attachment, "title"),
            fingerprint=fingerprint_of(attachment),
            groups=groups,
            source_url=self._base + text(attachment, "_links", "webui"),
        )

    def _load_page(self, listed: Listed) -> LoadedFile:
        page = quote(listed.key.removeprefix(PAGE))
        path = f"/rest/api/content/{page}?expand=body.export_view,version"
        if self._is_cloud:
            path = f"/api/v2/pages/{page}?body-format=export_view"
        found = self._read_description(path, listed.name)
        _check_version(found, listed)
        title = escape(text(found, "title"))
        body = text(found, "body", "export_view", "value")
        html = (
            f'<!doctype html><html><head><meta charset="utf-8"><title>{title}</title></head>'
            f"<body><main><h1>{title}</h1>{body}</main></body></html>"
        )
        return LoadedFile(content=html.encode(), name="page.html")

    def _read_all(self, first: str) -> Iterator[dict[str, Any]]:
        """Yield the entries of a listing, page by page. Confluence gives the next page's address as a path."""
        for page in read_pages(
            lambda path: self._client.ask_json(f"/{(path or first).lstrip('/')}"),
            lambda page: text(page, "_links", "next"),
        ):
            yield from items(page, "results")


def _number_of(listed: Listed) -> str:
    return listed.fingerprint.partition(" ")[0]


def _check_version(found: Mapping[str, Any], listed: Listed) -> None:
    """Raise ChangedMeanwhileError for another version than the one that was listed."""
    number = _number_of(listed)
    if number and text(found, "version", "number") != number:
        raise make_changed_error(listed.name)


def connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    """Return the connector of a Confluence. SourceRefusedError without a token."""
    return Confluence(cast(Settings, settings), read_secret(secrets, "token", "token"), access)


def find_way(settings: BaseModel) -> ChangeWay | None:
    """Return draft pages where an administrator allows changes; None elsewhere."""
    return ChangeWay.DRAFT_PAGE if cast(Settings, settings).changes else None


def connect_for_changes(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> TakesChanges:
    """Return the drafts of a Confluence, by the account that may add pages. SourceRefusedError without its token."""
    given = cast(Settings, settings)
    token = read_secret(secrets, "change_token", "token for proposed changes")
    header = given.authorization_of(given.change_email or given.email, token)
    # After "try later" the page may be there all the same (503): whether it is is looked up before the next attempt.
    client = Client(
        access, given.base(), name=NAME, credentials=lambda: header, is_throttled=lambda answer: answer.status == 429
    )
    return DraftPages(client, base=given.base(), spaces=given.spaces, is_cloud=given.edition == "cloud")


KIND = Kind(
    name="confluence",
    label="Confluence",
    help="Pages of spaces and the files attached to them, each for those who may read it in Confluence.",
    settings=Settings,
    connect=connect,
    secrets={
        "token": "API token (cloud) or personal access token (Data Center)",
        "change_token": "Token for proposed changes, of an account that may add pages; nothing is read with it",
    },
    destination=("address",),
    tells_readers=True,
    find_way=find_way,
    connect_for_changes=connect_for_changes,
)
