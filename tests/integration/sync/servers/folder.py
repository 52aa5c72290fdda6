"""A folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.integration.sync.servers.served import Served


@contextmanager
def serve(folder: Path) -> Iterator[Served]:
    """The folder itself."""
    root = folder / "handbook"
    root.mkdir()
    yield Served(
        kind="folder",
        settings={"path": str(root)},
        put=lambda path, content: put(root, path, content),
        remove=lambda path: (root / path).unlink(),
        folders=(folder,),
    )


def put(root: Path, path: str, content: bytes) -> None:
    """Write a file, with the folders above it."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(content)
