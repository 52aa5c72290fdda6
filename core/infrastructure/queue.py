"""Handing work to the worker, by name, in the caller's transaction: the job exists exactly when the row does."""

import logging
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import transaction
from procrastinate import JobContext
from procrastinate.contrib.django.django_connector import DjangoConnector
from procrastinate.exceptions import AlreadyEnqueued
from procrastinate.jobs import JobDeferrer
from procrastinate.manager import JobManager
from procrastinate.tasks import configure_task

logger = logging.getLogger(__name__)

ANSWER = "bot.answer"
ANSWER_AGAIN = "bot.answer_again"
DIGEST = "bot.digest"
ASK_ABOUT_CONTRADICTION = "bot.ask_about_contradiction"
ASK_OWNER = "bot.ask_owner"
RISK_DIGEST = "bot.risk_digest"
HAND_OVER = "bot.hand_over"
KEEP_REPLY = "bot.keep_reply"
LIST_WORKSPACES = "bot.list_workspaces"
LEAVE_SESSION = "bot.leave_session"
MAKE_CANVAS = "bot.make_canvas"
SHOW_RESEARCH = "bot.show_research"
STOP = "bot.stop"
SUGGEST = "bot.suggest"
UNFURL = "bot.unfurl"
UPLOAD = "bot.upload"
TELL_FOOTNOTE = "bot.tell_footnote"
TELL_LATE_ANSWER = "bot.tell_late_answer"
TELL_OF_OWNER = "bot.tell_of_owner"
ANSWER_LATE = "core.answer_late"
CHECK_CHANGE = "core.check_change"
CHECK_EDITIONS = "core.check_editions"
CHECK_FOOTNOTES = "core.check_footnotes"
RECHECK_FOOTNOTE = "core.recheck_footnote"
EVALUATE = "core.evaluate"
EXAMINE_MODEL = "core.examine_model"
INGEST = "core.ingest"
INGEST_BESIDE = "core.ingest_beside"
RESEARCH = "core.research"
RUN_DATASET = "core.run_dataset"
SEND_PROPOSAL = "core.send_proposal"
SET_UP_MODEL = "core.set_up_model"
SPLIT_SECTIONS = "core.split_sections"
SYNC = "core.library.sync"
SYNC_READERS = "core.sync_readers"
SYNCHRONISE_USERGROUPS = "bot.synchronise_usergroups"
TAKE_STOCK = "bot.take_stock"
NOTE_READERS = "bot.note_readers"

# A person waits for an answer, an administrator for an ingestion, nobody for an evaluation.
# What goes on after an ingestion shares its lock, and must not be of higher priority: it would go before it.
_PRIORITY = {
    STOP: 20,  # of the question with whose answer it shares a lock, before that is tried again
    ANSWER: 10,
    ANSWER_AGAIN: 10,
    ASK_ABOUT_CONTRADICTION: 8,
    ASK_OWNER: 10,
    HAND_OVER: 10,
    SUGGEST: 10,
    UNFURL: 10,
    LEAVE_SESSION: 8,
    MAKE_CANVAS: 8,
    SHOW_RESEARCH: 8,
    KEEP_REPLY: 5,
    TELL_OF_OWNER: 8,
    SYNCHRONISE_USERGROUPS: 5,
    LIST_WORKSPACES: 5,
    TAKE_STOCK: 5,
    NOTE_READERS: 8,
    INGEST: 0,
    INGEST_BESIDE: 0,
    UPLOAD: 0,
    RESEARCH: 0,
    SPLIT_SECTIONS: 5,  # until then, who may not read a section reads it
    SYNC_READERS: 5,
    SYNC: -5,
    CHECK_FOOTNOTES: -5,
    TELL_FOOTNOTE: -5,
    TELL_LATE_ANSWER: -5,
    ANSWER_LATE: -5,
    SEND_PROPOSAL: 0,
    EVALUATE: -10,
    DIGEST: -10,
    RISK_DIGEST: -10,
    RECHECK_FOOTNOTE: -15,
    SET_UP_MODEL: -5,
    RUN_DATASET: -20,
    CHECK_EDITIONS: 0,
    CHECK_CHANGE: -3,  # somebody waits for it, and a source or an upload may
    EXAMINE_MODEL: -20,
}

