"""Ask GitLab, Gitea, Forgejo and GitHub to merge a branch, and what became of that.

https://docs.gitlab.com/api/merge_requests/, https://docs.gitea.com/api/ (repository),
https://docs.github.com/en/rest/pulls/pulls
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol
from urllib.parse import quote, urlencode, urlsplit

from core.errors import IngestionError, SourceError, SourceRefusedError
from core.library.ingestion.sources.web import Request, Response
from core.library.sync.connector import Access
from core.library.sync.proposing import ChangeOutcome
from core.library.sync.services.answers import inner, text
from core.library.sync.services.client import LISTING_MB, Client

_ORDER = (ChangeOutcome.OPEN, ChangeOutcome.MERGED, ChangeOutcome.DECLINED)
_DEVELOPER = 30  # the level of the role that may push and make requests: https://docs.gitlab.com/api/access_requests/
_COMMAND = re.compile(r"^([ \t]*)/", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class MergeRequest:
    """Holds a request to merge a branch."""

    number: str  # within its repository
    url: str  # of its page; "" where the server names none
    outcome: ChangeOutcome


class MergeRequests(Protocol):
    """The requests of one repository to merge a branch of it. Errors as of `TakesChanges`."""

    def check(self) -> None:
        """Return if requests can be made; SourceRefusedError otherwise."""

    def find(self, branch: str) -> MergeRequest | None:
        """Return the request that was made for a branch, an open one before others; None without any."""

    def create(self, branch: str, title: str, description: str) -> MergeRequest:
        """Make a request for a branch; the one that is there, when another attempt was faster."""

    def look_up(self, number: str) -> MergeRequest | None:
        """Return a request as it is now; None when it is not there any more."""


class RepositoryApi:
    """One repository in the REST API of a server."""

    def __init__(self, client: Client, server: str, path: str, *, rights: str) -> None:
        """Take a client that sends the credentials.

        server: for people. path: of the repository, below the client's address. rights: what the token needs, as the
        end of a sentence.
        """
        self._client = client
        self.server = server
        self._path = path
        self._rights = rights

    def read(self, asked: str) -> dict[str, Any] | None:
        """Return an object; None where there is none. asked: its path below the repository, or ""."""
        found = self._read_json(asked)
        if found is not None and not isinstance(found, dict):
            raise self._make_form_error()
        return found

    def read_list(self, asked: str, **query: str) -> list[dict[str, Any]]:
        """Return the objects that are listed below the repository."""
        found = self._read_json(f"{asked}?{urlencode(query)}")
        if not isinstance(found, list):
            raise self._make_form_error()
        return [one for one in found if isinstance(one, dict)]

    def _read_json(self, asked: str) -> Any:
        response = self._ask(asked)
        if response.status == 404:
            if asked:
                self._read_json("")  # where a token is not shown a repository, nothing seems to be in it
                return None
            raise SourceRefusedError(
                f"{self.server} does not show the token for proposed changes the repository. It needs {self._rights}."
            )
        if response.status != 200:
            raise SourceError(f"{self.server} answers with status {response.status}.")
        return self._parse(response)

    def write(self, asked: str, content: Mapping[str, object]) -> dict[str, Any] | None:
        """Make something below the repository and return it; None for what conflicts or is refused (409, 422)."""
        response = self._ask(asked, json.dumps(content).encode())
        if response.status in {409, 422}:
            return None
        if response.status in {403, 404}:
            raise self.make_refusal()
        if response.status not in {200, 201}:
            raise SourceError(f"{self.server} answers with status {response.status}.")
        made = self._parse(response)
        if not isinstance(made, dict):
            raise self._make_form_error()
        return made

    def make_refusal(self) -> SourceRefusedError:
        """Return the error for a token that may not write, with the rights that it needs."""
        return SourceRefusedError(
            f"{self.server} does not let the token for proposed changes write. It needs {self._rights}."
        )

    def read_default_branch(self) -> str:
        """Return the name of the branch that the repository has as its main one."""
        return text(self.read("") or {}, "default_branch")

    def _ask(self, asked: str, body: bytes | None = None) -> Response:
        headers = {"Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        request = Request(
            url=self._client.url(self._path + asked),
            method="GET" if body is None else "POST",
            headers=headers,
            body=body or b"",
            follows_redirects=False,
        )
        try:
            response = self._client.ask(request, max_mb=LISTING_MB)
        except SourceRefusedError:
            raise SourceRefusedError(
                f"{self.server} does not accept the token for proposed changes. Renew it."
            ) from None
        except IngestionError as error:
            raise SourceError(f"{self.server} cannot be asked. {error.message}") from error
        if response.status == 403 and body is None:
            raise SourceRefusedError(
                f"{self.server} does not let the token for proposed changes read. It needs {self._rights}."
            )
        if response.status in {301, 302, 303, 307, 308}:
            raise SourceError("The repository has another name or place now. Enter these.")
        return response

    def _parse(self, response: Response) -> Any:
        try:
            return json.loads(response.content)
        except ValueError:
            raise self._make_form_error() from None

    def _make_form_error(self) -> SourceError:
        return SourceError(f"{self.server} does not answer as it should. Check its address.")


class _Requests:
    """The requests of a repository, by what the services have in common."""

    path: ClassVar[str]  # of the requests, below the repository
    number: ClassVar[str]  # the field of an answer that identifies a request
    page: ClassVar[str]  # the field with the address of its page

    def __init__(self, api: RepositoryApi, branch: str) -> None:
        """Take the repository. branch: that the source reads; "" for the repository's main one."""
        self._api = api
        self._branch = branch

    def check(self) -> None:
        """Ask which permissions the account of the token has in the repository."""
        about = self._api.read("") or {}
        if not self._may_write(about):
            raise self._api.make_refusal()
        if about.get("archived") is True:
            raise SourceRefusedError(
                f"The repository is archived at {self._api.server}, which takes no changes of it. Turn proposed "
                "changes off, or end the archiving there."
            )

    def find(self, branch: str) -> MergeRequest | None:
        """Return the request that was made for a branch, an open one before others."""
        found = [self._read(one) for one in self._list_for(branch)]
        return min(found, key=lambda one: _ORDER.index(one.outcome), default=None)

    def create(self, branch: str, title: str, description: str) -> MergeRequest:
        """Make a request for a branch; the one that is there, when another attempt was faster."""
        made = self._api.write(self.path, self._describe(branch, " ".join(title.split()), description))
        if made is not None:
            return self._read(made)
        found = self.find(branch)
        if found is None:
            raise SourceError(f"{self._api.server} makes no request to merge {branch}. Look at that branch there.")
        return found

    def look_up(self, number: str) -> MergeRequest | None:
        """Return a request as it is now."""
        found = self._api.read(f"{self.path}/{quote(number, safe='')}")
        return None if found is None else self._read(found)

    def _list_for(self, branch: str) -> Iterable[dict[str, Any]]:
        raise NotImplementedError

    def _describe(self, branch: str, title: str, description: str) -> dict[str, object]:
        raise NotImplementedError

    def _may_write(self, about: Mapping[str, Any]) -> bool:
        """Return True if a description of the repository, made for the account of the token, says that it may push."""
        return inner(about, "permissions").get("push") is True

    def _find_target(self) -> str:
        return self._branch or self._api.read_default_branch()

    def _read(self, found: Mapping[str, Any]) -> MergeRequest:
        number, url = text(found, self.number), text(found, self.page)
        if not number.isdecimal():
            raise SourceError(f"{self._api.server} does not answer as it should. Check its address.")
        return MergeRequest(
            number=number,
            url=url if urlsplit(url).scheme in {"http", "https"} else "",
            outcome=_read_outcome(found),
        )


