"""Background tasks by the names of core.infrastructure.queue. Imported by every process, so it imports little."""

import datetime as dt
from uuid import UUID

from django.conf import settings
from django.utils import timezone
from procrastinate import JobContext, RetryStrategy
from procrastinate.contrib.django import app

from core.infrastructure.queue import (
    ANSWER_LATE,
    CHECK_CHANGE,
    CHECK_EDITIONS,
    CHECK_FOOTNOTES,
    EVALUATE,
    EXAMINE_MODEL,
    INGEST,
    INGEST_BESIDE,
    RECHECK_FOOTNOTE,
    RESEARCH,
    RUN_DATASET,
    SEND_PROPOSAL,
    SET_UP_MODEL,
    SPLIT_SECTIONS,
    SYNC,
    SYNC_READERS,
    hand_on_stalled,
)


# --- Ingestion ------------------------------------------------------------------------------------------------------
@app.task(name=INGEST, retry=RetryStrategy(max_attempts=3, exponential_wait=10), pass_context=True)
def ingest(context: JobContext, *, job: str) -> None:
    """Ingest what was handed in with this job. What is wrong with a file is stored with it and raises nothing."""
    from core.library.ingestion.jobs import run_job

    run_job(UUID(job), claim=context.job.id or 0)


@app.task(name=INGEST_BESIDE, pass_context=True)
def ingest_beside(context: JobContext, *, job: str) -> None:
    """Take part in an ingestion that another worker leads, and will call for help again if this fails."""
    from core.library.ingestion.jobs import help_with

    help_with(UUID(job), claim=context.job.id or 0)


@app.periodic(cron="* * * * *")
@app.task(name="core.resume_ingestion", queueing_lock="core.resume_ingestion", pass_context=True)
async def resume_ingestion(context: JobContext, timestamp: int) -> None:
    """Once a minute: hand on the ingestions of workers that stopped without finishing them."""
    for task in (INGEST, INGEST_BESIDE):
        await hand_on_stalled(context, task)


# --- Searching ------------------------------------------------------------------------------------------------------
@app.periodic(cron="20 * * * *")
@app.task(name="core.build_vector_index", queueing_lock="core.build_vector_index")
def build_vector_index(timestamp: int) -> None:
    """Once an hour: build the index over the vectors in a library that has grown to where searches use it."""
    from core.library.ingestion.indexing import build_where_useful

    build_where_useful()


# --- Readers of sections --------------------------------------------------------------------------------------------
@app.task(name=SPLIT_SECTIONS, retry=RetryStrategy(max_attempts=10, exponential_wait=3))
def split_sections(*, document: str, rule: str) -> None:
    """Split a document by the rules of its collection as they are now. rule: the one that was made or removed."""
    from core.library.sections.splitting import split_document

    split_document(UUID(document))


# --- Data sources ---------------------------------------------------------------------------------------------------
@app.task(name=SYNC, retry=RetryStrategy(max_attempts=3, exponential_wait=10))
def sync(*, run: str) -> None:
    """Do a slice of a data source's run, and queue the next one."""
    from core.library.sync.slices import work

    work(UUID(run))


@app.task(name=SYNC_READERS, retry=RetryStrategy(max_attempts=3, exponential_wait=10))
def sync_readers(*, source: str) -> None:
    """Apply what changed in the roles or the groups of a data source to its documents."""
    from core.library.sync.readers import apply_to_all
    from core.models import DataSource

    if found := DataSource.objects.filter(pk=UUID(source)).first():
        apply_to_all(found)


@app.periodic(cron="* * * * *")
@app.task(name="core.start_due_syncs", queueing_lock="core.start_due_syncs")
def start_due_syncs(timestamp: int) -> None:
    """Once a minute: ask the data sources that are due, and go on with runs whose job was lost."""
    from core.library.sync.credentials import bind_all
    from core.library.sync.runs import resume_lost, start_due

    bind_all()
    resume_lost()
    start_due()


