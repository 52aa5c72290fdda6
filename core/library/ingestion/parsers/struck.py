"""Text that is struck out no longer holds, and is left out with one of the spaces around it. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from core.library.ingestion.parsers.raised import Run


def leave_out_struck(runs: Iterable[Run | None]) -> Iterator[Run]:
    """Yield the runs of a paragraph without those struck out, each of which is given as None."""
    is_behind_gap, was_struck = True, False
    for run in runs:
        if run is None:
            was_struck = True
        elif run.text:
            text = run.text.lstrip(" ") if was_struck and is_behind_gap else run.text
            yield replace(run, text=text)
            if text:
                is_behind_gap, was_struck = text[-1].isspace(), False
