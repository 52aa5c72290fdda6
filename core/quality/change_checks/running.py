"""Run a check in the worker: let a process of its own ask, count what it did, and say what follows."""

import json
import logging
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from core.errors import FootnoteError, StoppedError
from core.infrastructure.database_address import address_of
from core.infrastructure.queue import CHECK_CHANGE, enqueue
from core.llm.stopping import check_stopped, stoppable
from core.models import ChangeCheck
from core.quality.change_checks.child import build_environment
from core.quality.change_checks.deciding import conclude
from core.values.change_checks import CheckState

logger = logging.getLogger(__name__)

LOST_AFTER = timedelta(minutes=2)  # without a sign of the worker, which gives one every ten seconds
_SIGN_EVERY = timedelta(seconds=10)
_ATTEMPTS = 3
_TICK_S = 0.5
_ENDS_WITHIN_S = 10
STOPPED_BY_PERSON = "Somebody stopped it."
LOST = "The worker stopped three times while it asked. Check again when the machine has memory to spare."


def run_check(check_id: UUID, *, watch: Callable[[int, int], None] | None = None) -> None:
    """Check a change that waits. A failure is stored with it, and the change is not made.

    watch: called now and then with the questions asked so far and all there are; 0 until they are chosen.
    """
    started = ChangeCheck.objects.filter(pk=check_id, state=CheckState.WAITING).update(
        state=CheckState.RUNNING, started_at=timezone.now(), seen_at=timezone.now(), attempts=F("attempts") + 1, asked=0
    )
    if not started:  # stopped while it waited, or another worker has it
        return
    check = ChangeCheck.objects.get(pk=check_id)
    try:
        with stoppable(lambda: _is_stopped(check, watch)):
            _ask_in_child(check)
        conclude(check)
    except StoppedError:
        end(check, CheckState.STOPPED, STOPPED_BY_PERSON)
    except FootnoteError as error:
        end(check, CheckState.FAILED, error.message)
    except BaseException as error:
        end(check, CheckState.FAILED, f"It failed ({type(error).__name__}). The log of the worker says more.")
        raise


def end(check: ChangeCheck, state: CheckState, reason: str) -> None:
    """End a check that runs, without making its change."""
    running = ChangeCheck.objects.filter(pk=check.pk, state=CheckState.RUNNING)
    ended = running.update(state=state, reason=reason[:300], finished_at=timezone.now())
    logger.info("change_check_ended", extra={"check": str(check.pk), "state": state.value, "ended": bool(ended)})


def resume_lost() -> int:
    """Queue anew the checks whose worker has gone, and end those that it left too often. Returns how many there are."""
    silent = ChangeCheck.objects.filter(state=CheckState.RUNNING, seen_at__lt=timezone.now() - LOST_AFTER)
    ended = silent.filter(attempts__gte=_ATTEMPTS).update(
        state=CheckState.FAILED, reason=LOST, finished_at=timezone.now()
    )
    lost = list(silent.values_list("pk", flat=True))
    for pk in lost:
        with transaction.atomic():
            if ChangeCheck.objects.filter(pk=pk, state=CheckState.RUNNING).update(state=CheckState.WAITING):
                enqueue(CHECK_CHANGE, lock=CHECK_CHANGE, check=str(pk))
    return ended + len(lost)


def _is_stopped(check: ChangeCheck, watch: Callable[[int, int], None] | None) -> bool:
    now = timezone.now()
    if check.seen_at is None or now - check.seen_at > _SIGN_EVERY:
        check.seen_at = now
        ChangeCheck.objects.filter(pk=check.pk, state=CheckState.RUNNING).update(seen_at=now)
    running = ChangeCheck.objects.filter(pk=check.pk, state=CheckState.RUNNING, is_stopping=False)
    row = running.values_list("asked", "total").first()
    if row is not None and watch is not None:
        watch(*row)
    return row is None


def _ask_in_child(check: ChangeCheck) -> None:
    """Let the process ask, and note how far it is. FootnoteError where it fails, or ends without a word."""
    asked = 0
    with _child(check) as next_line:
        while True:
            check_stopped()
            line = next_line()
            if line is None:
                continue
            if "failed" in line:
                raise FootnoteError(line["failed"])
            if line.get("ended"):
                return
            if "total" in line:
                ChangeCheck.objects.filter(pk=check.pk).update(total=line["total"])
            else:
                asked += line["done"]
                ChangeCheck.objects.filter(pk=check.pk).update(asked=asked)


@contextmanager
def _child(check: ChangeCheck) -> Iterator[Callable[[], dict[str, Any] | None]]:
    """Start the process, and give what reads its next line: None where there is none yet. It ends with the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "core.quality.change_checks.child", str(check.pk)],
        cwd=settings.BASE_DIR,
        stdin=subprocess.PIPE,  # closed when this process is gone, by which the other one ends
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # what libraries say may hold words of questions
        text=True,
        env=build_environment(
            os.environ, address=address_of(connection.settings_dict["NAME"]), home=str(settings.FOOTNOTE_HOME)
        ),
        start_new_session=True,
    )
    lines: queue.Queue[str] = queue.Queue()

    def read() -> None:
        for line in process.stdout or ():
            lines.put(line)
        lines.put("")

    reading = threading.Thread(target=read, daemon=True)
    reading.start()

    def next_line() -> dict[str, Any] | None:
        try:
            line = lines.get(timeout=_TICK_S)
        except queue.Empty:
            return None
        if not line:
            raise FootnoteError(f"The process that asked the questions ended early (exit code {process.wait()}).")
        read_line: dict[str, Any] = json.loads(line)
        return read_line

    try:
        yield next_line
    finally:
        process.terminate()
        try:
            process.wait(timeout=_ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        reading.join()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()