@app.periodic(cron="* * * * *")
@app.task(name="core.resume_syncs", queueing_lock="core.resume_syncs", pass_context=True)
async def resume_syncs(context: JobContext, timestamp: int) -> None:
    """Once a minute: hand on the slices of workers that stopped without finishing them."""
    await hand_on_stalled(context, SYNC)


@app.periodic(cron="*/10 * * * *")
@app.task(name="core.withdraw_unanswered", queueing_lock="core.withdraw_unanswered")
def withdraw_unanswered(timestamp: int) -> None:
    """Withdraw, every ten minutes, documents of sources that have not listed their readers for too long."""
    from core.library.sync.removals import withdraw_unanswered as withdraw

    withdraw()


@app.periodic(cron="40 3 * * *")
@app.task(name="core.erase_gone", queueing_lock="core.erase_gone")
def erase_gone(timestamp: int) -> None:
    """Every night: erase the documents that have been gone at their source for long enough."""
    from core.library.sync.removals import erase_gone as erase

    erase()


# --- Originals ------------------------------------------------------------------------------------------------------
@app.periodic(cron="45 3 * * *")
@app.task(name="core.sweep_originals", queueing_lock="core.sweep_originals")
def sweep_originals(timestamp: int) -> None:
    """Every night: delete the originals that no document refers to, which only a crash leaves."""
    from core.library.originals.sweeping import sweep

    sweep()


# --- Conversations --------------------------------------------------------------------------------------------------
@app.periodic(cron="*/10 * * * *")
@app.task(name="core.close_conversations", queueing_lock="core.close_conversations")
def close_conversations(timestamp: int) -> None:
    """Every ten minutes: end the conversations that have timed out."""
    from core.asking.answering.conversations import close_inactive

    close_inactive()


@app.periodic(cron="30 3 * * *")
@app.task(name="core.erase_old_texts", queueing_lock="core.erase_old_texts")
def erase_old_texts(timestamp: int) -> None:
    """Every night: erase the text of questions that are older than the retention period, if there is one."""
    from core.asking.history.retention import erase_texts, retention_moment

    if moment := retention_moment():
        erase_texts(before=moment)


# --- Research -------------------------------------------------------------------------------------------------------
@app.task(name=RESEARCH, retry=RetryStrategy(max_attempts=3, exponential_wait=10), pass_context=True)
def research(context: JobContext, *, research: str) -> None:
    """Ask the questions of a research's plan that were not asked yet."""
    from core.asking.research.running import TRIES, run_research

    run_research(UUID(research), is_last_try=context.job.attempts + 1 >= TRIES)


@app.periodic(cron="* * * * *")
@app.task(name="core.resume_research", queueing_lock="core.resume_research", pass_context=True)
async def resume_research(context: JobContext, timestamp: int) -> None:
    """Once a minute: hand on the researches of workers that stopped without finishing them."""
    await hand_on_stalled(context, RESEARCH)


@app.periodic(cron="* * * * *")
@app.task(name="core.end_lost_researches", queueing_lock="core.end_lost_researches")
def end_lost_researches(timestamp: int) -> None:
    """Once a minute: end the researches with which no worker goes on."""
    from core.asking.research.running import end_lost

    end_lost()


# --- Programs that sign in ------------------------------------------------------------------------------------------
@app.periodic(cron="50 3 * * *")
@app.task(name="core.clear_programs", queueing_lock="core.clear_programs")
def clear_programs(timestamp: int) -> None:
    """Every night: delete the tokens and connections of programs that no longer work."""
    from core.programs.connections import clear

    clear()


# --- Footnotes ------------------------------------------------------------------------------------------------------
@app.task(name=CHECK_FOOTNOTES, retry=RetryStrategy(max_attempts=3, exponential_wait=10))
def check_footnotes(*, document: str, last_readers: list[str]) -> None:
    """Find the answers whose quotes no longer occur in a document that has changed or is deleted."""
    from core.quality.footnotes.checking import check_document

    check_document(UUID(document), last_readers=[UUID(role) for role in last_readers])


