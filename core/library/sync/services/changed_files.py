"""Propose changed and new files of a repository: checked against its newest commit, on branches of their own."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from core.errors import AlreadyThereError, ChangedMeanwhileError, GoneError, IngestionError, UnsupportedFileError
from core.library.ingestion.errors import make_too_large_error
from core.library.sync.files.store import refuse_pointer, why_unfit
from core.library.sync.proposing import Change, ChangeOutcome, SentChange, name_branch
from core.library.sync.services.merge_requests import MergeRequest, MergeRequests
from core.values.sizes import MEGABYTE

FOLDER_MODE = 0o040000
_FILE_MODE = 0o100644
_NO_FILES = frozenset({0o120000, 0o160000, FOLDER_MODE})  # links, other repositories, folders
_LONGEST_NAME = 255  # bytes, on the most common file systems
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, kw_only=True, slots=True)
class Tip:
    """Holds the newest commit of a branch, by its id and that of its tree."""

    commit: str
    tree: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeEntry:
    """Holds an entry of a folder in a commit."""

    mode: int  # of Git
    id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """Holds a commit that is to be made: one file with new content."""

    parent: Tip
    path: tuple[str, ...]  # from the root of the repository
    mode: int
    content: bytes
    message: str
    branch: str  # that is made of it


class Branches(Protocol):
    """A repository of which branches are read and made. Errors as of `TakesChanges`."""

    def check(self) -> None:
        """Return if branches can be made, as far as can be asked; SourceRefusedError otherwise."""

    def find_tip(self, branch: str) -> Tip | None:
        """Return the newest commit of a branch. "": of the branch that the source reads, SourceError without it."""

    def is_there(self, branch: str) -> bool:
        """Return True if there is a branch of that name."""

    def list_tree(self, tree: str) -> Mapping[str, TreeEntry]:
        """Return the entries of a folder of the commit that was found last, by name. tree: its id."""

    def read_blob(self, blob: str) -> bytes | None:
        """Return the content of a file of that commit; None for one that is larger than is read."""

    def push(self, edit: Edit) -> bool:
        """Make a branch; False when there is one of that name already, which stays as it is."""


class RepositoryChanges:
    """Proposes changes of the files in one folder of a repository."""

    def __init__(
        self,
        branches: Branches,
        requests: MergeRequests | None,
        *,
        folder: str,
        is_listed: Callable[[str], bool],
        max_mb: int,
    ) -> None:
        """Take what is asked.

        requests: None for branches alone. folder: "" for all of the repository. is_listed: True for a path below it
        that the source reads. max_mb: of one file.
        """
        self._branches = branches
        self._requests = requests
        self._folder = tuple(folder.split("/")) if folder else ()
        self._is_listed = is_listed
        self._max_mb = max_mb

    def check(self) -> None:
        """Return if branches can be made, and requests to merge them; SourceRefusedError otherwise."""
        self._branches.check()
        if self._requests:
            self._requests.check()

    def propose(self, change: Change) -> SentChange:
        """Make the branch of a change, and the request to merge it, as far as an earlier attempt has not made them."""
        path = self._folder + _split_key(change.key)
        if change.is_new and not self._is_listed(change.key):
            raise IngestionError(
                f"The source does not read a file called {change.key}: it is of another kind, or left out by the "
                "settings. Choose another name, such as one that ends in .md."
            )
        branch = name_branch(change.proposal_id)
        request = None
        if not self._branches.is_there(branch):
            request = self._requests.find(branch) if self._requests else None
            tip = self._find_read_tip()
            entry = _find_entry(self._branches, tip, path, change.key, is_new=change.is_new)
            content = self._encode(change, entry)
            fingerprint = _hash_blob(content)
            # An earlier attempt was decided already, and its branch removed; or the file has this text anyway.
            if request or (entry and entry.id == fingerprint):
                return _describe(change, branch, request, fingerprint)
            _check_entry(change, entry)
            edit = Edit(
                parent=tip,
                path=path,
                mode=entry.mode if entry else _FILE_MODE,
                content=content,
                message=_write_message(change),
                branch=branch,
            )
            if self._branches.push(edit):
                request = self._requests.create(branch, change.title, change.description) if self._requests else None
                return _describe(change, branch, request, fingerprint)
        if self._requests:
            request = self._requests.find(branch) or self._requests.create(branch, change.title, change.description)
        return _describe(change, branch, request, self._find_fingerprint(branch, path))

    def find_outcome(self, sent: SentChange) -> ChangeOutcome:
        """Return the outcome of the request; of a branch alone, as far as the files of the source show it."""
        if self._requests and sent.number:
            request = self._requests.look_up(sent.number)
            return request.outcome if request else ChangeOutcome.DECLINED
        path = self._folder + _split_key(sent.item_key)
        if sent.fingerprint and self._find_fingerprint("", path) == sent.fingerprint:
            return ChangeOutcome.MERGED
        return ChangeOutcome.UNKNOWN if self._branches.is_there(sent.branch) else ChangeOutcome.DECLINED

    def _find_read_tip(self) -> Tip:
        tip = self._branches.find_tip("")
        if tip is None:
            raise GoneError("The branch that the source reads is not there any more.")
        return tip

    def _find_fingerprint(self, branch: str, path: tuple[str, ...]) -> str:
        """Return the id of a file in a branch; "" when the branch has no such file."""
        tip = self._branches.find_tip(branch)
        try:
            entry = _find_entry(self._branches, tip, path, "/".join(path), is_new=False) if tip else None
        except GoneError:
            return ""
        return entry.id if entry and entry.mode not in _NO_FILES else ""

    def _encode(self, change: Change, entry: TreeEntry | None) -> bytes:
        present = b""
        if entry is not None and entry.mode not in _NO_FILES:
            found = self._branches.read_blob(entry.id)
            if found is None or len(found) > self._max_mb * MEGABYTE:
                raise make_too_large_error(change.key, self._max_mb)
            present = b"".join(refuse_pointer(change.key, iter([found])))
        content = _encode_like(change.text, present, change.key)
        if len(content) > self._max_mb * MEGABYTE:
            raise make_too_large_error(change.key, self._max_mb)
        return content


def _split_key(key: str) -> tuple[str, ...]:
    """Return the names in a key. IngestionError for a path that is no document's, or that Git would not check out."""
    from dulwich.index import validate_path_element_hfs, validate_path_element_ntfs

    parts = tuple(key.split("/"))
    if why_unfit(key) or "\\" in key or any(part.startswith(".") for part in parts):
        raise IngestionError("A change needs the path of a document in the source. Hidden files are none.")
    for part in parts:
        name = part.encode()
        is_valid = validate_path_element_hfs(name) and validate_path_element_ntfs(name)
        if not is_valid or len(name) > _LONGEST_NAME:
            raise IngestionError(f"No file can be called {key} in a repository. Choose another name.")
    return parts


