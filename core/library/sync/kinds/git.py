"""A branch of a Git repository, fetched over http or https, or read in a folder of this machine."""

import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, Field, field_validator

from core.errors import GoneError, SourceError, SourceRefusedError, UnsafeUrlError
from core.library.ingestion.errors import make_too_large_error
from core.library.ingestion.sources import LeftOut
from core.library.ingestion.sources.addresses import check_url
from core.library.sync.connector import Access, Connector, Kind, make_changed_error
from core.library.sync.files import store
from core.library.sync.files.connector import FileConnector
from core.library.sync.files.settings import FileSettings, RelativePath
from core.library.sync.files.store import LINK, SUBMODULE, Entry, PassedOver, StoredFile, refuse_pointer, walk
from core.library.sync.kinds.folder import locate
from core.values.sizes import MEGABYTE

if TYPE_CHECKING:
    from dulwich.client import HttpGitClient
    from dulwich.object_store import BaseObjectStore
    from dulwich.objects import ObjectID, Tree
    from dulwich.repo import Repo

_LOCAL = "file://"
_FETCHING_S = 1800.0  # for all of a repository
_LINK_MODE = 0o120000
_SUBMODULE_MODE = 0o160000
_FOLDER_MODE = 0o040000


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

    @field_validator("address")
    @classmethod
    def _check_address(cls, address: str) -> str:
        if address.startswith(f"{_LOCAL}/"):
            return address.rstrip("/")
        try:
            return check_url(address).rstrip("/")
        except UnsafeUrlError as error:
            raise ValueError(f"{error.message} A path begins with file:///, and SSH is not spoken.") from error


