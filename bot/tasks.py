"""The worker's side of the bot: answering stored events. Imported by every process, so it imports little."""

import logging
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from uuid import UUID

from procrastinate import BaseRetryStrategy, JobContext, RetryDecision
from procrastinate.contrib.django import app
from procrastinate.jobs import Job

from bot.faults import list_frames
from bot.slack.errors import find_code
from core.errors import FootnoteError
from core.infrastructure.database_errors import translate_database_errors
from core.infrastructure.queue import (
    ANSWER,
    ANSWER_AGAIN,
    ASK_ABOUT_CONTRADICTION,
    ASK_OWNER,
    DIGEST,
    HAND_OVER,
    KEEP_REPLY,
    LEAVE_SESSION,
    LIST_WORKSPACES,
    MAKE_CANVAS,
    NOTE_READERS,
    RISK_DIGEST,
    SHOW_RESEARCH,
    STOP,
    SUGGEST,
    SYNCHRONISE_USERGROUPS,
    TAKE_STOCK,
    TELL_FOOTNOTE,
    TELL_LATE_ANSWER,
    TELL_OF_OWNER,
    UNFURL,
    UPLOAD,
    hand_on_stalled,
)

logger = logging.getLogger(__name__)

_RESUMED = (
    STOP,
    LEAVE_SESSION,
    ANSWER,
    DIGEST,
    HAND_OVER,
    MAKE_CANVAS,
    RISK_DIGEST,
    SHOW_RESEARCH,
    TELL_FOOTNOTE,
    TELL_LATE_ANSWER,
    UNFURL,
    UPLOAD,
)
MAX_ATTEMPTS = 6
MAX_WAITS = 60  # attempts that Slack, or our own pace, put off to a time that was told
_FIRST_WAIT_S = 2.0  # doubled with each attempt: about two minutes over all attempts
_LONGEST_WAIT_S = 300.0


class Backoff(BaseRetryStrategy):
    """Later, and later still, with jitter so that a recovering service is not met by everyone at once.

    A Retry-After of Slack's is a minimum.
    """

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Decide when to run a job again after an error that says `retry`; never after another one."""
        if not isinstance(exception, FootnoteError) or is_last(exception, job.attempts):
            return None
        asked_for = _read_wait_s(exception)
        doublings = 0 if asked_for else job.attempts
        wait = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2**doublings) * random.uniform(0.5, 1.5)  # noqa: S311 - jitter
        return RetryDecision(retry_in={"seconds": round(max(wait, asked_for))})


def is_last(error: FootnoteError, earlier_attempts: int) -> bool:
    """Return True if no retry follows an attempt with this error. Being rate limited does not count as a failure."""
    most = MAX_WAITS if _read_wait_s(error) else MAX_ATTEMPTS
    return not error.retry or earlier_attempts + 1 >= most


def _read_wait_s(error: FootnoteError) -> float:
    return float(getattr(error, "retry_after_s", 0.0))


class FaultError(FootnoteError):
    """A job was not done by a fault of ours; the log names the places."""


GiveUp = Callable[..., None]  # called with the code of what went wrong


@contextmanager
def see_through(context: JobContext, give_up: GiveUp) -> Iterator[None]:
    """See that who waits for the work of the block hears how it ends: tried again later, or given up with words.

    A fault of ours is logged by its places, given up, and fails the job.
    """
    try:
        with translate_database_errors():
            yield
    except FootnoteError as error:
        if not is_last(error, context.job.attempts):
            raise
        give_up(code=find_code(error))
    except Exception as error:  # noqa: BLE001 - the last resort: whatever it was, nobody is left waiting
        name = type(error).__name__
        logger.error("job_failed", extra={"task": context.job.task_name, "error": name, "places": list_frames(error)})
        give_up(code=name)
        raise FaultError from None


@app.task(name=ANSWER, pass_context=True, retry=Backoff())
def answer(context: JobContext, *, event: str) -> None:
    """Answer the stored event with this id."""
    from bot.delivery.engine import deliver, give_up
    from bot.delivery.results import AudienceChangedError

    event_id = UUID(event)
    with see_through(context, partial(give_up, event_id)):
        try:
            deliver(event_id)
        except AudienceChangedError as error:
            give_up(event_id, code="audience_changed", sentence=error.message)


@app.task(name=STOP, pass_context=True, retry=Backoff())
def stop(context: JobContext, *, event: str) -> None:
    """End the stored event with this id, whose asker wishes no answer any more, unless it has ended."""
    from bot.delivery.engine import deliver, give_up

    event_id = UUID(event)
    with see_through(context, partial(give_up, event_id)):
        deliver(event_id)


@app.task(name=LEAVE_SESSION, retry=Backoff())
def leave_session(*, event: str) -> None:
    """Say in the session of an event's thread that we work there no more."""
    from bot.delivery.sessions import leave_session as leave

    leave(UUID(event))


