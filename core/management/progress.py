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
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda done: None
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
            task = bar.add_task(description, total=total)
            yield lambda done: bar.advance(task, done)
    finally:
        logging.disable(disabled)
