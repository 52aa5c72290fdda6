"""Jira, in Atlassian's cloud or at home: issues and their attachments, with who may read them there."""

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Annotated, Any, Literal, cast
from urllib.parse import quote, urlencode, urlsplit

from pydantic import AfterValidator, BaseModel, Field, model_validator

from core.errors import FetchError, GoneError, SourceError, SourceRefusedError
from core.library.ingestion.errors import make_too_large_error
from core.library.ingestion.formats import list_readable_endings
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
from core.library.sync.kinds.web_site import Address
from core.library.sync.services.answers import NO_ID, identifier, inner, items, text
from core.library.sync.services.atlassian import make_authorization
from core.library.sync.services.client import Client, read_secret
from core.library.sync.services.jira_document import TEXT_FIELDS, read_time, title_of, write_issue
from core.library.sync.services.jira_pages import read_issues, read_numbered, read_tokens
from core.library.sync.services.jira_readers import Accounts, IssueReaders
from core.values.sizes import MEGABYTE

ISSUE, ATTACHMENT = "issue:", "attachment:"  # what their keys begin with

_PAGE_SIZE = 100
_READER_FIELDS = ("project", "security", "issuerestriction", "reporter", "assignee")
_LIST_FIELDS = ("summary", "updated", "labels", *_READER_FIELDS)
_MOST_LOOKS = 4  # at an issue that changes each time
_UNSETTLED = dt.timedelta(seconds=2)  # some databases of Jira keep times to the second
_ORDER = re.compile(r"\border\s+by\b", re.IGNORECASE)


def _as_key(written: str) -> str:
    key = written.strip().upper()
    if not (key.isascii() and key.replace("_", "").isalnum()):
        raise ValueError("Write the key of a project, such as DOCS: the key of each of its issues begins with it.")
    return key


def _as_filter(written: str) -> str:
    if _ORDER.search(written):
        raise ValueError("Write the filter without ORDER BY: the order of issues does not matter here.")
    return written.strip()


