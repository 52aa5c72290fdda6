"""A branch of a Git repository, fetched over http or https, or read in a folder of this machine."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote, unquote, urlsplit

from pydantic import BaseModel, Field, field_validator, model_validator

from core.errors import GoneError, SourceError, UnsafeUrlError
from core.library.ingestion.errors import make_too_large_error
from core.library.ingestion.sources import LeftOut
from core.library.ingestion.sources.addresses import check_url
from core.library.sync.connector import Access, Connector, Kind, make_changed_error
from core.library.sync.files.connector import FileChoice, FileConnector
from core.library.sync.files.settings import FileSettings, RelativePath
from core.library.sync.files.store import LINK, SUBMODULE, Entry, PassedOver, StoredFile, refuse_pointer, walk
from core.library.sync.proposing import ChangeWay, TakesChanges
from core.library.sync.services.changed_files import RepositoryChanges
from core.library.sync.services.client import read_secret
from core.library.sync.services.git_changes import GitBranches
from core.library.sync.services.git_repository import (
    FOLDER_MODE,
    LINK_MODE,
    LOCAL,
    SUBMODULE_MODE,
    GitAddress,
    GitRepository,
    find_commit,
    find_object,
    translate_errors,
)
from core.library.sync.services.merge_requests import GiteaRequests, GitLabRequests, MergeRequests, build_api

if TYPE_CHECKING:
    from dulwich.object_store import BaseObjectStore
    from dulwich.objects import ObjectID, Tree

_ANY_USER = "footnote"  # servers that take a token as the password do not look at the name, but want one


class GitSettings(FileSettings):
    """The repository to read, its branch and folder."""

    address: str = Field(
        title="Address of the repository",
        description="As in https://git.example.com/team/handbook.git, or file:///srv/git/handbook.git for one in a "
        "folder of this machine that the installation allows.",
    )
    branch: str = Field(
        default="",
        pattern=r"^[^\s:?*~^\\\[]*$",
        title="Branch",
        description="Empty: the one that the repository calls HEAD.",
    )
    path: RelativePath = Field(
        default="", title="Folder", description="A folder of the repository, such as docs. Empty: all of it."
    )
    user: str = Field(
        default="",
        title="User name",
        description="With a token as the password, most servers take any name. Empty: everybody may read it.",
    )
    max_repository_mb: int = Field(
        default=1000,
        ge=1,
        le=20_000,
        title="Largest repository (MB)",
        description="More is not fetched. It is the newest commit of the branch alone, without its history.",
    )

    changes: Literal["none", "branch", "gitlab", "gitea"] = Field(
        default="none",
        title="Proposed changes",
        description="Whether people may propose changes of these documents: none; a branch alone, which somebody "
        "merges by hand; a branch with a merge request on a GitLab server (gitlab), or with a pull request on a Gitea "
        "or Forgejo server (gitea). All but none need the token for proposed changes, except in a folder of this "
        "machine.",
    )

    @field_validator("address")
    @classmethod
    def _check_address(cls, address: str) -> str:
        if address.startswith(f"{LOCAL}/"):
            return address.rstrip("/")
        try:
            return check_url(address).rstrip("/")
        except UnsafeUrlError as error:
            raise ValueError(f"{error.message} A path begins with file:///, and SSH is not spoken.") from error

    @model_validator(mode="after")
    def _check_changes(self) -> "GitSettings":
        has_server = not self.address.startswith(LOCAL)
        if self.changes in {"gitlab", "gitea"} and not (has_server and "/" in urlsplit(self.address).path.strip("/")):
            raise ValueError(
                "A merge request needs the address of a repository on such a server, as in "
                "https://git.example.com/team/handbook.git. For others, choose a branch alone."
            )
        return self


class _Git:
    """Files of the newest commit of a branch.

    The commit is fetched once, and again when current content is needed and the branch has another commit; fetched
    files are removed with this object.
    """

    def __init__(self, given: GitSettings, password: str, access: Access) -> None:
        self._given = given
        self._access = access
        self._repository = _open_repository(given, given.user, password, access)
        self._fetched: tuple[BaseObjectStore, Tree] | None = None
        self._commit: ObjectID | None = None  # that was fetched

    def files(self, passed_over: PassedOver) -> Iterator[StoredFile | LeftOut]:
        """Return all files below the folder."""
        return walk(self._list_entries, passed_over)

    def _list_entries(self, path: str) -> list[Entry]:
        from dulwich.objects import Tree

        with translate_errors():
            objects, root = self._fetch_objects()
            tree = objects[find_object(objects, root, path)] if path else root
        if not isinstance(tree, Tree):
            raise GoneError
        return [_make_entry(name.decode("utf-8", "surrogateescape"), mode, sha) for name, mode, sha in tree.iteritems()]

    def pieces(self, path: str, fingerprint: str) -> Iterator[bytes]:
        """Yield the content in the commit that was fetched; of what was not listed, in the newest one."""
        from dulwich.objects import Blob

        with translate_errors():
            if not fingerprint:
                self._catch_up()
            objects, root = self._fetch_objects()
            sha = find_object(objects, root, path)
            if fingerprint and sha.decode("ascii") != fingerprint:
                raise make_changed_error(path)
            try:
                blob = objects[sha]
            except KeyError:  # the server was asked to leave out what is too large
                raise make_too_large_error(path, self._access.max_mb) from None
        if not isinstance(blob, Blob):
            raise GoneError(f"{path} is no file any more.")
        yield from refuse_pointer(path, iter([blob.data]))

    def fingerprint_of(self, path: str) -> str:
        """Return the id of the content in the branch's newest commit."""
        with translate_errors():
            self._catch_up()
            objects, root = self._fetch_objects()
            return find_object(objects, root, path, is_file=True).decode("ascii")

    def _catch_up(self) -> None:
        """Forget what was fetched if the branch has another commit now."""
        if self._fetched is None:
            return
        if not self._repository.is_local and self._repository.find_newest(self._given.branch) == self._commit:
            return
        self._repository.remove_fetched()
        self._fetched = None

    def _fetch_objects(self) -> "tuple[BaseObjectStore, Tree]":
        """Return the objects of the commit, and the tree of the folder."""
        if self._fetched is None:
            objects, self._commit = self._repository.fetch(self._given.branch)
            self._fetched = objects, self._find_folder(objects, self._commit)
        return self._fetched

    def _find_folder(self, objects: "BaseObjectStore", commit: "ObjectID") -> "Tree":
        from dulwich.objects import Tree

        found = objects[find_commit(objects, commit).tree]
        try:
            if self._given.path and isinstance(found, Tree):
                found = objects[find_object(objects, found, self._given.path)]
        except GoneError:
            found = objects[commit]
        if not isinstance(found, Tree):
            raise SourceError(f"The repository has no folder {self._given.path} in this branch.")
        return found


