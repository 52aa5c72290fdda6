"""Store originals, each under the SHA-256 of its bytes."""

import os
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, Storage, storages

ALIAS = "originals"  # in STORAGES
UNFINISHED = ".unfinished"  # the ending of a file that is still being written
_FOLDER = 2  # characters of the hash, so that no folder holds too many


class AtomicFileStorage(FileSystemStorage):
    """Files on disk of which each is there whole or not at all, whatever happens while it is written."""

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        """The name itself: what has the same one has the same bytes."""
        return name

    def _save(self, name: str, content: "File[Any]") -> str:
        path = Path(self.path(name))
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        number, unfinished = tempfile.mkstemp(suffix=UNFINISHED, dir=path.parent)  # for its owner alone
        try:
            with os.fdopen(number, "wb") as stream:
                for piece in content.chunks():
                    stream.write(piece)
                stream.flush()
                os.fsync(stream.fileno())
            Path(unfinished).replace(path)
        except BaseException:
            Path(unfinished).unlink(missing_ok=True)
            raise
        return name


def get_storage() -> Storage:
    """The storage of originals."""
    return storages[ALIAS]


def build_name(sha256: str) -> str:
    """The name under which an original lies."""
    return f"{sha256[:_FOLDER]}/{sha256}"


def list_failures() -> tuple[type[Exception], ...]:
    """Return the exceptions that the storage raises when it fails."""
    if not settings.ORIGINALS_S3_BUCKET:
        return (OSError,)
    from boto3.exceptions import Boto3Error
    from botocore.exceptions import BotoCoreError, ClientError

    return (OSError, Boto3Error, BotoCoreError, ClientError)
