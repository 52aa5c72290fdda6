"""Set up a model of this machine from the admin: queue and cancel it there, and do it in the worker.

Progress is kept as it goes. What is done is core.llm.local_model's; it is the same for `manage.py model`.
"""

import logging
import time
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from core.errors import FootnoteError, StoppedError
from core.infrastructure.queue import SET_UP_MODEL, enqueue
from core.llm.local_model.choosing import Observer, Options, Step, find_offer, read_path, take_file, take_offer
from core.llm.local_model.machine import look_at_machine
from core.llm.local_model.registration import Registered
from core.models import AuditEvent, ModelSetup, User

logger = logging.getLogger(__name__)

VIEW, SET_UP = "core.view_modelsetup", "core.set_up_models"
State = ModelSetup.State
# Without a sign of the worker. The longest silence is that of a loaded model that is timed: five minutes.
LOST_AFTER = timedelta(minutes=7)
_SIGN_EVERY_S = 1.0
_LONGEST_REASON = 600  # characters
_RESUMED = (State.WAITING, State.FETCHING)
NOT_OFFERED = "This model is not offered any more. Choose another."
WORKER_STOPPED = (
    "The worker stopped meanwhile; if that was while the model was loaded, memory most likely ran out. What was "
    "fetched is kept: fetch again to go on from there."
)


class ModelSetupError(FootnoteError):
    """This cannot be done with the model as it is now."""


def start_offer(name: str, *, anyway: bool, by: User) -> ModelSetup:
    """Queue that an offered model is fetched and set up. ModelSetupError where none of that name is offered."""
    if find_offer(name) is None:
        raise ModelSetupError("No such model is offered. Choose one of the list.")
    return _queue_setup(ModelSetup(offer=name, anyway=anyway, asked_by=by))


def start_file(path: str, *, anyway: bool, by: User) -> ModelSetup:
    """Queue that a file of the server is checked and set up. FootnoteError where the path is none of a model."""
    return _queue_setup(ModelSetup(path=str(read_path(path)), anyway=anyway, asked_by=by))


def stop(setup: ModelSetup) -> None:
    """Cancel a setup; one that waits has ended at once. What was fetched is kept. ModelSetupError for an ended one."""
    waiting = ModelSetup.objects.filter(pk=setup.pk, state=State.WAITING)
    if waiting.update(state=State.STOPPED, is_stopping=True, finished_at=timezone.now()):
        return
    if not ModelSetup.objects.filter(pk=setup.pk, state__in=ModelSetup.UNDER_WAY).update(is_stopping=True):
        raise ModelSetupError("This has ended already.")


def _queue_setup(setup: ModelSetup) -> ModelSetup:
    try:
        with transaction.atomic():
            setup.save(force_insert=True)
            enqueue(SET_UP_MODEL, lock=SET_UP_MODEL, setup=str(setup.pk))
    except IntegrityError as error:
        raise ModelSetupError("Another model is being set up. Wait until it has ended, or cancel it.") from error
    return setup


def run_setup(setup_id: UUID) -> None:
    """Set up what was asked for. A failure that has words is stored with it; any other is stored and raised.

    A job that is handed on after its worker was killed goes on with a fetch, and with nothing that may have killed it.
    """
    setup = ModelSetup.objects.filter(pk=setup_id).first()
    if setup is None or not setup.is_under_way:  # cancelled while it waited
        return
    if setup.state not in _RESUMED:
        _end_setup(setup, State.FAILED, reason=WORKER_STOPPED)
        return
    try:
        registered = _set_up(setup)
    except StoppedError:
        _end_setup(setup, State.STOPPED)
    except FootnoteError as error:
        _end_setup(setup, State.FAILED, reason=error.message)
    except BaseException as error:
        _end_setup(setup, State.FAILED, reason=f"It failed ({type(error).__name__}). The log of the worker says more.")
        raise
    else:
        _finish_setup(setup, registered)


def end_lost() -> int:
    """End the setups whose worker has gone, and return how many those were."""
    silent = timezone.now() - LOST_AFTER
    lost = ModelSetup.objects.filter(state__in=ModelSetup.UNDER_WAY, seen_at__lt=silent)
    return lost.update(state=State.FAILED, reason=WORKER_STOPPED, finished_at=timezone.now())


def _set_up(setup: ModelSetup) -> Registered:
    signs = _Signs(setup)
    observer = Observer(step=signs.step, progress=signs.progress, check=signs.check)
    home, machine, options = settings.FOOTNOTE_HOME, look_at_machine(), Options(anyway=setup.anyway)
    if setup.path:
        return take_file(Path(setup.path), home=home, machine=machine, options=options, observer=observer)
    offer = find_offer(setup.offer)
    if offer is None:
        raise FootnoteError(NOT_OFFERED)
    return take_offer(offer, home=home, machine=machine, options=options, observer=observer)


class _Signs:
    """Writes down how far a setup is, at most once a second, and ends it where somebody cancelled it."""

    def __init__(self, setup: ModelSetup) -> None:
        self._pk, self._next = setup.pk, 0.0

    def step(self, step: Step) -> None:
        """Note that a step begins."""
        self._write_sign(state=step.value)

    def progress(self, done: int, total: int) -> None:
        """Note how many bytes are there, and of how many; 0 where that is unknown."""
        if time.monotonic() >= self._next or done == total:
            self._write_sign(done_bytes=done, total_bytes=total)

    def check(self) -> None:
        """Give a sign of life."""
        if time.monotonic() >= self._next:
            self._write_sign()

    def _write_sign(self, **fields: Any) -> None:
        self._next = time.monotonic() + _SIGN_EVERY_S
        under_way = ModelSetup.objects.filter(pk=self._pk, state__in=ModelSetup.UNDER_WAY, is_stopping=False)
        if not under_way.update(seen_at=timezone.now(), **fields):
            raise StoppedError


def _finish_setup(setup: ModelSetup, registered: Registered) -> None:
    """Note what was set up, with its audit row: the next start of Footnote uses it."""
    with transaction.atomic():
        _end_setup(
            setup,
            State.DONE,
            model=registered.model[:300],
            sha256=registered.sha256,
            seconds_per_answer=registered.seconds_per_answer,
        )
        AuditEvent.objects.create(
            actor=setup.asked_by,
            action=AuditEvent.Action.CHANGE,
            object_type=str(ModelSetup._meta.model_name),
            object_id=str(setup.pk),
            details={"state": State.DONE.value, "sha256": registered.sha256},
        )


def _end_setup(setup: ModelSetup, state: State, *, reason: str = "", **fields: Any) -> None:
    ModelSetup.objects.filter(pk=setup.pk, state__in=ModelSetup.UNDER_WAY).update(
        state=state, reason=reason[:_LONGEST_REASON], finished_at=timezone.now(), **fields
    )
    logger.info("model_setup_ended", extra={"setup": str(setup.pk), "state": state.value})
