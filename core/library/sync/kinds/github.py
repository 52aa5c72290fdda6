"""A branch of a repository on GitHub, or on a GitHub Enterprise server."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, Field

from core.errors import GoneError, SourceError, SourceRefusedError, UnreadableFileError
from core.library.ingestion.sources import LeftOut
from core.library.sync.connector import Access, Connector, Kind
from core.library.sync.files.connector import FileChoice, FileConnector
from core.library.sync.files.settings import FileSettings, HttpAddress, RelativePath
from core.library.sync.files.store import (
    LINK,
    SUBMODULE,
    Entry,
    PassedOver,
    StoredFile,
    refuse_pointer,
    shown,
    walk,
    why_inexact,
)
from core.library.sync.proposing import ChangeWay, TakesChanges
from core.library.sync.services.changed_files import RepositoryChanges
from core.library.sync.services.client import read_secret
from core.library.sync.services.github_changes import GitHubBranches
from core.library.sync.services.merge_requests import GitHubRequests, build_api

if TYPE_CHECKING:
    import httpx

_JSON = "application/vnd.github+json"
_OBJECT = "application/vnd.github.object+json"  # also of files over one megabyte
_RAW = "application/vnd.github.raw+json"
_VERSION = {"X-GitHub-Api-Version": "2022-11-28"}
_NAME = r"^[A-Za-z0-9._-]+$"


class GitHubSettings(FileSettings):
    """The repository to read, its branch and folder."""

    owner: str = Field(pattern=_NAME, title="Owner", description="The person or organisation: octo-org.")
    repository: str = Field(pattern=_NAME, title="Repository", description="Its name without the owner: handbook.")
    branch: str = Field(default="", title="Branch", description="Empty: the repository's default branch.")
    path: RelativePath = Field(
        default="", title="Folder", description="A folder of the repository, such as docs. Empty: all of it."
    )
    api: HttpAddress = Field(
        default="https://api.github.com",
        min_length=1,
        title="Address of the API",
        description="Of a GitHub Enterprise server: https://github.example.com/api/v3.",
    )
    changes: bool = Field(
        default=False,
        title="Proposed changes",
        description="People may propose changes of these documents: each becomes a branch with a pull request. Needs "
        "the token for proposed changes.",
    )


class _GitHub:
    """Files of a branch, by GitHub's REST API."""

    def __init__(self, given: GitHubSettings, token: str, access: Access) -> None:
        from core.library.sync.files.guarded_http import GuardedClient

        credentials = {"Authorization": f"Bearer {token}"} if token else {}
        self._given = given
        self._server = urlsplit(given.api).hostname or ""
        self._repository = f"{given.api}/repos/{given.owner}/{given.repository}"
        self._http = GuardedClient(self, access, credentials=lambda: credentials)

    def files(self, passed_over: PassedOver) -> Iterator[StoredFile | LeftOut]:
        """Yield all files of the branch: in one answer where GitHub gives all in one, else folder by folder."""
        tree, page = self._find_root()
        if not tree:
            return
        whole = self._ask_json(f"/git/trees/{tree}?recursive=1")
        if whole.get("truncated"):
            trees = {"": tree}
            yield from walk(lambda folder: self._list_entries(folder, trees, page), passed_over)
            return
        for one in _read_tree(whole):
            if reason := _why_left_out(one):
                yield LeftOut(name=shown(one["path"]), reason=reason)
            elif one["type"] == "blob":
                yield StoredFile(path=one["path"], fingerprint=one["sha"], source_url=page + quote(one["path"]))

    def _find_root(self) -> tuple[str, str]:
        """Return the tree of the folder, and the part of a page's address before the path."""
        about = self._ask_json("")
        branch = self._given.branch or str(about.get("default_branch", ""))
        commit = self._ask_json(f"/commits/{quote(branch, safe='')}")
        try:
            tree, page = str(commit["commit"]["tree"]["sha"]), f"{about['html_url']}/blob/{quote(branch)}/"
        except (KeyError, TypeError) as error:
            raise SourceError(f"{self._server} does not answer as GitHub does. Check the address.") from error
        for part in self._given.path.split("/") if self._given.path else ():
            found = [one for one in _read_tree(self._ask_json(f"/git/trees/{tree}")) if one["path"] == part]
            if not found or found[0]["type"] != "tree":
                raise SourceError(f"The branch {branch} has no folder {self._given.path}.")
            tree, page = found[0]["sha"], f"{page}{quote(part)}/"
        return tree, page

    def _list_entries(self, folder: str, trees: dict[str, str], page: str) -> list[Entry]:
        entries = []
        for one in _read_tree(self._ask_json(f"/git/trees/{trees.pop(folder)}")):
            path = f"{folder}/{one['path']}" if folder else one["path"]
            if one["type"] == "tree":
                trees[path] = one["sha"]
            if reason := _why_left_out(one):
                entries.append(Entry(name=one["path"], left_out=reason))
                continue
            entries.append(
                Entry(
                    name=one["path"],
                    fingerprint=one["sha"],
                    source_url=page + quote(path),
                    is_folder=one["type"] == "tree",
                )
            )
        return entries

    def pieces(self, path: str, fingerprint: str) -> Iterator[bytes]:
        """Yield the content as it was listed; what was not listed, as it is now."""
        from core.library.sync.files.guarded_http import translate_faults

        asked = f"/git/blobs/{quote(fingerprint)}" if fingerprint else self._path_of_contents(path)
        with (
            translate_faults(self._server),
            self._http.stream("GET", self._repository + asked, headers=_VERSION | {"Accept": _RAW}) as response,
        ):
            self._check_answer(response, path)
            yield from refuse_pointer(path, response.iter_raw())

    def fingerprint_of(self, path: str) -> str:
        """The id of what is at the path in the branch's newest commit."""
        found = self._ask_json(self._path_of_contents(path), path, form=_OBJECT)
        if found.get("type") != "file":
            raise GoneError(f"{path} is no file any more.")
        return str(found.get("sha", ""))

    def _path_of_contents(self, path: str) -> str:
        """Build the API path of a file's current content."""
        below = f"{self._given.path}/{path}" if self._given.path else path
        branch = f"?ref={quote(self._given.branch, safe='')}" if self._given.branch else ""
        return f"/contents/{quote(below)}{branch}"

    def _ask_json(self, asked: str, path: str = "", *, form: str = _JSON) -> dict[str, Any]:
        """path: of the one file that is asked about; "" for anything else."""
        from core.library.sync.files.guarded_http import translate_faults

        with translate_faults(self._server):
            response = self._http.request("GET", self._repository + asked, headers=_VERSION | {"Accept": form})
        self._check_answer(response, path)
        try:
            found = response.json()
        except ValueError as error:
            raise SourceError(f"{self._server} does not answer as GitHub does. Check the address.") from error
        return found if isinstance(found, dict) else {}

    def _check_answer(self, response: "httpx.Response", path: str) -> None:
        """The error for an answer that says why there is none. path: as of `_ask_json`."""
        if response.status_code == 200:
            return
        if path and response.status_code == 404:
            raise GoneError(f"{path} is no longer there.")
        if path and response.status_code == 403 and not _is_busy(response):
            raise UnreadableFileError(f"{path} is not given out by {self._server}. It may be too large.")
        if _is_busy(response):
            raise SourceError(f"{self._server} has answered too many requests for now. It is asked again later.")
        if response.status_code in {401, 403}:
            raise SourceRefusedError(f"{self._server} does not accept the token. Renew it, with the right to read.")
        if response.status_code in {301, 302, 307, 308}:
            raise SourceError("The repository has another name or place now. Enter these.")
        if response.status_code in {404, 422}:
            raise SourceError("There is no such repository or branch, or the token may not read it.")
        raise SourceError(f"{self._server} answers with status {response.status_code}.")