@app.task(name=RECHECK_FOOTNOTE, retry=RetryStrategy(max_attempts=2, exponential_wait=30))
def recheck_footnote(*, change: str) -> None:
    """Ask a question again whose answer was not given in Slack. Nobody waits for it."""
    from core.quality.footnotes.asking_again import recheck_elsewhere

    recheck_elsewhere(UUID(change))


@app.periodic(cron="* * * * *")
@app.task(name="core.resume_footnotes", queueing_lock="core.resume_footnotes", pass_context=True)
async def resume_footnotes(context: JobContext, timestamp: int) -> None:
    """Once a minute: hand on the checks of workers that stopped without finishing them."""
    for task in (CHECK_FOOTNOTES, RECHECK_FOOTNOTE):
        await hand_on_stalled(context, task)


# --- Proposed changes -----------------------------------------------------------------------------------------------
_TRIES = 5


@app.task(name=SEND_PROPOSAL, retry=RetryStrategy(max_attempts=_TRIES, exponential_wait=5), pass_context=True)
def send_proposal(context: JobContext, *, proposal: str) -> None:
    """Send a proposed change to where its document lives."""
    from core.quality.proposals.sending import send

    send(UUID(proposal), is_last_try=context.job.attempts + 1 >= _TRIES)


@app.task(name=ANSWER_LATE, retry=RetryStrategy(max_attempts=_TRIES, exponential_wait=5), pass_context=True)
def answer_late(context: JobContext, *, late: str) -> None:
    """Ask an earlier question again for somebody without an account in Slack."""
    from core.quality.proposals.late_answers import answer_by_mail

    answer_by_mail(UUID(late), is_last_try=context.job.attempts + 1 >= _TRIES)


@app.periodic(cron="* * * * *")
@app.task(name="core.resume_proposals", queueing_lock="core.resume_proposals", pass_context=True)
async def resume_proposals(context: JobContext, timestamp: int) -> None:
    """Once a minute: hand on what workers left of proposals that stopped without finishing it."""
    for task in (SEND_PROPOSAL, ANSWER_LATE):
        await hand_on_stalled(context, task)


@app.periodic(cron="* * * * *")
@app.task(name="core.look_at_proposals", queueing_lock="core.look_at_proposals", lock="core.look_at_proposals")
def look_at_proposals(timestamp: int) -> None:
    """Once a minute: see which proposed changes were merged, and which are in the library."""
    from core.quality.proposals.following import follow_all

    follow_all()


@app.periodic(cron="35 4 * * *")
@app.task(name="core.ask_late_again", queueing_lock="core.ask_late_again")
def ask_late_again(timestamp: int) -> None:
    """Every night: ask again for those whom a change of the last two weeks has not answered yet."""
    from core.quality.proposals.late_answers import queue_again

    queue_again()


# --- The vector engine ----------------------------------------------------------------------------------------------
@app.periodic(cron="* * * * *")
@app.task(name="core.feed_engine", queueing_lock="core.feed_engine")
def feed_engine(timestamp: int) -> None:
    """Send the vector engine, where there is one, the changes of the last minute."""
    from core.library.vector_engine.building import keep_up

    keep_up()


# --- Access ---------------------------------------------------------------------------------------------------------
@app.periodic(cron="* * * * *")
@app.task(name="core.take_expired_grants", queueing_lock="core.take_expired_grants")
def take_expired_grants(timestamp: int) -> None:
    """Once a minute: take away the grants that have come to their end; nobody reads by them any more."""
    from core.access.grants import take_expired

    take_expired()


# --- The audit trail and what is counted ----------------------------------------------------------------------------
@app.periodic(cron="* * * * *")
@app.task(name="core.seal_audit", queueing_lock="core.seal_audit")
def seal_audit(timestamp: int) -> None:
    """Once a minute: add what was done since to the chain of the audit trail."""
    from core.access.audit import seal

    seal()


