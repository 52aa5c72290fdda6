"""Refuse contents that Git keeps in place of a document."""

from collections.abc import Iterator

from core.errors import UnsupportedFileError

LINK = "a link, which is not followed"
SUBMODULE = "another repository. Add it as a source of its own"
_POINTER = b"version https://git-lfs.github.com/spec/"


def refuse_pointer(path: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a file as it is; UnsupportedFileError for a pointer to one that Git LFS keeps elsewhere."""
    first = b""
    for piece in pieces:
        first += piece
        if len(first) >= len(_POINTER):
            break
    if first.startswith(_POINTER):
        raise UnsupportedFileError(f"{path} is kept by Git LFS, which is not read. Put it into another source.")
    yield first
    yield from pieces