class _Git:
    """Files of the newest commit of a branch.

    The commit is fetched once, and again when current content is needed and the branch has another commit; fetched
    files are removed with this object.
    """

    def __init__(self, given: GitSettings, password: str, access: Access) -> None:
        self._given = given
        self._password = password
        self._access = access
        self._fetched: tuple[BaseObjectStore, Tree] | None = None
        self._commit: ObjectID | None = None  # that was fetched
        self._removals: list[Callable[[], object]] = []  # of what was fetched

    def files(self, passed_over: PassedOver) -> Iterator[StoredFile | LeftOut]:
        """Return all files below the folder."""
        return walk(self._list_entries, passed_over)

    def _list_entries(self, path: str) -> list[Entry]:
        from dulwich.objects import Tree

        with _translate_errors():
            objects, root = self._fetch_objects()
            tree = objects[_find_object(objects, root, path)] if path else root
        if not isinstance(tree, Tree):
            raise GoneError
        return [_make_entry(name.decode("utf-8", "surrogateescape"), mode, sha) for name, mode, sha in tree.iteritems()]

    def pieces(self, path: str, fingerprint: str) -> Iterator[bytes]:
        """Yield the content in the commit that was fetched; of what was not listed, in the newest one."""
        from dulwich.objects import Blob

        with _translate_errors():
            if not fingerprint:
                self._catch_up()
            objects, root = self._fetch_objects()
            sha = _find_object(objects, root, path)
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
        with _translate_errors():
            self._catch_up()
            objects, root = self._fetch_objects()
            return _find_object(objects, root, path, is_file=True).decode("ascii")

    def _catch_up(self) -> None:
        """Forget what was fetched if the branch has another commit now."""
        if self._fetched is None:
            return
        if not self._given.address.startswith(_LOCAL) and self._ask_newest() == self._commit:
            return
        for remove in self._removals:
            remove()
        self._fetched, self._removals = None, []

    def _fetch_objects(self) -> "tuple[BaseObjectStore, Tree]":
        """Return the objects of the commit, and the tree of the folder."""
        if self._fetched is None:
            address = self._given.address
            objects, self._commit = self._open_local() if address.startswith(_LOCAL) else self._fetch_remote()
            self._fetched = objects, self._find_folder(objects, self._commit)
        return self._fetched

    def _find_folder(self, objects: "BaseObjectStore", commit: "ObjectID") -> "Tree":
        from dulwich.objects import Commit, Tag, Tree

        found = objects[commit]
        while isinstance(found, Tag):
            found = objects[found.object[1]]
        tree = objects[found.tree] if isinstance(found, Commit) else found
        try:
            if self._given.path and isinstance(tree, Tree):
                tree = objects[_find_object(objects, tree, self._given.path)]
        except GoneError:
            tree = found
        if not isinstance(tree, Tree):
            raise SourceError(f"The repository has no folder {self._given.path} in this branch.")
        return tree

    def _open_local(self) -> "tuple[BaseObjectStore, ObjectID]":
        from dulwich.errors import NotGitRepository
        from dulwich.repo import Repo

        path = unquote(self._given.address.removeprefix(_LOCAL))
        allowed, parts = locate(path, self._access)
        self._access.pause()
        try:
            repository = Repo(str(allowed.joinpath(*parts)))
        except (NotGitRepository, OSError) as error:
            raise SourceError(f"{path} is no Git repository that can be read.") from error
        self._removals.append(weakref.finalize(self, repository.close))
        objects = repository.object_store
        # A repository may keep its objects elsewhere: no further than what is allowed.
        for place in (repository.controldir(), repository.commondir(), objects.path, objects.pack_dir):
            locate(str(place), self._access)
        if objects.alternates:
            raise SourceError(f"{path} shares the objects of another repository. Name that one, or clone it in full.")
        return objects, _choose_ref(dict(repository.get_refs()), self._given.branch)

    def _fetch_remote(self) -> "tuple[BaseObjectStore, ObjectID]":
        from dulwich.repo import Repo

        folder = Path(tempfile.mkdtemp(prefix="footnote-git-"))
        removal = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        repository = Repo.init_bare(str(folder))
        self._removals += [weakref.finalize(self, repository.close), removal]
        file, commit, abort = repository.object_store.add_pack()
        try:
            with _open_pool(self._access, self._given.max_repository_mb + store.LISTING_MB) as pool:
                wanted = self._fetch_pack(repository, file.write, pool)
        except BaseException:
            abort()
            raise
        commit()
        return repository.object_store, wanted

    def _ask_newest(self) -> "ObjectID":
        """Return the newest commit of the branch."""
        with _open_pool(self._access, store.LISTING_MB) as pool:
            path = urlsplit(self._given.address).path
            refs = self._make_client(pool).get_refs(path, ref_prefix=_list_prefixes(self._given.branch)).refs
        return _choose_ref({name: found for name, found in refs.items() if found}, self._given.branch)

    def _fetch_pack(self, repository: "Repo", write: Callable[[bytes], int], pool: Any) -> "ObjectID":
        wanted: list[ObjectID] = []
        client = self._make_client(pool)

        def choose(refs: "Mapping[Any, ObjectID]", depth: int | None = None) -> "list[ObjectID]":
            if client.dumb:
                raise SourceError("The server speaks only Git's old protocol for plain files, which is not read.")
            wanted.append(_choose_ref(refs, self._given.branch))
            return wanted

        client.fetch_pack(
            urlsplit(self._given.address).path,
            choose,
            repository.get_graph_walker(),
            _bound_writing(write, self._given.max_repository_mb),
            depth=1,
            ref_prefix=_list_prefixes(self._given.branch),
            filter_spec=f"blob:limit={self._access.max_mb * MEGABYTE + 1}".encode(),
        )
        return wanted[0]

    def _make_client(self, pool: Any) -> "HttpGitClient":
        from dulwich.client import HttpGitClient

        address = urlsplit(self._given.address)
        return HttpGitClient(
            f"{address.scheme}://{address.netloc}",
            pool_manager=pool,
            username=self._given.user or None,
            password=self._password or None,
            quiet=True,
        )


@contextmanager
def _open_pool(access: Access, most_mb: int) -> Iterator[Any]:
    """Yield a pool whose connections go to checked addresses, and whose requests wait and are not led elsewhere.

    most_mb: of one answer.
    """
    import urllib3

    from core.library.sync.files.guarded_pools import AnswerBounds, guard

    answers: list[urllib3.BaseHTTPResponse] = []

    class Pool(urllib3.PoolManager):
        def urlopen(self, method: str, url: str, *_none: Any, **options: Any) -> urllib3.BaseHTTPResponse:
            access.pause()
            answers.append(super().urlopen(method, url, **{**options, "redirect": False}))
            if answers[-1].status == 403:
                raise SourceRefusedError("The server does not let this user read the repository.")
            if answers[-1].status in {301, 302, 303, 307, 308}:
                raise SourceError("The repository has another address now. Enter that one.")
            return answers[-1]

    pool = Pool(timeout=urllib3.Timeout(store.ANSWER_S), retries=False, headers={"User-Agent": "git/footnote"})
    guard(pool, access.addresses_of, AnswerBounds(most_mb=most_mb, seconds=_FETCHING_S))
    try:
        yield pool
    finally:
        for answer in answers:  # dulwich leaves open what it does not read to its end
            answer.close()
        pool.clear()


