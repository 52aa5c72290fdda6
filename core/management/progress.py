"""A bar that shows how far a command is."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


@contextmanager
def progress(description: str, total: int, *, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """A bar on standard error while that is a terminal. Yields what is to be called with how many more are done.

    quiet: leave the bar out even there. Beside the bar only warnings and errors are logged: other lines, written to
    the same terminal, would tear it.
    """
    with _open_bar(quiet=quiet) as bar:
        if bar is None:
            yield lambda done: None
            return
        task = bar.add_task(description, total=total)
        yield lambda done: bar.advance(task, done)


@contextmanager
def follow(description: str, *, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """A bar as of `progress`, for what says itself how far it is. Yields what is to be called with done and total.

    total: 0 while it is not known.
    """
    with _open_bar(quiet=quiet) as bar:
        if bar is None:
            yield lambda done, total: None
            return
        task = bar.add_task(description, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total or None)


@contextmanager
def _open_bar(*, quiet: bool) -> Iterator[Progress | None]:
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    disabled = logging.root.manager.disable
    logging.disable(max(disabled, logging.INFO))
    try:
        with Progress(*columns, console=console, transient=True) as bar:
            yield bar
    finally:
        logging.disable(disabled)