class GitLabRequests(_Requests):
    """Merge requests of GitLab."""

    path = "/merge_requests"
    number = "iid"
    page = "web_url"

    def _list_for(self, branch: str) -> Iterable[dict[str, Any]]:
        found = self._api.read_list(self.path, source_branch=branch, state="all")
        # Whoever forks the repository may have a branch of that name and ask for its merging here.
        return [one for one in found if one.get("source_project_id") == one.get("target_project_id")]

    def _may_write(self, about: Mapping[str, Any]) -> bool:
        """Return False for levels that are too low. Members by an invited group have none: Git was asked before."""
        found = (inner(about, "permissions", whose).get("access_level") for whose in ("project_access", "group_access"))
        levels = [level for level in found if isinstance(level, int)]
        return not levels or max(levels) >= _DEVELOPER

    def _describe(self, branch: str, title: str, description: str) -> dict[str, object]:
        return {
            "source_branch": branch,
            "target_branch": self._find_target(),
            "title": title,
            "description": _COMMAND.sub(r"\1\\/", description),  # GitLab obeys lines such as /approve
            "remove_source_branch": True,
        }


class GiteaRequests(_Requests):
    """Pull requests of Gitea and Forgejo."""

    path = "/pulls"
    number = "number"
    page = "html_url"

    def _list_for(self, branch: str) -> Iterable[dict[str, Any]]:
        found = self._api.read(f"{self.path}/{quote(self._find_target(), safe='')}/{quote(branch)}")
        return [] if found is None else [found]

    def _describe(self, branch: str, title: str, description: str) -> dict[str, object]:
        return {"head": branch, "base": self._find_target(), "title": title, "body": description}


class GitHubRequests(_Requests):
    """Pull requests of GitHub."""

    path = "/pulls"
    number = "number"
    page = "html_url"

    def __init__(self, api: RepositoryApi, branch: str, *, owner: str) -> None:
        """Take the repository. owner: of it, and of its branches."""
        super().__init__(api, branch)
        self._owner = owner

    def _list_for(self, branch: str) -> Iterable[dict[str, Any]]:
        found = self._api.read_list(self.path, head=f"{self._owner}:{branch}", state="all")
        # An organisation may own a fork of its repository, with a branch of that name.
        return [one for one in found if _find_repository(one, "head") == _find_repository(one, "base")]

    def _describe(self, branch: str, title: str, description: str) -> dict[str, object]:
        return {"head": branch, "base": self._find_target(), "title": title, "body": description}


def _find_repository(found: Mapping[str, Any], end: str) -> str:
    return text(found, end, "repo", "id")


def _read_outcome(found: Mapping[str, Any]) -> ChangeOutcome:
    if found.get("merged") or found.get("merged_at") or found.get("state") == "merged":
        return ChangeOutcome.MERGED
    return ChangeOutcome.DECLINED if found.get("state") == "closed" else ChangeOutcome.OPEN


def build_api(access: Access, base: str, path: str, *, credentials: Mapping[str, str], rights: str) -> RepositoryApi:
    """Return the API of a repository, asked at the pace of the source.

    base: the address of the API. path: of the repository below it. credentials: headers. rights: as of RepositoryApi.
    """
    server = urlsplit(base).hostname or ""
    client = Client(access, base, name=server, credentials=lambda: dict(credentials), is_throttled=_is_throttled)
    return RepositoryApi(client, server, path, rights=rights)


def _is_throttled(response: Response) -> bool:
    """https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api"""
    headers = response.headers
    is_limited = headers.get("x-ratelimit-remaining") == "0" or "retry-after" in headers
    return response.status in {429, 503} or (response.status == 403 and is_limited)