@app.periodic(cron="15 * * * *")
@app.task(name="core.forget_request_counts", queueing_lock="core.forget_request_counts")
def forget_request_counts(timestamp: int) -> None:
    """Every hour: forget the counts of requests whose period is long over."""
    from core.models import RequestCount

    RequestCount.objects.forget(before=timezone.now() - dt.timedelta(days=2))


@app.periodic(cron="* * * * *")
@app.task(name="core.forget_model_replies", queueing_lock="core.forget_model_replies")
def forget_model_replies(timestamp: int) -> None:
    """Once a minute: forget the replies of models that can be given to nobody any more."""
    from core.asking.spending.replies import forget_old

    forget_old()


# --- Evaluation -----------------------------------------------------------------------------------------------------
@app.task(name=EVALUATE, retry=RetryStrategy(max_attempts=2, exponential_wait=30))
def evaluate(*, query_id: str) -> None:
    """Score the answer to this query. A failure is stored with it and tried again twice."""
    if settings.EVALUATION_ENABLED:
        from core.quality.evaluation.triad.evaluate import evaluate as score

        score(UUID(query_id))


@app.task(name=RUN_DATASET)
def run_dataset(*, dataset: str) -> None:
    """Ask the questions of a dataset. Not tried again: half of a run would be asked twice."""
    from core.quality.evaluation.datasets.starting import run_dataset as run

    run(dataset)


@app.periodic(cron=settings.EVALUATION_SCHEDULE)
@app.task(name="core.run_scheduled_datasets", queueing_lock="core.run_scheduled_datasets")
def run_scheduled_datasets(timestamp: int) -> None:
    """As EVALUATION_SCHEDULE says: queue the runs over the datasets that the settings name."""
    from core.quality.evaluation.datasets.starting import queue_scheduled

    queue_scheduled()


@app.periodic(cron="0 5 * * 1")
@app.task(name="core.find_drift", queueing_lock="core.find_drift")
def find_drift(timestamp: int) -> None:
    """Every Monday: see if many more questions were refused, or answers voted down, than in the weeks before."""
    from core.quality.reports.drift import raise_alerts

    raise_alerts()


# --- Changes before they are live ----------------------------------------------------------------------------------
@app.task(name=CHECK_CHANGE)
def check_change(*, check: str) -> None:
    """Check a change. One whose worker has gone is queued anew."""
    from core.quality.change_checks.running import run_check

    run_check(UUID(check))


@app.task(name=CHECK_EDITIONS, retry=RetryStrategy(max_attempts=3, exponential_wait=10))
def check_editions(*, run: str | None = None, job: str | None = None) -> None:
    """Store the check of a run of a data source, or of an upload, that waits for it."""
    from core.quality.change_checks.submitting import check_waiting

    check_waiting(run=UUID(run) if run else None, job=UUID(job) if job else None)


@app.periodic(cron="* * * * *")
@app.task(name="core.resume_change_checks", queueing_lock="core.resume_change_checks")
def resume_change_checks(timestamp: int) -> None:
    """Once a minute: queue anew the checks whose worker has gone, and those that were never stored."""
    from core.quality.change_checks.running import resume_lost
    from core.quality.change_checks.submitting import check_lost

    resume_lost()
    check_lost()


# --- Examining models -----------------------------------------------------------------------------------------------
@app.task(name=EXAMINE_MODEL)
def examine_model(*, examination: str) -> None:
    """Examine the model that is set. Not tried again: what was stopped or has failed is started by a person."""
    from core.quality.examination.running import run_examination

    run_examination(UUID(examination))


@app.periodic(cron="* * * * *")
@app.task(name="core.end_lost_examinations", queueing_lock="core.end_lost_examinations")
def end_lost_examinations(timestamp: int) -> None:
    """Once a minute: end the examinations whose worker has gone."""
    from core.quality.examination.running import end_lost

    end_lost()


@app.periodic(cron="25 * * * *")
@app.task(name="core.lapse_admissions", queueing_lock="core.lapse_admissions")
def lapse_admissions(timestamp: int) -> None:
    """Once an hour: let the admission of a model lapse where its prompts or the library have changed much."""
    from core.quality.examination.deciding import lapse_where_changed

    lapse_where_changed()


