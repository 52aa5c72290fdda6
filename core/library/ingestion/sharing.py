"""Share the files of one ingestion job among workers: each claims a few at a time, and calls others to help.

A claim names the job of the queue by which its worker works. It holds while that job is being done by a worker that
is alive, and is anybody's afterwards: nothing has to be given back by a worker that was killed.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from core.infrastructure.queue import INGEST_BESIDE, enqueue_once
from core.models import IngestionFile

CLAIMED = 4  # files at a time: few enough that the last ones are shared too, and one statement for all of them
_LOOK_S = 2.0  # between two looks at whether another worker could help; one statement
# A worker's sign of life comes every 10 s, and procrastinate takes one that has given none for 30 s for dead.
_ALIVE = "last_heartbeat > now() - interval '30 seconds'"

# A helper that failed is called again after a minute: in an upgrade, a worker of the version before knows no helpers.
_RECENT = "at > now() - interval '1 minute'"

# The files are chosen apart, and once: within the update's own condition PostgreSQL may choose anew for every row, and
# so more than the limit.
_CLAIM = f"""
    WITH chosen AS MATERIALIZED (
        SELECT id FROM core_ingestionfile file
        WHERE job_id = %(job)s AND NOT EXISTS (
            SELECT FROM core_ingestionjob job WHERE job.id = %(job)s AND job.state = 'held'
        ) AND (
            state = 'queued'
            OR state = 'running' AND claimed_by IS DISTINCT FROM %(claim)s AND NOT EXISTS (
                SELECT FROM procrastinate_jobs queued JOIN procrastinate_workers worker ON worker.id = queued.worker_id
                WHERE queued.id = file.claimed_by AND queued.status = 'doing' AND worker.{_ALIVE}
            )
        )
        ORDER BY name LIMIT %(most)s FOR UPDATE SKIP LOCKED
    )
    UPDATE core_ingestionfile file SET state = 'running', attempts = attempts + 1, claimed_by = %(claim)s
    FROM chosen WHERE file.id = chosen.id RETURNING file.id
"""  # noqa: S608 - the only part is a constant of this module
_HELP = f"""
    SELECT
        (SELECT count(*) FROM procrastinate_workers WHERE {_ALIVE}),
        (SELECT count(*) FROM core_ingestionfile WHERE job_id = %(job)s AND state = 'queued'),
        ARRAY(SELECT lock FROM procrastinate_jobs
              WHERE task_name = %(task)s AND status IN ('todo', 'doing') AND args ->> 'job' = %(job)s::text),
        ARRAY(SELECT lock FROM procrastinate_jobs failed
              WHERE id > %(claim)s AND task_name = %(task)s AND status = 'failed' AND args ->> 'job' = %(job)s::text
                  AND EXISTS (SELECT FROM procrastinate_events WHERE job_id = failed.id AND {_RECENT}))
"""  # noqa: S608 - the same

_under_way: set[UUID] = set()  # the ingestion jobs that this process works on
_lock = threading.Lock()


@dataclass(slots=True)
class Share:
    """One worker's share of a job.

    claim: the id of the queue's job by which it works; 0 for a program that runs a job itself, of which there may be
    one at a time.
    """

    job_id: UUID
    claim: int
    files: dict[str, IngestionFile] = field(default_factory=dict)  # that were claimed, by name
    _looked_at: float = 0.0

    def take_back(self) -> None:
        """Let go of what an earlier run by the same queue's job had claimed."""
        self._running_files().filter(claimed_by=self.claim).update(state=IngestionFile.State.QUEUED, claimed_by=None)

    def take(self) -> list[IngestionFile]:
        """Claim the next files that nobody works on, without their bytes; none when there are none."""
        with connection.cursor() as cursor:
            cursor.execute(_CLAIM, {"job": self.job_id, "claim": self.claim, "most": CLAIMED})
            claimed = [pk for (pk,) in cursor.fetchall()]
        files = list(IngestionFile.objects.filter(pk__in=claimed).order_by("name").defer("content")) if claimed else []
        self.files |= {file.name: file for file in files}
        return files

    def is_left(self) -> bool:
        """Return True if a file waits, or another worker has not finished one."""
        files = IngestionFile.objects.filter(job=self.job_id, state=IngestionFile.State.QUEUED)
        return files.exists() or self._running_files().exclude(claimed_by=self.claim).exists()

    def call_for_help(self) -> None:
        """Queue a job for each other worker that is alive, as long as there are files for it. At most every 2 s.

        One that comes to a process which works on this job already ends at once, and the next call replaces it. One
        that failed is replaced after a minute.
        """
        if time.monotonic() < self._looked_at + _LOOK_S:
            return
        self._looked_at = time.monotonic()
        with connection.cursor() as cursor:
            cursor.execute(_HELP, {"job": self.job_id, "claim": self.claim, "task": INGEST_BESIDE})
            workers, waiting, called, failed = cursor.fetchone()
        for number in range(min(workers - 1, waiting // CLAIMED)):
            lock = f"ingestion:{self.job_id}/{number}"
            if lock not in called + failed:
                enqueue_once(INGEST_BESIDE, lock, job=str(self.job_id))

    def _running_files(self) -> QuerySet[IngestionFile]:
        return IngestionFile.objects.filter(job=self.job_id, state=IngestionFile.State.RUNNING)


@contextmanager
def under_way(job_id: UUID) -> Iterator[bool]:
    """Yields whether this process already worked on the job; within the block it does."""
    with _lock:
        already = job_id in _under_way
        _under_way.add(job_id)
    try:
        yield already
    finally:
        if not already:
            with _lock:
                _under_way.discard(job_id)
