"""Work that its asker may stop: what waits for a model gives up waiting.

Whether it was stopped is looked up, in the thread that works, before each step and while it waits for a model, about
twice a second. A call that is under way cannot be taken back: its connection is closed where the reply is streamed, and
else it ends unheard, in a thread of its own, and is counted as any other.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, Generic, TypeVar

from django.db import connections

from core.errors import StoppedError

LOOK_EVERY_S = 0.5

IsStopped = Callable[[], bool]
_T = TypeVar("_T")


class _Stop:
    """Remembers that it was stopped, and looks it up no more often than it has to be known."""

    def __init__(self, is_stopped: IsStopped) -> None:
        self._look, self._is_stopped, self._next_look = is_stopped, False, 0.0

    def check(self) -> None:
        """Raise StoppedError where it was stopped."""
        if not self._is_stopped and time.monotonic() >= self._next_look:
            self._is_stopped = self._look()
            self._next_look = time.monotonic() + LOOK_EVERY_S
        if self._is_stopped:
            raise StoppedError


_stop: ContextVar[_Stop | None] = ContextVar("footnote_stop", default=None)


@contextmanager
def stoppable(is_stopped: IsStopped | None) -> Iterator[None]:
    """Let the work of the block be stopped. is_stopped: asked in the thread of the block; None: nobody can stop it."""
    token = _stop.set(_Stop(is_stopped) if is_stopped else None)
    try:
        yield
    finally:
        _stop.reset(token)


def check_stopped() -> None:
    """Raise StoppedError where the work that this is a part of was stopped."""
    if stop := _stop.get():
        stop.check()


def wait_unless_stopped(call: Callable[[], _T], *, unheard: Callable[[_T], object]) -> _T:
    """Return the result of a call. StoppedError as soon as the work is stopped.

    unheard: takes what the call gives after that, in another thread.
    """
    stop = _stop.get()
    if stop is None:
        return call()
    stop.check()
    work = _Work(lambda: iter([call()]))
    try:
        return next(work.take(stop))
    except StoppedError:
        work.hand_on(unheard)
        raise


def hear_unless_stopped(pieces: Callable[[], Iterator[_T]]) -> Iterator[_T]:
    """Yield the pieces of something that grows.

    StoppedError as soon as the work is stopped: it is closed, and grows no more.

    It is closed too when the caller closes this generator.
    """
    stop = _stop.get()
    if stop is None:
        yield from pieces()
        return
    stop.check()
    work = _Work(pieces)
    try:
        for piece in work.take(stop):
            stop.check()
            yield piece
    finally:
        work.give_up()


class _Work(Generic[_T]):
    """Something that gives pieces in a thread of its own."""

    def __init__(self, pieces: Callable[[], Iterator[_T]]) -> None:
        self._pieces = pieces
        self._given: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._is_given_up, self._is_over = False, False
        self._unheard: Callable[[_T], object] | None = None
        thread = threading.Thread(target=copy_context().run, args=(self._give_pieces,), name="model-call", daemon=True)
        thread.start()

    def take(self, stop: _Stop) -> Iterator[_T]:
        """Yield the pieces as they come."""
        while True:
            try:
                kind, given = self._given.get(timeout=LOOK_EVERY_S)
            except queue.Empty:
                stop.check()
                continue
            if kind == "error":
                raise given
            if kind == "end":
                return
            yield given

    def give_up(self) -> None:
        """Take no more pieces."""
        with self._lock:
            self._is_given_up = True

    def hand_on(self, unheard: Callable[[_T], object]) -> None:
        """Let another take the pieces that come, or have come and were not taken."""
        with self._lock:
            self._unheard, is_over = unheard, self._is_over
        if is_over:
            self._tell_unheard(unheard)

    def _give_pieces(self) -> None:
        try:
            pieces = self._pieces()
            for piece in pieces:
                self._given.put(("piece", piece))
                with self._lock:
                    if self._is_given_up:
                        break
            if hasattr(pieces, "close"):
                pieces.close()
            self._given.put(("end", None))
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            self._given.put(("error", error))
        finally:
            with self._lock:
                self._is_over, unheard = True, self._unheard
            if unheard:
                try:
                    self._tell_unheard(unheard)
                finally:
                    connections.close_all()  # this thread's own

    def _tell_unheard(self, unheard: Callable[[_T], object]) -> None:
        while not self._given.empty():
            kind, given = self._given.get()
            if kind == "piece":
                unheard(given)
