"""Fetch and push branches of a Git repository: over http and https, or in a folder of this machine."""

import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from core.errors import GoneError, SourceError, SourceRefusedError
from core.library.sync.connector import Access
from core.library.sync.files import store
from core.values.sizes import MEGABYTE

if TYPE_CHECKING:
    from dulwich.client import HttpGitClient
    from dulwich.object_store import BaseObjectStore
    from dulwich.objects import Commit, ObjectID, ShaFile, Tree
    from dulwich.refs import Ref
    from dulwich.repo import Repo

LOCAL = "file://"
LINK_MODE = 0o120000
SUBMODULE_MODE = 0o160000
FOLDER_MODE = 0o040000
_FETCHING_S = 1800.0  # for all of a repository
_MAY_NOT_READ = "The server does not let this user read the repository."
_MAY_NOT_WRITE = (
    "The server does not let the token for proposed changes write to the repository. Give it that right, or enter "
    "another token."
)
_IS_EFFECTIVE = os.access in os.supports_effective_ids  # the account that would write


@dataclass(frozen=True, kw_only=True, slots=True)
class GitAddress:
    """Holds where a repository is, who asks for it, and how much of it is fetched."""

    address: str  # of http, https or file
    user: str
    password: str = field(repr=False)
    max_repository_mb: int


