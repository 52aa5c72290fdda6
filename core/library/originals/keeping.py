"""Keeping an original, and letting go of it.

Whoever keeps one and whoever deletes one take a lock of its hash to the end of their transaction, so that no file goes
between the moment it was found there and the commit of the row that refers to it.
"""

import hashlib
import logging
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.core.files.base import ContentFile
from django.db import connection, transaction
from django.db.models.signals import post_delete

from core.errors import OriginalNotKeptError
from core.library.originals.storage import build_name, get_storage, list_failures
from core.models import Document

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Original:
    """A file as it came."""

    content: bytes
    sha256: str
    name: str  # for people, without folders
    media_type: str


def hash_content(content: bytes) -> str:
    """The SHA-256 of a file's bytes."""
    return hashlib.sha256(content).hexdigest()


def keep(original: Original, document: Document) -> None:
    """Put an original into the storage, and note on the document, which the caller saves, that it is its own.

    Within the transaction that saves it. OriginalNotKeptError, with the file's name, when the storage refuses.
    """
    if document.original_hash != original.sha256:
        drop(document)
        _lock(original.sha256, shared=True)
        try:
            storage = get_storage()
            if not storage.exists(build_name(original.sha256)):
                storage.save(build_name(original.sha256), ContentFile(original.content))
        except list_failures() as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise OriginalNotKeptError(
                f"{original.name} was not ingested, because its original could not be kept. The storage says: "
                f"{reason}. Make room or check the storage, and ingest it again."
            ) from error
    document.original_hash, document.original_size = original.sha256, len(original.content)
    document.original_name, document.original_type = original.name, original.media_type


def drop(document: Document) -> None:
    """Let a document, which the caller saves, have no original any more. It goes once nobody refers to it."""
    if document.original_hash:
        _discard_after_commit(document.original_hash)
    document.original_hash = document.original_name = document.original_type = ""
    document.original_size = None


def discard(sha256: str) -> bool:
    """Delete an original unless a document refers to it. Whether it is gone; what the storage refuses, it logs."""
    with transaction.atomic():
        _lock(sha256, shared=False)
        if Document.objects.filter(original_hash=sha256).exists():
            return False
        try:
            get_storage().delete(build_name(sha256))
        except list_failures() as error:
            logger.warning("original_not_deleted", extra={"sha256": sha256, "error": type(error).__name__})
            return False
    return True


def connect() -> None:
    """Let every deletion of a document take its original along, by whatever way it is deleted."""
    post_delete.connect(_let_go, sender=Document, dispatch_uid="core.library.originals")


def _let_go(instance: Document, **_: Any) -> None:
    if instance.original_hash:
        _discard_after_commit(instance.original_hash)


def _discard_after_commit(sha256: str) -> None:
    transaction.on_commit(partial(discard, sha256), robust=True)  # what fails is left to the sweep


def _lock(sha256: str, *, shared: bool) -> None:
    function = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s)", [int(sha256[:15], 16)])