@app.task(name=HAND_OVER, pass_context=True, retry=Backoff())
def hand_over(context: JobContext, *, hand_over: str) -> None:
    """Ask the people to whom the question of this hand-over goes."""
    from bot.handoff.posting import fail, post

    hand_over_id = UUID(hand_over)
    with see_through(context, partial(fail, hand_over_id)):
        post(hand_over_id)


@app.task(name=ASK_OWNER, pass_context=True, retry=Backoff())
def ask_owner(context: JobContext, *, question: str) -> None:
    """Ask the owner of a document whether it still holds."""
    from bot.owners.asking import fail, post

    question_id = UUID(question)
    with see_through(context, partial(fail, question_id)):
        post(question_id)


@app.task(name=ASK_ABOUT_CONTRADICTION, pass_context=True, retry=Backoff())
def ask_about_contradiction(context: JobContext, *, contradiction: str) -> None:
    """Ask the owner of a document which of two documents holds."""
    from bot.owners.contradicted import fail, post

    contradiction_id = UUID(contradiction)
    with see_through(context, partial(fail, contradiction_id)):
        post(contradiction_id)


@app.task(name=TELL_OF_OWNER, pass_context=True, retry=Backoff())
def tell_of_owner(context: JobContext, *, question: str) -> None:
    """Tell those who asked what the owner of a document says."""
    from bot.owners.notifying import give_up, tell

    question_id = UUID(question)
    with see_through(context, partial(give_up, question_id)):
        tell(question_id)


@app.task(name=DIGEST, pass_context=True, retry=Backoff())
def post_digest(context: JobContext, *, digest: str) -> None:
    """Post the digest with this id."""
    from bot.digests import fail, post

    digest_id = UUID(digest)
    with see_through(context, partial(fail, digest_id)):
        post(digest_id)


@app.periodic(cron="5 * * * *")
@app.task(name="bot.queue_digests", queueing_lock="bot.queue_digests")
def queue_digests(timestamp: int) -> None:
    """Queue every hour the weekly digests that are due, also those that were due while no worker ran."""
    from bot.digests import queue_due

    queue_due()


@app.task(name=RISK_DIGEST, pass_context=True, retry=Backoff())
def send_risk_digest(context: JobContext, *, digest: str) -> None:
    """Send somebody the digest of risks with this id."""
    from bot.risk_digests import fail, send

    digest_id = UUID(digest)
    with see_through(context, partial(fail, digest_id)):
        send(digest_id)


@app.periodic(cron="15 * * * *")
@app.task(name="bot.queue_risk_digests", queueing_lock="bot.queue_risk_digests")
def queue_risk_digests(timestamp: int) -> None:
    """Queue every hour the digests of risks that are due, also those that were due while no worker ran."""
    from bot.risk_digests import queue_due

    queue_due()


@app.task(name=TELL_FOOTNOTE, pass_context=True, retry=Backoff())
def tell_footnote(context: JobContext, *, change: str) -> None:
    """Tell the asker of a changed answer that its source has changed, and what it says now."""
    from bot.footnotes import fail, tell

    change_id = UUID(change)
    with see_through(context, partial(fail, change_id)):
        tell(change_id)


@app.task(name=TELL_LATE_ANSWER, pass_context=True, retry=Backoff())
def tell_late_answer(context: JobContext, *, late: str) -> None:
    """Give somebody the answer to an earlier question of theirs that the documents answer now."""
    from bot.late_answers import fail, tell

    late_id = UUID(late)
    with see_through(context, partial(fail, late_id)):
        tell(late_id)


@app.task(name=KEEP_REPLY, retry=Backoff())
def keep_reply(*, hand_over: str) -> None:
    """Make a draft of a verified answer of what colleagues replied."""
    from bot.handoff.posting import keep_replies

    keep_replies(UUID(hand_over))


@app.task(name=ANSWER_AGAIN)
def answer_again(*, reply: str) -> None:
    """Take up again a reply that failed, as an administrator wants."""
    from bot.intake import take_up_again

    if not take_up_again(UUID(reply)):
        logger.info("reply_not_taken_up", extra={"reply": reply})


@app.task(name=SUGGEST, retry=Backoff())
def suggest(*, team: str, channel: str, thread: str, user: str) -> None:
    """Suggest questions to a Slack user, in a thread of the assistant pane or above all. Nobody waits for it."""
    from bot.assistant import suggest_questions

    suggest_questions(team_id=team, channel_id=channel, thread_ts=thread, slack_user_id=user)