def _is_busy(response: "httpx.Response") -> bool:
    """https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api"""
    told = response.headers
    return response.status_code == 429 or (
        response.status_code == 403 and (told.get("x-ratelimit-remaining") == "0" or "retry-after" in told)
    )


def _read_tree(answer: dict[str, Any]) -> list[dict[str, str]]:
    fields = ("path", "mode", "type", "sha")
    try:
        return [{field: str(one[field]) for field in fields} for one in answer["tree"]]
    except (KeyError, TypeError) as error:
        raise SourceError("GitHub's answer is no list of files. Check the address of the API.") from error


def _why_left_out(one: dict[str, str]) -> str:
    return {"120000": LINK, "160000": SUBMODULE}.get(one["mode"], "") or why_inexact(one["path"])


def _connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    given = GitHubSettings.model_validate(settings)
    return FileConnector(_GitHub(given, secrets.get("token", ""), access), given, access)


def _find_way(settings: BaseModel) -> ChangeWay | None:
    return ChangeWay.MERGE_REQUEST if GitHubSettings.model_validate(settings).changes else None


def _connect_for_changes(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> TakesChanges:
    given = GitHubSettings.model_validate(settings)
    token = read_secret(secrets, "change_token", "token for proposed changes")
    api = build_api(
        access,
        given.api,
        f"/repos/{given.owner}/{given.repository}",
        credentials={"Authorization": f"Bearer {token}", **_VERSION},
        rights="the permissions Contents: write and Pull requests: write",
    )
    return RepositoryChanges(
        GitHubBranches(api, given.branch, max_mb=access.max_mb),
        GitHubRequests(api, given.branch, owner=given.owner),
        folder=given.path,
        is_listed=FileChoice(given).is_listed,
        max_mb=access.max_mb,
    )


KIND = Kind(
    name="github",
    label="GitHub repository",
    help="The files of one branch of a repository on GitHub or a GitHub Enterprise server. Issues, wikis and pull "
    "requests are not read.",
    settings=GitHubSettings,
    connect=_connect,
    secrets={
        "token": "Token: fine-grained, for this repository alone, with Contents: read. Empty: it is public",
        "change_token": "Token for proposed changes: fine-grained, for this repository alone, with Contents: write and "
        "Pull requests: write",
    },
    destination=("api",),
    tells_readers=True,
    find_way=_find_way,
    connect_for_changes=_connect_for_changes,
)
