"""Show signs of work as it goes on: the newest wins, and none comes after the answer."""

import logging
import threading
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from core.values.steps import Step

logger = logging.getLogger(__name__)

# Slack lets a message be edited some 50 times a minute, and steps that pass in less cannot be read anyway.
INTERVAL_S = 0.8


@dataclass(frozen=True, kw_only=True, slots=True)
class Sign:
    """Holds the progress of answering."""

    step: str
    words: str = ""  # with which the answer begins
    counts: tuple[tuple[str, int], ...] = ()  # how much each step so far works on, where that is known


class ProgressDisplay:
    """Shows signs of work from a thread of its own, so that answering does not wait for Slack.

    A sign is shown when the one before has stood for INTERVAL_S; at the end of the block nothing is shown any more.
    shown: the step that is shown already.
    """

    def __init__(self, show: Callable[[Sign], None], *, shown: str = "") -> None:
        self._show = show
        self._shown = self._sign = Sign(step=shown)
        self._changed = threading.Condition()
        self._over = False
        # In its context, so that the steps are in the language that is spoken here.
        self._thread = threading.Thread(
            target=copy_context().run, args=(self._show_changes,), name="slack-progress", daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._changed:
            self._over = True
            self._changed.notify()
        self._thread.join()

    def show_step(self, step: str) -> None:
        """Show that answering has reached this step; of a `Step` it is told how much that works on."""
        counts = dict(self._sign.counts)
        if isinstance(step, Step) and step.count:
            counts[str(step)] = step.count
        self._set_sign(replace(self._sign, step=str(step), counts=tuple(counts.items())))

    def preview(self, words: str) -> None:
        """Show that the answer begins with these words."""
        self._set_sign(replace(self._sign, words=words))

    def _set_sign(self, sign: Sign) -> None:
        with self._changed:
            self._sign = sign
            self._changed.notify()

    def _show_changes(self) -> None:
        shown = self._shown
        while not self._wait_between():
            with self._changed:
                while not self._over and self._sign == shown:
                    self._changed.wait()
                if self._over:
                    return
                shown = self._sign
            try:
                self._show(shown)
            except (SlackRefusedError, SlackUnavailableError) as error:
                logger.info("step_not_shown", extra={"code": error.code})
                return

    def _wait_between(self) -> bool:
        """Let the last sign stand. True when it is over."""
        with self._changed:
            return self._changed.wait_for(lambda: self._over, timeout=INTERVAL_S)