@app.task(name=SHOW_RESEARCH, pass_context=True, retry=Backoff())
def show_research(context: JobContext, *, message: str) -> None:
    """Let the message of a research show it as it is now."""
    from bot.delivery.researches import note_unshown, show

    message_id = UUID(message)
    with see_through(context, partial(note_unshown, message_id)):
        show(message_id)


@app.task(name=MAKE_CANVAS, pass_context=True, retry=Backoff())
def make_canvas(context: JobContext, *, message: str) -> None:
    """Make a canvas of the page of a research, for its asker alone."""
    from bot.delivery.canvases import give_up, make

    message_id = UUID(message)
    with see_through(context, partial(give_up, message_id)):
        make(message_id)


@app.task(name=UNFURL, pass_context=True, retry=Backoff())
def unfurl(context: JobContext, *, unfurl: str) -> None:
    """Show what the links of a message lead to, where everyone there may read it."""
    from bot.links import fail_links, show_links

    unfurl_id = UUID(unfurl)
    with see_through(context, partial(fail_links, unfurl_id)):
        show_links(unfurl_id)


@app.task(name=UPLOAD, pass_context=True, retry=Backoff())
def take_upload(context: JobContext, *, upload: str, step: str) -> None:
    """Do a step with the files of the upload with this id."""
    from bot.uploads.steps import advance, give_up

    upload_id = UUID(upload)
    with see_through(context, partial(give_up, upload_id)):
        advance(upload_id, step)


@app.periodic(cron="* * * * *")
@app.task(name="bot.resume", queueing_lock="bot.resume", pass_context=True)
async def resume(context: JobContext, timestamp: int) -> None:
    """Once a minute: hand on what workers left that stopped without finishing it."""
    for task in _RESUMED:
        await hand_on_stalled(context, task)


@app.task(name=SYNCHRONISE_USERGROUPS, retry=Backoff())
def synchronise_usergroups(*, team: str) -> None:
    """Let a team's usergroups give their roles to those who are in them now."""
    from bot.identity.usergroups import synchronise

    synchronise(team)


@app.periodic(cron="17 * * * *")
@app.task(name="bot.synchronise_all_usergroups", queueing_lock="bot.synchronise_all_usergroups")
def synchronise_all_usergroups(timestamp: int) -> None:
    """Once an hour: all teams, in case an event was lost or a person became known."""
    from bot.identity.usergroups import queue_all

    queue_all()


@app.periodic(cron="27 * * * *")
@app.task(name="bot.forget_contexts", queueing_lock="bot.forget_contexts")
def forget_contexts(timestamp: int) -> None:
    """Once an hour: delete which channels people had open, where that is too long ago to count."""
    from bot.channels.beside import forget_old

    forget_old()


@app.task(name=LIST_WORKSPACES, retry=Backoff())
def list_workspaces(*, organisation: str) -> None:
    """Learn in which workspaces an organisation lets the app be used."""
    from bot.installations.organisations import take_workspaces

    take_workspaces(organisation)


@app.periodic(cron="47 * * * *")
@app.task(name="bot.list_all_workspaces", queueing_lock="bot.list_all_workspaces")
def list_all_workspaces(timestamp: int) -> None:
    """Once an hour: of all organisations, in case an event was lost."""
    from bot.installations.organisations import queue_all

    queue_all()


@app.periodic(cron="*/10 * * * *")
@app.task(name="bot.renew_tokens", queueing_lock="bot.renew_tokens")
def renew_tokens(timestamp: int) -> None:
    """Renew every ten minutes the tokens of Slack's that expire before long."""
    from bot.slack.workspace import renew_tokens as renew

    renew()


@app.task(name=TAKE_STOCK, retry=Backoff())
def take_stock(*, team: str) -> None:
    """Write down which channels and usergroups a team, or each, has, for administrators to choose from."""
    from bot.identity.directory import queue_all
    from bot.identity.directory import take_stock as write_down

    if team:
        write_down(team)
    else:
        queue_all()


@app.task(name=NOTE_READERS, retry=Backoff())
def note_readers(*, team: str, channel: str) -> None:
    """Write down who reads a channel, for whoever previews as it."""
    from bot.identity.directory import note_readers as write_down

    write_down(team, channel)


@app.periodic(cron="7 * * * *")
@app.task(name="bot.take_all_stock", queueing_lock="bot.take_all_stock", retry=Backoff())
def take_all_stock(timestamp: int) -> None:
    """Once an hour: every team."""
    from bot.identity.directory import queue_all

    queue_all()