class Settings(BaseModel):
    """The Jira to ask, and the choice of its issues."""

    address: Address = Field(
        title="Address",
        description="Of Jira: https://example.atlassian.net in the cloud, else where it stands in your network.",
    )
    edition: Literal["cloud", "data_center"] = Field(
        "cloud", title="Edition", description="Cloud at atlassian.net, or Data Center on a server of your own."
    )
    email: str = Field(
        "", title="E-mail address", description="Of the account whose API token is used. In the cloud alone."
    )
    projects: tuple[Annotated[str, AfterValidator(_as_key)], ...] = Field(
        (), title="Projects", description="Keys of projects, one a line. Empty for all that the account may read."
    )
    filter: Annotated[str, AfterValidator(_as_filter)] = Field(
        "",
        title="Filter",
        description="Which issues are read, in Jira's query language: statusCategory = Done. Empty for all.",
    )
    comments: bool = Field(
        True, title="Comments", description="Whether comments for all of an issue's readers are read."
    )
    attachments: bool = Field(
        True, title="Attachments", description="Whether files attached to issues are read as well."
    )
    without_labels: tuple[str, ...] = Field(
        (), title="Labels to leave out", description="Issues with one of these labels are left out; one a line."
    )

    @model_validator(mode="after")
    def check(self) -> "Settings":
        """In the cloud a token belongs to an address."""
        if self.edition == "cloud" and "@" not in self.email:
            raise ValueError("Write the e-mail address of the account to which the API token belongs.")
        return self

    def base(self) -> str:
        """Below which its addresses are: in the cloud nothing stands before them."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}" if self.edition == "cloud" else self.address.rstrip("/")


class Jira:
    """One Jira, as the account of the token sees it."""

    def __init__(self, settings: Settings, token: str, access: Access) -> None:
        self._settings = settings
        self._is_cloud = settings.edition == "cloud"
        self._max_mb = access.max_mb
        self._base = settings.base()
        self._api = f"/rest/api/{3 if self._is_cloud else 2}"
        header = make_authorization(settings.email, token, is_cloud=self._is_cloud)
        self._client = Client(access, self._base, name="Jira", credentials=lambda: header)
        self._accounts = Accounts(self._client, self._api, is_cloud=self._is_cloud)

    def list(self) -> Iterator[Listed | LeftOut]:
        """Issues and attachments of the projects, and what keeps them from having readers."""
        self._check_account()
        readers = self._make_readers()
        said = set[str]()
        wanted = self._find_projects()
        for project in wanted:
            for issue in self._search(project):
                # One that is just being moved may be found in its earlier project.
                if text(issue, "fields", "project", "id") in {"", *wanted}:
                    yield from self._list_issue(issue, readers)
            for name in sorted(set(readers.untold) - said):
                yield LeftOut(name=name, reason=readers.untold[name])
            said |= set(readers.untold)

    def load(self, listed: Listed, validator: str) -> Loaded | None:
        """Return an issue as HTML, or an attachment as it is."""
        if listed.key.startswith(ISSUE):
            return Loaded(file=self._load_issue(listed))
        return Loaded(file=self._load_attachment(listed))

    def look_again(self, listed: Listed) -> Listed | None:
        """Return an issue or an attachment as it is now, and who passes its project and its security level now.

        No answer of Jira has both. A right may have been moved meanwhile from what was asked later to what was asked
        before, so all are asked again until they say the same twice.
        """
        issue_id, attachment = listed.key.removeprefix(ISSUE), None
        if listed.key.startswith(ATTACHMENT):
            issue_id, _, attachment = listed.key.removeprefix(ATTACHMENT).partition("/")
        before: Listed | None = None
        try:
            for _ in range(_MOST_LOOKS):
                now = self._look(issue_id, attachment, listed.name)
                if not now.fingerprint:
                    raise make_uncertain_error(listed.name)
                if now == before:
                    return now
                before = now
        except GoneError:
            return None
        raise make_changed_error(listed.name)

    def _check_account(self) -> None:
        """Raise SourceError where there is no Jira of this edition, SourceRefusedError where it does not know us."""
        response = self._client.send_json(f"{self._api}/myself")
        if response.status == 404:
            raise SourceError("There is no Jira of this edition. Check the address and the edition.")
        if not text(self._client.read_listing(response), "accountId" if self._is_cloud else "name"):
            raise SourceRefusedError("Jira does not know the account of these credentials. Renew them.")

    def _look(self, issue_id: str, attachment: str | None, name: str) -> Listed:
        """Return an issue or an attachment as it is now. GoneError when it is not there, or is to be left out."""
        issue, response = self._read_issue(issue_id, (*_LIST_FIELDS, "attachment"), name)
        project = text(issue, "fields", "project", "key")
        if self._find_unwanted(issue) or (self._settings.projects and project not in self._settings.projects):
            raise GoneError(f"{name} is no longer there.")
        groups = self._make_readers().of(issue)
        if attachment is None:
            self._check_settled(issue, response, name)
            return self._listed_issue(issue, groups)
        for found in _attachments_of(issue):
            if attachment and identifier(found, "id") == attachment:
                return self._listed_attachment(found, issue, groups)
        raise GoneError(f"{name} is no longer there.")

    def _make_readers(self) -> IssueReaders:
        return IssueReaders(self._client, self._api, self._accounts, is_cloud=self._is_cloud)

    def _find_projects(self) -> dict[str, str]:
        """Return the keys of the projects by their ids. SourceError where one that is wanted is not shown."""
        wanted = set(self._settings.projects)
        projects = self._list_projects()
        found = {identifier(each, "id"): text(each, "key") for each in projects if identifier(each, "id")}
        if wanted:
            found = {number: key for number, key in found.items() if key in wanted}
        if not found or wanted - set(found.values()):
            missing = ", ".join(sorted(wanted - set(found.values()))) or "any"
            raise SourceError(
                f"These credentials do not show projects: {missing}. Check the keys and the account's rights."
            )
        return found

    def _list_projects(self) -> Iterator[Mapping[str, Any]]:
        if not self._is_cloud:
            yield from self._client.ask_array(f"{self._api}/project")
            return
        path = f"{self._api}/project/search?maxResults={_PAGE_SIZE}"
        yield from read_numbered(lambda start: self._client.ask_json(f"{path}&startAt={start}"), "values")

    def _search(self, project: str) -> Iterator[dict[str, Any]]:
        chosen = f" AND ({self._settings.filter})" if self._settings.filter else ""
        fields = (*_LIST_FIELDS, "attachment") if self._settings.attachments else _LIST_FIELDS
        which = {
            "jql": f"project = {project}{chosen} ORDER BY key ASC",
            "fields": ",".join(fields),
            "maxResults": str(_PAGE_SIZE),
        }
        if self._is_cloud:
            return read_tokens(
                lambda token: self._ask_search("/search/jql", which | ({"nextPageToken": token} if token else {})),
                "issues",
            )
        return read_issues(lambda start: self._ask_search("/search", which | {"startAt": str(start)}))

    def _ask_search(self, path: str, which: Mapping[str, str]) -> dict[str, Any]:
        response = self._client.send_json(f"{self._api}{path}?{urlencode(which)}")
        if response.status == 400 and self._settings.filter:
            raise SourceError("Jira does not understand the filter. Try it in the search of Jira itself.")
        return self._client.read_listing(response)

    def _list_issue(self, issue: Mapping[str, Any], readers: IssueReaders) -> Iterator[Listed | LeftOut]:
        name = title_of(issue)
        if unwanted := self._find_unwanted(issue):
            yield LeftOut(name=name, reason=f"it has the label {unwanted}")
            return
        if not identifier(issue, "id") or not identifier(issue, "key"):
            yield LeftOut(name=name, reason=NO_ID)
            return
        groups = readers.of(issue)
        yield self._listed_issue(issue, groups)
        for attachment in _attachments_of(issue) if self._settings.attachments else ():
            file_name = text(attachment, "filename")
            if suffix(file_name) not in list_readable_endings():
                yield LeftOut(name=file_name, reason="an attachment of a kind that is not read")
            elif not identifier(attachment, "id"):
                yield LeftOut(name=file_name, reason=NO_ID)
            else:
                yield self._listed_attachment(attachment, issue, groups)

    def _find_unwanted(self, issue: Mapping[str, Any]) -> str:
        """Return the first label for which an issue is left out; "" when there is none."""
        labels = inner(issue, "fields").get("labels")
        found = {str(label) for label in labels} if isinstance(labels, list) else set()
        return next(iter(sorted(found & set(self._settings.without_labels))), "")

    def _listed_issue(self, issue: Mapping[str, Any], groups: tuple[str, ...]) -> Listed:
        at = _read_update(issue)
        return Listed(
            key=f"{ISSUE}{text(issue, 'id')}",
            name=title_of(issue),
            fingerprint=self._fingerprint_of(issue),
            groups=groups,
            source_url=self._address_of(issue),
            document_date=at.date() if at else None,
        )

    def _listed_attachment(
        self, attachment: Mapping[str, Any], issue: Mapping[str, Any], groups: tuple[str, ...]
    ) -> Listed:
        """Describe an attachment: its content never changes, another one has another id."""
        at = read_time(text(attachment, "created"))
        return Listed(
            key=f"{ATTACHMENT}{text(issue, 'id')}/{text(attachment, 'id')}",
            name=text(attachment, "filename"),
            fingerprint=f"{at.isoformat()} {text(attachment, 'size')}" if at else "",
            groups=groups,
            source_url=self._address_of(issue),
            document_date=at.date() if at else None,
        )

    def _address_of(self, issue: Mapping[str, Any]) -> str:
        return f"{self._base}/browse/{quote(text(issue, 'key'), safe='')}"

    def _fingerprint_of(self, issue: Mapping[str, Any]) -> str:
        """Return when an issue was changed last, and whether its comments are read; "" when Jira does not tell."""
        at = _read_update(issue)
        return f"{at.isoformat()}{'' if self._settings.comments else ' alone'}" if at else ""

    def _read_issue(
        self, issue_id: str, fields: tuple[str, ...], name: str, *, expand: str = ""
    ) -> tuple[dict[str, Any], Response]:
        which = urlencode({"fields": ",".join(fields), "expand": expand})
        response = self._client.load_file(f"{self._api}/issue/{quote(issue_id, safe='')}?{which}", name)
        issue = self._client.read_json(response)
        if identifier(issue, "id") != issue_id:
            raise GoneError(f"{name} is no longer there.")
        return issue, response

    def _load_issue(self, listed: Listed) -> LoadedFile:
        number = listed.key.removeprefix(ISSUE)
        issue, response = self._read_issue(number, TEXT_FIELDS, listed.name, expand="renderedFields")
        if self._fingerprint_of(issue) != listed.fingerprint:
            raise make_changed_error(listed.name)
        self._check_settled(issue, response, listed.name)
        comments = self._load_comments(text(issue, "id"), listed.name) if self._settings.comments else []
        html = write_issue(issue, comments).encode(errors="replace")  # JSON may hold what no text holds
        if len(html) > self._max_mb * MEGABYTE:
            raise make_too_large_error(listed.name, self._max_mb)
        return LoadedFile(content=html, name="page.html")

    def _load_comments(self, issue_id: str, name: str) -> Sequence[dict[str, Any]]:
        which = {"expand": "renderedBody,properties", "orderBy": "created", "maxResults": str(_PAGE_SIZE)}
        read = 0

        def ask(start: int) -> Mapping[str, Any]:
            nonlocal read
            path = f"{self._api}/issue/{quote(issue_id)}/comment?{urlencode(which | {'startAt': str(start)})}"
            response = self._client.load_file(path, name)
            read += len(response.content)
            # Each is there twice, as it is written and as it is rendered.
            if read > 4 * self._max_mb * MEGABYTE:
                raise make_too_large_error(name, self._max_mb)
            return self._client.read_json(response)

        return list(read_numbered(ask, "comments"))

    def _load_attachment(self, listed: Listed) -> LoadedFile:
        """Return the content of an attachment. FetchError when it has another size, as the page to sign in has."""
        _, _, number = listed.key.partition("/")
        told = self._client.read_json(self._client.load_file(f"{self._api}/attachment/{quote(number)}", listed.name))
        path = f"/secure/attachment/{quote(number)}/{quote(text(told, 'filename'), safe='', errors='replace')}"
        if self._is_cloud:
            path = f"{self._api}/attachment/content/{quote(number)}"
        content = self._client.load_file(path, listed.name).content
        if text(told, "size") != str(len(content)):
            raise FetchError(f"{listed.name} could not be fetched: what came has another size than Jira tells.")
        return LoadedFile(content=content, name=listed.name)

    @staticmethod
    def _check_settled(issue: Mapping[str, Any], response: Response, name: str) -> None:
        """Raise ChangedMeanwhileError while another change may bear the same time: a time told to the second."""
        at = _read_update(issue)
        if at and not at.microsecond and abs(_now_of(response) - at) < _UNSETTLED:
            raise make_changed_error(name)


def _attachments_of(issue: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the attachments of an issue; none where Jira hides the field."""
    fields = inner(issue, "fields")
    return items(fields, "attachment") if fields.get("attachment") is not None else []


def _read_update(issue: Mapping[str, Any]) -> dt.datetime | None:
    return read_time(text(issue, "fields", "updated"))


def _now_of(response: Response) -> dt.datetime:
    """Return the time by the clock of the server that answered, or by ours where it tells none."""
    try:
        told = parsedate_to_datetime(response.headers.get("date", ""))
    except ValueError:
        return dt.datetime.now(dt.UTC)
    return told if told.tzinfo else told.replace(tzinfo=dt.UTC)


def connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    """Return the connector of a Jira. SourceRefusedError without a token."""
    return Jira(cast(Settings, settings), read_secret(secrets, "token", "token"), access)


KIND = Kind(
    name="jira",
    label="Jira",
    help="Issues of projects with their comments and the files attached to them, each for those who may read it in "
    "Jira.",
    settings=Settings,
    connect=connect,
    secrets={"token": "API token (cloud) or personal access token (Data Center)"},
    destination=("address",),
    per_minute=300,  # an issue takes several requests: its texts, and twice who may read it
    tells_readers=True,
)