# --- Setting up a model of this machine -----------------------------------------------------------------------------
@app.task(name=SET_UP_MODEL)
def set_up_model(*, setup: str) -> None:
    """Fetch or take a model file and set it up. What failed is started again by a person, and goes on."""
    from core.operations.model_setup import run_setup

    run_setup(UUID(setup))


@app.periodic(cron="* * * * *")
@app.task(name="core.resume_model_setups", queueing_lock="core.resume_model_setups", pass_context=True)
async def resume_model_setups(context: JobContext, timestamp: int) -> None:
    """Once a minute: hand on the setup of a worker that stopped without finishing it."""
    await hand_on_stalled(context, SET_UP_MODEL)


@app.periodic(cron="* * * * *")
@app.task(name="core.end_lost_model_setups", queueing_lock="core.end_lost_model_setups")
def end_lost_model_setups(timestamp: int) -> None:
    """Once a minute: end the setups of models that nobody goes on with."""
    from core.operations.model_setup import end_lost

    end_lost()


# --- Contradictions -------------------------------------------------------------------------------------------------
@app.periodic(cron="*/10 * * * *")
@app.task(
    name="core.look_for_contradictions",
    queueing_lock="core.look_for_contradictions",
    lock="core.quality.contradictions",
)
def look_for_contradictions(timestamp: int) -> None:
    """Every ten minutes: look which documents contradict those that came within a day."""
    from core.quality.contradictions.looking import look_soon

    look_soon()


@app.periodic(cron="15 1 * * *")
@app.task(
    name="core.look_for_contradictions_by_night",
    queueing_lock="core.look_for_contradictions_by_night",
    lock="core.quality.contradictions",
)
def look_for_contradictions_by_night(timestamp: int) -> None:
    """Every night: look for contradictions of the documents that were not looked at yet."""
    from core.quality.contradictions.looking import look_by_night

    look_by_night()


# --- Oversharing ---------------------------------------------------------------------------------------------------
@app.periodic(cron="*/10 * * * *")
@app.task(name="core.look_for_oversharing", queueing_lock="core.look_for_oversharing", lock="core.oversharing")
def look_for_oversharing(timestamp: int) -> None:
    """Every ten minutes: look through new texts for what few are to read, and bring risks up to date."""
    from core.quality.oversharing.refreshing import run_soon

    run_soon()


@app.periodic(cron="10 2 * * *")
@app.task(name="core.look_by_night", queueing_lock="core.look_by_night", lock="core.oversharing")
def look_by_night(timestamp: int) -> None:
    """Every night: look through what was not reached, and note how many people may read each source."""
    from core.quality.oversharing.refreshing import run_by_night

    run_by_night()


# --- Content gaps ---------------------------------------------------------------------------------------------------
@app.periodic(cron="*/10 * * * *")
@app.task(name="core.assign_gaps", queueing_lock="core.assign_gaps", lock="core.quality.gaps")
def assign_gaps(timestamp: int) -> None:
    """Every ten minutes: put the questions that were not answered well into gaps, and close what is answered by now."""
    from core.quality.gaps.assigning import assign_new_questions
    from core.quality.gaps.checking import check_gaps_near_new_documents

    assign_new_questions()
    check_gaps_near_new_documents()


@app.periodic(cron="0 4 * * *")
@app.task(name="core.check_gaps", queueing_lock="core.check_gaps", lock="core.quality.gaps")
def check_gaps(timestamp: int) -> None:
    """Every night: see which gaps are closed by now."""
    from core.quality.gaps.assigning import leave_out_small_talk, record_answered
    from core.quality.gaps.checking import check_lively_gaps
    from core.quality.gaps.refusals import note_asked_otherwise

    leave_out_small_talk()
    note_asked_otherwise(record_answered(since=timezone.now() - dt.timedelta(days=2)))
    check_lively_gaps()
