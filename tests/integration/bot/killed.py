"""Work in a process of its own that is ended with SIGKILL on its way: nothing of it is cleaned up.

A child that is forked inherits the locks that other threads hold at that moment, and none of the threads that would
give them back. So children are not forked from the tests' process, in which libraries run threads, but from one that is
started for this, has imported what they need, and never has a second thread.
"""

import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType
from typing import Any, Self
from urllib.parse import urlsplit

import django
import pytest
from django.conf import settings
from django.db import connection
from django.test import override_settings

_ROOT = Path(__file__).resolve().parents[3]
_LONGEST_S = 120  # a child takes about one
# What fixtures have set, and a process that reads its settings from the environment would not know.
_SET = (
    "ANSWER_FROM",
    "GUEST_ROLE",
    "LOCAL_PAGE",
    "MODEL_CACHE_HOURS",
    "PUBLIC_URL",
    "READER",
    "SLACK_API_URL",
    "SLACK_BOT_TOKEN",
    "SLACK_CLIENT_ID",
    "SLACK_CLIENT_SECRET",
    "SLACK_SIGNING_SECRET",
    "SLACK_TOKEN_KEYS",
    "STORAGES",
)


@dataclass(frozen=True, kw_only=True)
class Step:
    """A point at which the process dies: at a call of a function, or right after the function has returned."""

    owner: str  # of the function: "module:" or "module:Class"
    name: str
    is_done: bool

    def patch(self, patch: pytest.MonkeyPatch) -> None:
        """Let this process die there."""
        owner = resolve_name(self.owner)
        original = getattr(owner, self.name)

        def die(*args: Any, **kwargs: Any) -> None:
            if self.is_done:
                original(*args, **kwargs)
            os.kill(os.getpid(), signal.SIGKILL)

        patch.setattr(owner, self.name, die)


def before(owner: type | ModuleType, name: str) -> Step:
    """The process dies when it comes to this function."""
    return Step(owner=_named(owner), name=name, is_done=False)


def after(owner: type | ModuleType, name: str) -> Step:
    """The process dies when this function has done its work and before anything is made of it."""
    return Step(owner=_named(owner), name=name, is_done=True)


def mostly_slow(steps: Iterable[str], *, always: str) -> list[pytest.ParameterSet]:
    """The steps as parameters of a test, of which each test run tries one, and one that has time for it the others."""
    return [pytest.param(step, marks=[] if step == always else [pytest.mark.slow]) for step in steps]


def _named(owner: type | ModuleType) -> str:
    return f"{owner.__name__}:" if isinstance(owner, ModuleType) else f"{owner.__module__}:{owner.__qualname__}"


class Killer:
    """The process that children are forked from, as the tests' process sees it."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[Self]:
        """It works on the tests' own database."""
        database = urlsplit(settings.DATABASE_URL)._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
        process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            cwd=_ROOT,
            env={**os.environ, "DATABASE_URL": database},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        with process:  # it ends with its input
            yield cls(process)

    def kill(self, work: Callable[[], Any], step: Step) -> None:
        """Do the work, a function of a module, in a process of its own, which is killed at the step."""
        from tests.integration.bot.worker import list_queued  # which imports models; a program sets Django up first

        assert self._process.stdin is not None
        assert self._process.stdout is not None
        told = {name: getattr(settings, name) for name in _SET}
        pickle.dump((work, step, told), self._process.stdin)
        self._process.stdin.flush()
        status = int(self._process.stdout.readline())
        assert os.WIFSIGNALED(status), f"the worker did not come to this step: {list_queued()}"
        assert os.WTERMSIG(status) == signal.SIGKILL


def _serve() -> None:
    """Fork a child for each piece of work that arrives, and report how it ended."""
    # What is imported in the middle of an answer takes seconds.
    import torch  # noqa: F401 - by the agent's library

    from bot.delivery import engine  # noqa: F401
    from core.asking.answering import pipeline  # noqa: F401
    from core.llm.client import litellm_ready

    litellm_ready()
    with suppress(EOFError):
        while True:
            work, step, told = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the tests' own process
            child = os.fork()
            if child == 0:
                _work(work, step, told)
            _, status = os.waitpid(child, 0)
            print(status, flush=True)  # noqa: T201


def _work(work: Callable[[], Any], step: Step, told: dict[str, Any]) -> None:
    """In the child, which ends here: with exit code 1 unless it is killed, and by another signal if it hangs."""
    from core.testing import fast_embedding
    from tests.conftest import without_pauses

    try:
        assert threading.active_count() == 1, "a thread may have held a lock"
        signal.alarm(_LONGEST_S)
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        logging.basicConfig(level=logging.INFO, force=True)  # to standard error, which a failure shows
        with ExitStack() as stack:
            patch = stack.enter_context(pytest.MonkeyPatch.context())
            stack.enter_context(override_settings(**told))
            stack.enter_context(fast_embedding())
            without_pauses(patch)
            step.patch(patch)
            work()
    finally:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)  # it was not killed: the step was never reached


if __name__ == "__main__":
    django.setup()
    _serve()
