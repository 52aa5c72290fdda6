"""Say if what comes in is checked before it is live, and hold what comes in after a yes to what was tried.

The check itself is made by core.quality.change_checks, of which this layer knows the rows alone.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

from core.infrastructure.queue import CHECK_EDITIONS, enqueue
from core.library.ingestion.document import ParsedDocument
from core.models import ChangeCheck, ChangeLimit, IngestionJob, SyncRun
from core.values.change_checks import ChangeKind, CheckState

DIGESTS, FAILED, IS_ALL = "digests", "failed", "is_all"  # in what a check keeps of its change


@dataclass(frozen=True, kw_only=True, slots=True)
class Tried:
    """Holds what was tried of a run or a job: digests alone, by the ids of items or files."""

    digests: Mapping[str, str]
    failed: frozenset[str]  # what could not be loaded or read
    is_all: bool  # False where there was more than is tried at once

    @classmethod
    def load(cls, change: Mapping[str, Any]) -> Self | None:
        """Return what a check keeps; None where it ended before anything was tried."""
        if DIGESTS not in change:
            return None
        return cls(digests=change[DIGESTS], failed=frozenset(change[FAILED]), is_all=change[IS_ALL])

    def as_json(self) -> dict[str, Any]:
        """Return what a check keeps."""
        return {DIGESTS: dict(self.digests), FAILED: sorted(self.failed), IS_ALL: self.is_all}

    def find_expected(self, pk: UUID) -> str | None:
        """Return the digest that an item or a file must have to come in; "" for none that does, None for any."""
        name = str(pk)
        if name in self.digests:
            return self.digests[name]
        return "" if self.is_all or name in self.failed else None


def must_be_checked(count: int, *, run: SyncRun | None = None) -> bool:
    """Return True if so many documents that come in are checked first.

    run: of which they are. What somebody said yes to, or what crossed no limit, is checked no second time.
    """
    limit = ChangeLimit.objects.filter(kind=ChangeKind.EDITIONS, is_on=True).first()
    if limit is None or count < limit.from_documents:
        return False
    return run is None or not run.checks.filter(state=CheckState.MADE).exists()


def find_tried(*, run: SyncRun | None = None, job: IngestionJob | None = None) -> Tried | None:
    """Return what was tried of a run or a job that was checked; None where anything may come in."""
    checks = ChangeCheck.objects.filter(state=CheckState.MADE)
    made = (checks.filter(run=run) if run else checks.filter(job=job)).order_by("-created_at").first()
    return Tried.load(made.change) if made else None


def forget_tried(job: IngestionJob) -> None:
    """Forget what was tried of a job: its failed files are handed in anew, whatever is in them now."""
    ChangeCheck.objects.filter(job=job, state=CheckState.MADE).update(change={})


def request_check(*, run: SyncRun | None = None, job: IngestionJob | None = None) -> None:
    """Queue that the check of a run or a job is stored, in the transaction in which that begins to wait."""
    if run is not None:
        enqueue(CHECK_EDITIONS, run=str(run.pk))
    if job is not None:
        enqueue(CHECK_EDITIONS, job=str(job.pk))


def compute_digest(documents: Iterable[ParsedDocument]) -> str:
    """Return the SHA-256 of all that a file says, whatever its bytes: some sources write them anew each time."""
    said = []
    for document in documents:
        fields = document.as_json()
        del fields["extent"]  # what a parser counts is no content
        said.append(fields)
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
