"""Make branches in a Git repository, over http and https or in a folder of this machine."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from core.errors import SourceError
from core.library.sync.services.changed_files import FOLDER_MODE, Edit, Tip, TreeEntry
from core.library.sync.services.git_repository import GitRepository, find_commit, translate_errors

if TYPE_CHECKING:
    from dulwich.object_store import BaseObjectStore
    from dulwich.objects import ObjectID, Tree

_AUTHOR = b"Footnote <footnote@localhost>"


class GitBranches:
    """The branches of a repository."""

    def __init__(self, repository: GitRepository, branch: str) -> None:
        """Take a repository. branch: that the source reads; "" for the repository's HEAD."""
        self._repository = repository
        self._branch = branch
        self._objects: BaseObjectStore | None = None  # of the branch that was found last

    def check(self) -> None:
        """Ask whether the repository can be written to."""
        with _translate():
            self._repository.check_writing()

    def find_tip(self, branch: str) -> Tip | None:
        """Fetch the newest commit of a branch."""
        with _translate():
            if branch and self._repository.find_newest(branch) is None:
                return None
            self._objects, newest = self._repository.fetch(branch or self._branch)
            commit = find_commit(self._objects, newest)
        return Tip(commit=commit.id.decode("ascii"), tree=commit.tree.decode("ascii"))

    def is_there(self, branch: str) -> bool:
        """Ask for a branch without fetching it."""
        with _translate():
            return self._repository.find_newest(branch) is not None

    def list_tree(self, tree: str) -> Mapping[str, TreeEntry]:
        """Return the entries of a folder."""
        with _translate():
            return {
                name.decode("utf-8", "surrogateescape"): TreeEntry(mode=mode, id=sha.decode("ascii"))
                for name, mode, sha in self._find_tree(_encode_id(tree)).iteritems()
            }

    def read_blob(self, blob: str) -> bytes | None:
        """Return the content of a file, unless the server was asked to leave it out."""
        objects = self._find_objects()
        try:
            return objects[_encode_id(blob)].as_raw_string()
        except KeyError:
            return None

    def push(self, edit: Edit) -> bool:
        """Make a commit of one file, and a branch of it."""
        from dulwich.objects import Blob, Commit

        with _translate():
            blob = Blob.from_string(edit.content)
            path = [name.encode() for name in edit.path]
            trees = self._write_trees(self._find_tree(_encode_id(edit.parent.tree)), path, edit.mode, blob.id)
            commit = Commit()
            commit.tree = trees[-1].id
            commit.parents = [_encode_id(edit.parent.commit)]
            commit.author = commit.committer = _AUTHOR
            commit.author_time = commit.commit_time = int(time.time())
            commit.author_timezone = commit.commit_timezone = 0
            commit.message = edit.message.encode()
            return self._repository.push(edit.branch, commit.id, [commit, *trees, blob])

    def _write_trees(self, tree: "Tree", path: Sequence[bytes], mode: int, blob: "ObjectID") -> "list[Tree]":
        """Return the folders on the way to a file, each with its new content, the outermost last."""
        from dulwich.objects import Tree

        name, *below = path
        written: list[Tree] = []
        if below:
            under = self._find_tree(tree[name][1]) if name in tree else Tree()
            written = self._write_trees(under, below, mode, blob)
            mode, blob = FOLDER_MODE, written[-1].id
        changed = Tree()
        for entry in tree.iteritems():
            changed.add(*entry)
        changed.add(name, mode, blob)
        return [*written, changed]

    def _find_tree(self, tree: "ObjectID") -> "Tree":
        from dulwich.objects import Tree

        found = self._find_objects()[tree]
        if not isinstance(found, Tree):
            raise SourceError("The repository has something else in the place of a folder.")
        return found

    def _find_objects(self) -> "BaseObjectStore":
        if self._objects is None:
            raise LookupError("No branch was fetched yet.")
        return self._objects


def _encode_id(found: str) -> "ObjectID":
    from dulwich.objects import ObjectID

    return ObjectID(found.encode("ascii"))


@contextmanager
def _translate() -> Iterator[None]:
    refused = "The server does not accept the user name with the token for proposed changes. Renew it."
    with translate_errors(refused=refused):
        yield