class GitRepository:
    """A repository of which one branch at a time is fetched.

    Only the newest commit is fetched, without its history. It is removed with this object, or before the next fetch.
    """

    def __init__(self, given: GitAddress, access: Access) -> None:
        self._given = given
        self._access = access
        self._removals: list[Callable[[], object]] = []  # of what was fetched

    @property
    def is_local(self) -> bool:
        """True for a repository in a folder of this machine, which is read where it is."""
        return self._given.address.startswith(LOCAL)

    def fetch(self, branch: str) -> "tuple[BaseObjectStore, ObjectID]":
        """Return the objects of a branch and its newest commit. branch: "" for the repository's HEAD.

        What was fetched before is removed. SourceError when there is no such branch.
        """
        self.remove_fetched()
        if self.is_local:
            repository = self._open_local()
            return repository.object_store, _choose_ref(dict(repository.get_refs()), branch)
        return self._fetch_remote(branch)

    def remove_fetched(self) -> None:
        """Remove what was fetched."""
        for remove in self._removals:
            remove()
        self._removals = []

    def find_newest(self, branch: str) -> "ObjectID | None":
        """Ask for the newest commit of a branch; None when there is no such branch. branch: as of `fetch`."""
        name = _name_ref(branch)
        if self.is_local:
            return dict(self._open_local().get_refs()).get(name)
        with _open_pool(self._access, store.LISTING_MB) as pool:
            found = self._make_client(pool).get_refs(urlsplit(self._given.address).path, ref_prefix=[name]).refs
        return found.get(name)

    def push(self, branch: str, commit: "ObjectID", made: "Sequence[ShaFile]") -> bool:
        """Make a branch of a commit; False when there is a branch of that name already, which stays as it is.

        made: the objects that the repository does not have, the commit among them. SourceRefusedError when the branch
        is refused.
        """
        if self.is_local:
            return self._write_local(branch, commit, made)
        return self._push_remote(branch, commit, made)

    def check_writing(self) -> None:
        """Ask for the branches as who is about to push. SourceRefusedError when that is refused. Nothing is written."""
        if self.is_local:
            self._check_folders()
            return
        from dulwich.pack import pack_objects_to_data

        with _open_pool(self._access, store.LISTING_MB, refused=_MAY_NOT_WRITE) as pool:
            client = self._make_client(pool)

            def keep(refs: "dict[Ref, ObjectID]") -> "dict[Ref, ObjectID]":
                if client.dumb:  # it serves files, and takes none
                    raise SourceRefusedError(_MAY_NOT_WRITE)
                return {}

            path = urlsplit(self._given.address).path
            client.send_pack(path, keep, lambda have, want, **options: pack_objects_to_data([]))

    def _check_folders(self) -> None:
        """Look whether this process may write where a local repository has its objects and branches."""
        repository = self._open_local()
        branches = self._locate_branches(repository)
        # The last one is there when a branch was made before: all of ours are below it.
        for folder in (Path(repository.object_store.path), branches, branches / "footnote"):
            if folder.exists() and not os.access(folder, os.W_OK | os.X_OK, effective_ids=_IS_EFFECTIVE):
                raise SourceRefusedError(
                    "No branch can be made: this account of the system may not write to the repository. Let the "
                    "account of the worker write to its folder."
                )

    def _locate_branches(self, repository: "Repo") -> Path:
        """Return the folder of the branches. SourceError for a link in its place, which may lead anywhere."""
        folder = Path(repository.commondir(), "refs")
        for place in (folder, folder / "heads"):
            self._access.locate(str(place))
        return folder / "heads"

    def _open_local(self) -> "Repo":
        from dulwich.errors import NotGitRepository
        from dulwich.repo import Repo

        path = unquote(self._given.address.removeprefix(LOCAL))
        allowed, parts = self._access.locate(path)
        self._access.pause()
        try:
            repository = Repo(str(allowed.joinpath(*parts)))
        except (NotGitRepository, OSError) as error:
            raise SourceError(f"{path} is no Git repository that can be read.") from error
        self._removals.append(weakref.finalize(self, repository.close))
        objects = repository.object_store
        # A repository may keep its objects elsewhere: no further than what is allowed.
        for place in (repository.controldir(), repository.commondir(), objects.path, objects.pack_dir):
            self._access.locate(str(place))
        if objects.alternates:
            raise SourceError(f"{path} shares the objects of another repository. Name that one, or clone it in full.")
        return repository

    def _write_local(self, branch: str, commit: "ObjectID", made: "Sequence[ShaFile]") -> bool:
        name = _name_ref(branch)
        repository = self._open_local()
        self._access.pause()
        try:
            self._locate_branches(repository)
            if name in repository.refs:
                return False
            for one in made:
                repository.object_store.add_object(one)
            return repository.refs.add_if_new(name, commit)
        except OSError as error:
            raise SourceRefusedError(
                f"The branch {branch} could not be written. The system says: {error.strerror}. "
                "Let the account of the worker write to the folder of the repository."
            ) from error

    def _push_remote(self, branch: str, commit: "ObjectID", made: "Sequence[ShaFile]") -> bool:
        from dulwich.errors import SendPackError
        from dulwich.pack import pack_objects_to_data

        name = _name_ref(branch)
        refused = (
            f"The server refuses the branch {branch}. Give the token for proposed changes the right to write to the "
            "repository, and let its account make branches named footnote/*, if rules or hooks forbid it."
        )
        is_there = False

        def update(refs: "dict[Ref, ObjectID]") -> "dict[Ref, ObjectID]":
            nonlocal is_there
            is_there = name in refs
            return {} if is_there else {name: commit}

        with _open_pool(self._access, store.LISTING_MB, refused=refused) as pool:
            try:
                answer = self._make_client(pool).send_pack(
                    urlsplit(self._given.address).path,
                    update,
                    lambda have, want, **options: pack_objects_to_data(made),
                )
            except SendPackError:
                raise SourceRefusedError(refused) from None
        if is_there or not (answer.ref_status or {}).get(name):
            return not is_there
        if self.find_newest(branch) is not None:  # another attempt was faster
            return False
        raise SourceRefusedError(refused)

    def _fetch_remote(self, branch: str) -> "tuple[BaseObjectStore, ObjectID]":
        from dulwich.repo import Repo

        folder = Path(tempfile.mkdtemp(prefix="footnote-git-"))
        removal = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        repository = Repo.init_bare(str(folder))
        self._removals += [weakref.finalize(self, repository.close), removal]
        file, commit, abort = repository.object_store.add_pack()
        try:
            with _open_pool(self._access, self._given.max_repository_mb + store.LISTING_MB) as pool:
                wanted = self._fetch_pack(repository, branch, file.write, pool)
        except BaseException:
            abort()
            raise
        commit()
        return repository.object_store, wanted

    def _fetch_pack(self, repository: "Repo", branch: str, write: Callable[[bytes], int], pool: Any) -> "ObjectID":
        wanted: list[ObjectID] = []
        client = self._make_client(pool)

        def choose(refs: "Mapping[Any, ObjectID]", depth: int | None = None) -> "list[ObjectID]":
            if client.dumb:
                raise SourceError("The server speaks only Git's old protocol for plain files, which is not read.")
            wanted.append(_choose_ref(refs, branch))
            return wanted

        client.fetch_pack(
            urlsplit(self._given.address).path,
            choose,
            repository.get_graph_walker(),
            _bound_writing(write, self._given.max_repository_mb),
            depth=1,
            ref_prefix=[_name_ref(branch)],
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
            password=self._given.password or None,
            quiet=True,
        )


