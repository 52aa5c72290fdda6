"""Check the database and the disk when all is calm: nothing stuck, nothing orphaned."""

from pathlib import Path

import psycopg

from benchmarks.soak.judging import STUCK_S, stuck_jobs

_JOBS = """
SELECT id, task_name, status::text, extract(epoch FROM now() - coalesce(scheduled_at, (
    SELECT max(at) FROM procrastinate_events WHERE job_id = job.id), now()))
FROM procrastinate_jobs job WHERE status IN ('todo', 'doing')
"""
_FAILED = "SELECT id, task_name FROM procrastinate_jobs WHERE status = 'failed' ORDER BY id"
# Each finds what must not be: its name, and rows that say which.
_ORPHANS = {
    "event without a reply": """
        SELECT event_id FROM bot_slackevent event
        WHERE NOT EXISTS (SELECT 1 FROM bot_reply WHERE event_id = event.id)""",
    "reply without an event": """
        SELECT id::text FROM bot_reply reply
        WHERE NOT EXISTS (SELECT 1 FROM bot_slackevent WHERE id = reply.event_id)""",
    "event that is not finished": "SELECT event_id FROM bot_slackevent WHERE state = 'received'",
    "reply that is not finished": "SELECT id::text FROM bot_reply WHERE state IN ('pending', 'placed')",
    "citation without an answer": """
        SELECT id::text FROM core_citation citation
        WHERE NOT EXISTS (SELECT 1 FROM core_answer WHERE id = citation.answer_id)""",
    "citation of a text that stands and has no passage": """
        SELECT citation.id::text FROM core_citation citation
        WHERE citation.document_id IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM core_chunk WHERE document_id = citation.document_id)""",
    "passage without a document": """
        SELECT id::text FROM core_chunk chunk
        WHERE NOT EXISTS (SELECT 1 FROM core_document WHERE id = chunk.document_id)""",
    "document without all of its passages": """
        SELECT title FROM core_document document
        WHERE chunk_count <> (SELECT count(*) FROM core_chunk WHERE document_id = document.id)""",
    "grant of nothing": """
        SELECT id::text FROM core_roledocumentaccess access
        WHERE NOT EXISTS (SELECT 1 FROM core_document WHERE id = access.document_id)""",
    "ingestion that is not finished": "SELECT id::text FROM core_ingestionjob WHERE state IN ('queued', 'running')",
    "shared file that is not finished": "SELECT id::text FROM bot_upload WHERE state NOT IN "
    "('offered', 'declined', 'done', 'refused', 'failed')",
    "file that is not finished": "SELECT name FROM core_ingestionfile WHERE state IN ('queued', 'running')",
    "withdrawn document that somebody may read": """
        SELECT title FROM core_document document WHERE withdrawn_at IS NOT NULL
            AND EXISTS (SELECT 1 FROM core_roledocumentaccess WHERE document_id = document.id)""",
}
_ORIGINALS = "SELECT original_hash, title FROM core_document WHERE original_hash <> ''"
_RUNS = """
SELECT id::text FROM core_syncrun WHERE state IN ('queued', 'listing', 'applying', 'ingesting')
    AND created_at < now() - make_interval(secs => %s)
"""
_UPLOADS = "SELECT trim(state || ' ' || error_code), count(*) FROM bot_upload GROUP BY 1 ORDER BY 1"
_FILES = "SELECT error, count(*) FROM core_ingestionfile WHERE state = 'failed' GROUP BY 1 ORDER BY 1"
_REPLIES = "SELECT error_code, count(*) FROM bot_reply WHERE state = 'failed' GROUP BY 1 ORDER BY 1"


def find_stuck(superuser_url: str) -> list[str]:
    """Jobs that are due for too long."""
    with psycopg.connect(superuser_url) as connection:
        rows = connection.execute(_JOBS).fetchall()
        runs = connection.execute(_RUNS, [STUCK_S]).fetchall()
    jobs = [(pk, task, status, float(due_s)) for pk, task, status, due_s in rows]
    return stuck_jobs(jobs) + [f"the run {pk} of a data source goes on" for (pk,) in runs]


def find_orphans(superuser_url: str, originals: Path, sandboxes: Path | None) -> list[str]:
    """Rows without what they belong to, originals that are gone, and folders of sandboxes that were left."""
    with psycopg.connect(superuser_url) as connection:
        wrong = [
            f"{name}: {row}" for name, query in _ORPHANS.items() for (row,) in connection.execute(query).fetchall()
        ]
        kept = connection.execute(_ORIGINALS).fetchall()
    there = {path.name for path in originals.rglob("*") if path.is_file()} if originals.exists() else set()
    wrong += [f"original that is gone: of {title}" for digest, title in kept if digest not in there]
    left = sorted(sandboxes.glob("footnote-*")) if sandboxes else []
    return wrong + [f"folder of a sandbox: {path.name}" for path in left]


def list_failed_jobs(superuser_url: str) -> list[tuple[int, str]]:
    """The jobs that were given up: id and task."""
    with psycopg.connect(superuser_url) as connection:
        return [(int(pk), str(task)) for pk, task in connection.execute(_FAILED).fetchall()]


def list_failures(superuser_url: str) -> dict[str, int]:
    """Count the outcomes of shared files, and other failures: files by error, replies by code, as faults may cause."""
    with psycopg.connect(superuser_url) as connection:
        return {
            f"{kind}: {name}": int(count)
            for kind, query in (("file", _FILES), ("shared file", _UPLOADS), ("reply", _REPLIES))
            for name, count in connection.execute(query).fetchall()
        }


def is_calm(superuser_url: str) -> bool:
    """Return True if no event, no ingestion and no run is under way any more."""
    with psycopg.connect(superuser_url, connect_timeout=5) as connection:
        row = connection.execute(
            "SELECT (SELECT count(*) FROM bot_slackevent WHERE state = 'received')"
            " + (SELECT count(*) FROM bot_upload WHERE state IN ('received', 'accepted', 'ingesting'))"
            " + (SELECT count(*) FROM core_ingestionjob WHERE state IN ('queued', 'running'))"
            " + (SELECT count(*) FROM core_syncrun WHERE state IN ('queued', 'listing', 'applying', 'ingesting'))"
            " + (SELECT count(*) FROM procrastinate_jobs WHERE status = 'doing' OR"
            " (status = 'todo' AND coalesce(scheduled_at, now()) < now() + interval '30 seconds'"
            " AND queueing_lock IS NULL))"
        ).fetchone()
    return row is not None and row[0] == 0
