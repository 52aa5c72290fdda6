"""Write the files that commands are told to make."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.core.management.base import CommandError

from core.management.granting import WRONG_USAGE


def refuse_existing(target: Path, *, replace: bool) -> None:
    """Raise CommandError where something is at that path that is not to be replaced."""
    if target.exists() and not target.is_file():
        raise CommandError(f"{target} is not a file.", returncode=WRONG_USAGE)
    if target.exists() and not replace:
        raise CommandError(
            f"{target} exists already. Name a file that does not, or say --replace to lose what it holds now.",
            returncode=WRONG_USAGE,
        )


@contextmanager
def open_private(target: Path) -> Iterator[IO[str]]:
    """Open a file that only its owner can read. It is at that path once all is written; until then, what was there."""
    # Not the open file of before: that would keep its permissions.
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", newline="", dir=target.parent, prefix=f"{target.name}.", delete=False
    ) as file:
        unfinished = Path(file.name)
        try:
            yield file
            file.close()
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)