@contextmanager
def _open_pool(access: Access, most_mb: int, *, refused: str = _MAY_NOT_READ) -> Iterator[Any]:
    """Yield a pool whose connections go to checked addresses, and whose requests wait and are not led elsewhere.

    most_mb: of one answer. refused: what it means when an answer is forbidden.
    """
    import urllib3

    from core.library.sync.files.guarded_pools import AnswerBounds, guard

    answers: list[urllib3.BaseHTTPResponse] = []

    class Pool(urllib3.PoolManager):
        def urlopen(self, method: str, url: str, *_none: Any, **options: Any) -> urllib3.BaseHTTPResponse:
            access.pause()
            answers.append(super().urlopen(method, url, **{**options, "redirect": False}))
            if answers[-1].status == 403:
                raise SourceRefusedError(refused)
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


def _name_ref(branch: str) -> "Ref":
    from dulwich.refs import Ref

    return Ref(f"refs/heads/{branch}".encode() if branch else b"HEAD")


def _choose_ref(refs: "Mapping[Any, ObjectID]", branch: str) -> "ObjectID":
    name = _name_ref(branch)
    if name not in refs:
        raise SourceError(f"The repository has no branch {branch}." if branch else "The repository has no commit yet.")
    return refs[name]


def find_commit(objects: "BaseObjectStore", named: "ObjectID") -> "Commit":
    """Return the commit that a reference names. SourceError when it names something else."""
    from dulwich.objects import Commit, Tag

    found = objects[named]
    while isinstance(found, Tag):
        found = objects[found.object[1]]
    if not isinstance(found, Commit):
        raise SourceError("The branch names something else than a commit.")
    return found


def find_object(objects: "BaseObjectStore", tree: "Tree", path: str, *, is_file: bool = False) -> "ObjectID":
    """Return the id of what is at a path. GoneError when nothing is, or no file where it has to be one."""
    from dulwich.objects import Tree

    parts = path.encode("utf-8", "surrogateescape").split(b"/")
    found: Any = tree
    for place, part in enumerate(parts, start=1):
        if not isinstance(found, Tree) or part not in found:
            raise GoneError(f"{path} is no longer there.")
        mode, sha = found[part]
        if place == len(parts):
            if mode in {LINK_MODE, SUBMODULE_MODE} or (is_file and mode == FOLDER_MODE):
                raise GoneError(f"{path} is no file any more.")
            return sha
        found = objects[sha] if mode == FOLDER_MODE else None
    raise GoneError(f"{path} is no longer there.")


@contextmanager
def translate_errors(*, refused: str = "The server does not accept the user name and password.") -> Iterator[None]:
    """SourceError for all that keeps a repository from being used. refused: for credentials that are not accepted."""
    import zlib

    import urllib3.exceptions
    from dulwich.client import HTTPProxyUnauthorized, HTTPUnauthorized
    from dulwich.errors import FileFormatException, GitProtocolError, NotGitRepository

    try:
        yield
    except (HTTPUnauthorized, HTTPProxyUnauthorized):
        raise SourceRefusedError(refused) from None
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
