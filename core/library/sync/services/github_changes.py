"""Make branches in a repository on GitHub, by its REST API for the objects of Git.

A branch is made of a finished commit, so that there is none without its change, however an attempt ends.

https://docs.github.com/en/rest/git
"""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from core.errors import SourceError, SourceRefusedError
from core.library.sync.services.answers import items, text
from core.library.sync.services.changed_files import FOLDER_MODE, Edit, Tip, TreeEntry
from core.library.sync.services.merge_requests import RepositoryApi
from core.values.sizes import MEGABYTE

_AUTHOR = {"name": "Footnote", "email": "footnote@localhost"}


class GitHubBranches:
    """The branches of a repository."""

    def __init__(self, api: RepositoryApi, branch: str, *, max_mb: int) -> None:
        """Take a repository. branch: that the source reads; "" for its main one. max_mb: of a file."""
        self._api = api
        self._branch = branch
        self._max_mb = max_mb

    def check(self) -> None:
        """Leave it to the check of the requests: GitHub has one permission for both."""

    def find_tip(self, branch: str) -> Tip | None:
        """Return the newest commit of a branch."""
        name = branch or self._branch or self._api.read_default_branch()
        found = self._api.read(f"/git/ref/heads/{quote(name)}")
        if found is None:
            if branch:
                return None
            raise SourceError(f"The repository has no branch {name}.")
        commit = text(found, "object", "sha")
        about = self._api.read(f"/git/commits/{quote(commit, safe='')}") or {}
        return Tip(commit=commit, tree=self._require(about, "tree", "sha"))

    def is_there(self, branch: str) -> bool:
        """Ask for a branch alone."""
        return self._api.read(f"/git/ref/heads/{quote(branch)}") is not None

    def list_tree(self, tree: str) -> Mapping[str, TreeEntry]:
        """Return the entries of a folder."""
        found = self._api.read(f"/git/trees/{quote(tree, safe='')}") or {}
        if found.get("truncated"):
            raise SourceError("A folder on the way to the file has more in it than GitHub lists. Split it.")
        entries = {}
        for one in items(found, "tree"):
            mode = FOLDER_MODE if one.get("type") == "tree" else int(self._require(one, "mode"), 8)
            entries[text(one, "path")] = TreeEntry(mode=mode, id=self._require(one, "sha"))
        return entries

    def read_blob(self, blob: str) -> bytes | None:
        """Return the content of a file, which comes in the letters of base64."""
        found = self._api.read(f"/git/blobs/{quote(blob, safe='')}") or {}
        size = found.get("size")
        if isinstance(size, int) and size > self._max_mb * MEGABYTE:
            return None
        try:
            return b64decode(text(found, "content"))
        except ValueError:
            raise SourceError(f"{self._api.server} does not answer as GitHub does. Check the address.") from None

    def push(self, edit: Edit) -> bool:
        """Make a commit of one file, and a branch of it."""
        blob = self._make("/git/blobs", {"content": b64encode(edit.content).decode(), "encoding": "base64"})
        entry = {"path": "/".join(edit.path), "mode": f"{edit.mode:06o}", "type": "blob", "sha": blob}
        tree = self._make("/git/trees", {"base_tree": edit.parent.tree, "tree": [entry]})
        commit = self._make(
            "/git/commits",
            {
                "message": edit.message,
                "tree": tree,
                "parents": [edit.parent.commit],
                "author": _AUTHOR,
                "committer": _AUTHOR,
            },
        )
        if self._api.write("/git/refs", {"ref": f"refs/heads/{edit.branch}", "sha": commit}) is not None:
            return True
        if self.is_there(edit.branch):
            return False
        raise SourceRefusedError(
            f"{self._api.server} refuses the branch {edit.branch}. Let the token's account make branches named "
            "footnote/*, if rules of the repository forbid it."
        )

    def _make(self, asked: str, content: Mapping[str, object]) -> str:
        """Make an object of Git and return its id."""
        made = self._api.write(asked, content)
        if made is None:
            raise SourceError(f"{self._api.server} does not take the change. It is tried again.")
        return self._require(made, "sha")

    def _require(self, found: Mapping[str, Any], *names: str) -> str:
        value = text(found, *names)
        if not value.isalnum():
            raise SourceError(f"{self._api.server} does not answer as GitHub does. Check the address of the API.")
        return value
