"""Work that may be stopped gives what it would have given, fails as it would have failed, and ends when stopped."""

import threading
from collections.abc import Iterator

import pytest

from core.errors import StoppedError
from core.llm import stopping
from core.llm.stopping import check_stopped, hear_unless_stopped, stoppable, wait_unless_stopped

LONG_S = 20  # no test waits as long


@pytest.fixture(autouse=True)
def _look_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping, "LOOK_EVERY_S", 0.01)


def fail() -> str:
    """Raise an error."""
    raise ZeroDivisionError


@pytest.mark.parametrize("is_stopped", [None, lambda: False], ids=["for good", "may be stopped"])
def test_what_is_not_stopped_is_as_ever(is_stopped: stopping.IsStopped | None) -> None:
    """A value, its pieces, or the error, where it is waited for."""
    unheard: list[str] = []
    with stoppable(is_stopped):
        check_stopped()
        assert wait_unless_stopped(lambda: "a", unheard=unheard.append) == "a"
        assert list(hear_unless_stopped(lambda: iter("abc"))) == ["a", "b", "c"]
        with pytest.raises(ZeroDivisionError):
            wait_unless_stopped(fail, unheard=unheard.append)
        with pytest.raises(ZeroDivisionError):
            list(hear_unless_stopped(lambda: iter([fail()])))
    check_stopped()
    assert unheard == []


def test_what_cannot_be_stopped_runs_where_it_is_called() -> None:
    """Nobody pays for a thread who needs none."""
    assert wait_unless_stopped(threading.current_thread, unheard=print) is threading.current_thread()


def test_what_ends_unheard_is_handed_on_once() -> None:
    """To who takes it in the place of the one who waited."""
    is_called, may_end, is_told = threading.Event(), threading.Event(), threading.Event()
    unheard: list[str] = []

    def take(said: str) -> None:
        unheard.append(said)
        is_told.set()

    def call() -> str:
        is_called.set()
        assert may_end.wait(LONG_S)
        return "late"

    with stoppable(is_called.is_set):
        with pytest.raises(StoppedError):
            wait_unless_stopped(call, unheard=take)
        with pytest.raises(StoppedError):
            check_stopped()
        with pytest.raises(StoppedError):
            wait_unless_stopped(fail, unheard=take)  # which is not begun any more
    assert unheard == []
    may_end.set()
    assert is_told.wait(LONG_S)
    assert unheard == ["late"]


@pytest.mark.parametrize("how", ["stopped", "given up"])
def test_what_is_heard_no_more_is_closed(how: str) -> None:
    """Its source knows of it at its next piece."""
    is_stopped, is_closed, may_go_on = threading.Event(), threading.Event(), threading.Event()

    def pieces() -> Iterator[str]:
        try:
            yield "a"
            assert may_go_on.wait(LONG_S)
            while True:
                yield "b"
        finally:
            is_closed.set()

    with stoppable(is_stopped.is_set):
        heard = hear_unless_stopped(pieces)
        assert next(heard) == "a"
        if how == "stopped":
            is_stopped.set()
            with pytest.raises(StoppedError):
                next(heard)
        else:
            heard.close()
    assert not is_closed.is_set()
    may_go_on.set()
    assert is_closed.wait(LONG_S)