def _find_entry(branches: Branches, tip: Tip, path: tuple[str, ...], key: str, *, is_new: bool) -> TreeEntry | None:
    """Return what is at a path, if anything is, reached through folders alone.

    GoneError when the way leads through anything else, AlreadyThereError when a new file would have to take its place.
    key: for people.
    """
    entry: TreeEntry | None = TreeEntry(mode=FOLDER_MODE, id=tip.tree)
    for name in path:
        if entry is None:
            return None
        if entry.mode != FOLDER_MODE:
            raise AlreadyThereError if is_new else GoneError(f"{key} is no longer there.")
        entry = branches.list_tree(entry.id).get(name)
    return entry


def _check_entry(change: Change, entry: TreeEntry | None) -> None:
    if change.is_new:
        if entry is not None:
            raise AlreadyThereError(f"There is something called {change.key} already. Choose another name.")
    elif entry is None or entry.mode in _NO_FILES:
        raise GoneError(f"{change.key} is no longer there.")
    elif entry.id != change.fingerprint:
        raise ChangedMeanwhileError(
            f"{change.key} was changed at the source since this text was written for it. Write the change for its new "
            "text."
        )


def _encode_like(text: str, present: bytes, key: str) -> bytes:
    """Return a text in UTF-8, with the line endings and the byte order mark of a present file. key: for people."""
    try:
        present.decode()
    except UnicodeDecodeError:
        raise UnsupportedFileError(f"{key} is not text in UTF-8, so no change of it can be proposed.") from None
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if 2 * present.count(b"\r\n") > present.count(b"\n"):
        lines = lines.replace("\n", "\r\n")
    return (_BOM if present.startswith(_BOM) else b"") + lines.encode()


def _hash_blob(content: bytes) -> str:
    """Return the id that Git gives to a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _write_message(change: Change) -> str:
    description = change.description.replace("\r\n", "\n").replace("\0", "").strip()
    title = " ".join(change.title.replace("\0", "").split())
    return f"{title}\n\n{description}\n" if description else f"{title}\n"


def _describe(change: Change, branch: str, request: MergeRequest | None, fingerprint: str) -> SentChange:
    return SentChange(
        item_key=change.key,
        url=request.url if request else "",
        number=request.number if request else "",
        branch=branch,
        fingerprint=fingerprint,
    )