_FOOTNOTES_DELAY_S = 60


def enqueue(task: str, *, lock: str | None = None, **arguments: Any) -> int:
    """Queue a job for the worker and return its id.

    task: one of this module's names; the worker knows the function behind it.
    lock: jobs with the same lock run one after the other.
    arguments: JSON values; ids, never text.
    """
    return _configure_job(task, lock=lock).defer(**arguments)


def enqueue_once(task: str, lock: str, *, delay_s: int = 0, **arguments: Any) -> bool:
    """Queue a job unless one with the same lock waits already. False when one does: it will see what is so now.

    lock: jobs with it run one after the other, so one may wait while another runs.
    delay_s: how long it waits at the least.
    """
    try:
        with transaction.atomic():
            _configure_job(task, lock=lock, queueing_lock=lock, delay_s=delay_s).defer(**arguments)
    except AlreadyEnqueued:
        return False
    return True


def synchronise_usergroups(team_id: str) -> bool:
    """Queue that a Slack team is asked who is in its usergroups. False when such a job waits already."""
    return enqueue_once(SYNCHRONISE_USERGROUPS, f"usergroups/{team_id}", team=team_id)


def list_workspaces(organisation_id: str) -> bool:
    """Queue that Slack is asked in which workspaces an organisation lets the app be used. False when that waits."""
    return enqueue_once(LIST_WORKSPACES, f"workspaces/{organisation_id}", organisation=organisation_id)


def take_stock(team_id: str = "") -> bool:
    """Queue that a Slack team, or each, is asked for its channels and usergroups. False when such a job waits."""
    return enqueue_once(TAKE_STOCK, f"stock/{team_id}", team=team_id)


def note_readers(team_id: str, channel_id: str) -> bool:
    """Queue that Slack is asked who reads a channel. False when such a job waits already."""
    return enqueue_once(NOTE_READERS, f"readers/{team_id}/{channel_id}", team=team_id, channel=channel_id)


def show_research(message_id: UUID, *, delay_s: int = 0) -> bool:
    """Queue that a message shows its research as it is now. False when such a job waits already."""
    return enqueue_once(SHOW_RESEARCH, f"research_message/{message_id}", delay_s=delay_s, message=str(message_id))


def make_canvas(message_id: UUID) -> int:
    """Queue that a canvas is made of the research of a message, beside no other job of that message."""
    return enqueue(MAKE_CANVAS, lock=f"research_message/{message_id}", message=str(message_id))


def check_footnotes(document_id: UUID, *, last_readers: Iterable[UUID] = ()) -> bool:
    """Queue that the answers which quote a document are looked at, since its text was replaced or it is gone.

    Whoever replaces a text, or takes a document from all its readers because its source has deleted it, calls this in
    the transaction in which that is done; deleting a document calls it by itself. Several changes within a minute are
    one. False when such a job waits already.

    last_readers: the roles that could read a document until it was withdrawn. Only they are notified; without any,
    nobody is.
    """
    readers = sorted(str(role) for role in last_readers)
    lock = f"footnotes/{document_id}" + ("/gone" if readers else "")
    return enqueue_once(
        CHECK_FOOTNOTES, lock, delay_s=_FOOTNOTES_DELAY_S, document=str(document_id), last_readers=readers
    )


def _configure_job(task: str, *, lock: str | None, queueing_lock: str | None = None, delay_s: int = 0) -> JobDeferrer:
    # Not through the app: within a worker it has connections of its own, and the job would not be in the transaction.
    queue = JobManager(DjangoConnector())
    return configure_task(
        name=task,
        job_manager=queue,
        lock=lock,
        queueing_lock=queueing_lock,
        priority=_PRIORITY[task],
        schedule_in={"seconds": delay_s} if delay_s else None,
    )


async def hand_on_stalled(context: JobContext, task: str) -> None:
    """Queue again the jobs of one task whose workers stopped without finishing them."""
    manager = context.app.job_manager
    for job in await manager.get_stalled_jobs(task_name=task):
        await manager.retry_job(job)
        logger.warning("job_handed_on", extra={"task": task, "job": job.id})