def _bound_writing(write: Callable[[bytes], int], most_mb: int) -> Callable[[bytes], int]:
    deadline = time.monotonic() + _FETCHING_S
    received = 0

    def write_some(piece: bytes) -> int:
        nonlocal received
        received += len(piece)
        if received > most_mb * MEGABYTE:
            raise SourceError(f"The repository is larger than {most_mb} MB. Raise the limit, or split it.")
        if time.monotonic() > deadline:
            raise SourceError(f"The repository could not be fetched within {_FETCHING_S / 60:.0f} minutes.")
        return write(piece)

    return write_some


def _list_prefixes(branch: str) -> Sequence[bytes]:
    return [f"refs/heads/{branch}".encode()] if branch else [b"HEAD"]


def _choose_ref(refs: "Mapping[Any, ObjectID]", branch: str) -> "ObjectID":
    name = f"refs/heads/{branch}".encode() if branch else b"HEAD"
    if name not in refs:
        raise SourceError(f"The repository has no branch {branch}." if branch else "The repository has no commit yet.")
    return refs[name]


def _find_object(objects: "BaseObjectStore", tree: "Tree", path: str, *, is_file: bool = False) -> "ObjectID":
    """The id of what is at a path. GoneError when nothing is, or no file where it has to be one."""
    from dulwich.objects import Tree

    parts = path.encode("utf-8", "surrogateescape").split(b"/")
    found: Any = tree
    for place, part in enumerate(parts, start=1):
        if not isinstance(found, Tree) or part not in found:
            raise GoneError(f"{path} is no longer there.")
        mode, sha = found[part]
        if place == len(parts):
            if mode in {_LINK_MODE, _SUBMODULE_MODE} or (is_file and mode == _FOLDER_MODE):
                raise GoneError(f"{path} is no file any more.")
            return sha
        found = objects[sha] if mode == _FOLDER_MODE else None
    raise GoneError(f"{path} is no longer there.")


def _make_entry(name: str, mode: int, sha: "ObjectID") -> Entry:
    left_out = {_LINK_MODE: LINK, _SUBMODULE_MODE: SUBMODULE}.get(mode, "")
    return Entry(name=name, fingerprint=sha.decode("ascii"), is_folder=mode == _FOLDER_MODE, left_out=left_out)


@contextmanager
def _translate_errors() -> Iterator[None]:
    import zlib

    import urllib3.exceptions
    from dulwich.client import HTTPProxyUnauthorized, HTTPUnauthorized
    from dulwich.errors import FileFormatException, GitProtocolError, NotGitRepository

    try:
        yield
    except (HTTPUnauthorized, HTTPProxyUnauthorized):
        raise SourceRefusedError("The server does not accept the user name and password.") from None
    except NotGitRepository:
        raise SourceError("There is no Git repository at this address, or this user may not read it.") from None
    except (
        GitProtocolError,
        FileFormatException,
        urllib3.exceptions.HTTPError,
        zlib.error,
        AssertionError,
        KeyError,
        OSError,
        ValueError,
    ):  # their text may hold addresses, and dulwich reports wrong data in many ways
        raise SourceError("The server does not answer, or not as Git does. Check the address.") from None


def _connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    given = GitSettings.model_validate(settings)
    return FileConnector(_Git(given, secrets.get("password", ""), access), given, access)


KIND = Kind(
    name="git",
    label="Git repository",
    help="The files of one branch of a Git repository, over http and https, or in a folder of the worker's machine. "
    "The newest commit is fetched for each run and removed afterwards.",
    settings=GitSettings,
    connect=_connect,
    secrets={"password": "Password or token"},
    destination=("address",),
    per_minute=0,
    tells_readers=True,
)