def _make_entry(name: str, mode: int, sha: "ObjectID") -> Entry:
    left_out = {LINK_MODE: LINK, SUBMODULE_MODE: SUBMODULE}.get(mode, "")
    return Entry(name=name, fingerprint=sha.decode("ascii"), is_folder=mode == FOLDER_MODE, left_out=left_out)


def _open_repository(given: GitSettings, user: str, password: str, access: Access) -> GitRepository:
    address = GitAddress(address=given.address, user=user, password=password, max_repository_mb=given.max_repository_mb)
    return GitRepository(address, access)


def _connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    given = GitSettings.model_validate(settings)
    return FileConnector(_Git(given, secrets.get("password", ""), access), given, access)


def _find_way(settings: BaseModel) -> ChangeWay | None:
    changes = GitSettings.model_validate(settings).changes
    if changes == "none":
        return None
    return ChangeWay.BRANCH if changes == "branch" else ChangeWay.MERGE_REQUEST


def _connect_for_changes(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> TakesChanges:
    given = GitSettings.model_validate(settings)
    token = (
        "" if given.address.startswith(LOCAL) else read_secret(secrets, "change_token", "token for proposed changes")
    )
    repository = _open_repository(given, given.user or _ANY_USER, token, access)
    return RepositoryChanges(
        GitBranches(repository, given.branch),
        _build_requests(given, token, access),
        folder=given.path,
        is_listed=FileChoice(given).is_listed,
        max_mb=access.max_mb,
    )


def _build_requests(given: GitSettings, token: str, access: Access) -> MergeRequests | None:
    """Return the requests of the repository, whose path on the server is that of its address."""
    address = urlsplit(given.address)
    origin, path = f"{address.scheme}://{address.netloc}", unquote(address.path).strip("/").removesuffix(".git")
    if given.changes == "gitlab":
        api = build_api(
            access,
            f"{origin}/api/v4",
            f"/projects/{quote(path, safe='')}",
            credentials={"PRIVATE-TOKEN": token},
            rights="the scopes api and write_repository, and the role Developer",
        )
        return GitLabRequests(api, given.branch)
    if given.changes == "gitea":
        above, owner, name = ["", *path.rsplit("/", 2)][-3:]
        api = build_api(
            access,
            f"{origin}/{quote(above)}".rstrip("/") + "/api/v1",
            f"/repos/{quote(owner)}/{quote(name)}",
            credentials={"Authorization": f"token {token}"},
            rights="the scope write:repository",
        )
        return GiteaRequests(api, given.branch)
    return None


KIND = Kind(
    name="git",
    label="Git repository",
    help="The files of one branch of a Git repository, over http and https, or in a folder of the worker's machine. "
    "The newest commit is fetched for each run and removed afterwards.",
    settings=GitSettings,
    connect=_connect,
    secrets={
        "password": "Password or token",
        "change_token": "Token for proposed changes, which may write to the repository",
    },
    destination=("address",),
    per_minute=0,
    tells_readers=True,
    find_way=_find_way,
    connect_for_changes=_connect_for_changes,
)
