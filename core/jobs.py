"""Handing work to the worker, by name, in the caller's transaction: the job exists exactly when the row does."""

import logging
from typing import Any

from procrastinate import JobContext
from procrastinate.contrib.django.django_connector import DjangoConnector
from procrastinate.manager import JobManager
from procrastinate.tasks import configure_task

logger = logging.getLogger(__name__)

ANSWER = "bot.answer"
ANSWER_AGAIN = "bot.answer_again"
HAND_OVER = "bot.hand_over"
SUGGEST = "bot.suggest"
UPLOAD = "bot.upload"
EVALUATE = "core.evaluate"
INGEST = "core.ingest"

# A person waits for an answer, an administrator for an ingestion, nobody for an evaluation.
# What goes on after an ingestion shares its lock, and must not be of higher priority: it would go before it.
_PRIORITY = {ANSWER: 10, ANSWER_AGAIN: 10, HAND_OVER: 10, SUGGEST: 10, INGEST: 0, UPLOAD: 0, EVALUATE: -10}


def enqueue(task: str, *, lock: str | None = None, **arguments: Any) -> int:
    """Queue a job for the worker and return its id.

    task: one of this module's names; the worker knows the function behind it.
    lock: jobs with the same lock run one after the other.
    arguments: JSON values; ids, never text.
    """
    # Not through the app: within a worker it has connections of its own, and the job would not be in the transaction.
    queue = JobManager(DjangoConnector())
    configured = configure_task(name=task, job_manager=queue, lock=lock, priority=_PRIORITY[task])
    return configured.defer(**arguments)


async def hand_on_stalled(context: JobContext, task: str) -> None:
    """Queue again the jobs of one task whose workers stopped without finishing them."""
    manager = context.app.job_manager
    for job in await manager.get_stalled_jobs(task_name=task):
        await manager.retry_job(job)
        logger.warning("job_handed_on", extra={"task": task, "job": job.id})
