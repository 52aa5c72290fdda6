"""Try a data source before its first run: connect, and look at the first things that it names. Nothing is stored.

Where its settings let changes be proposed, their credentials are tried as well, and nothing is written at the source.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from core.errors import IncompleteListingError, SourceError
from core.library.ingestion.cleaning import one_line
from core.library.ingestion.sources import LeftOut
from core.library.sync.connecting import connect, connect_for_changes, find_way
from core.library.sync.endings import ListingEndedError
from core.models import DataSource
from core.values.proposals import WAYS_IN_WORDS

LONGEST_S = 10.0  # somebody waits for it
MOST = 20  # documents that are looked at
_LONGEST_NAME = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """Holds what a source named when it was tried."""

    names: tuple[str, ...]  # of documents
    left_out: int  # things that would not be read
    groups: tuple[str, ...]  # the source's own names of who may read these documents there
    is_all: bool  # whether the source holds no more
    changes: str = ""  # how changes can be proposed, as a sentence; "" where the settings allow none


class NoAnswerInTimeError(SourceError):
    """The source named nothing in the time that a test has. It may be slow: try again, or save it without the test."""


class ChangesRefusedError(SourceError):
    """Changes cannot be proposed with these settings and credentials."""


class _TimeIsUpError(ListingEndedError):
    """The time of the test is over."""


def probe(source: DataSource, *, seconds: float = LONGEST_S, most: int = MOST) -> Found:
    """Look at the first documents of a source, saved or not, and try whether it takes the changes that it is to take.

    SourceError when it cannot be asked, ChangesRefusedError when only the changes are refused.

    seconds: no request begins later; the last one may take as long as a request may.
    """
    ends = time.monotonic() + seconds

    def check() -> None:
        if time.monotonic() >= ends:
            raise _TimeIsUpError("The time of the test is over.")

    names: list[str] = []
    groups: set[str] = set()
    left_out, is_all = 0, False
    changes, refusal = "", None
    try:
        connector = connect(source, check=check)
        # Before the documents, which may take all of the time; what keeps those from being read is said first.
        changes, refusal = _try_changes(source, check)
        for one in connector.list():
            if isinstance(one, LeftOut):
                left_out += 1
            elif len(names) == most:
                break
            else:
                names.append(one_line(one.name or one.key, _LONGEST_NAME))
                groups.update(one.groups or ())
            check()
        else:
            is_all = True
    except IncompleteListingError:
        pass  # by its nature: of a feed, for one
    except _TimeIsUpError:
        if not names and not left_out:
            raise refusal or NoAnswerInTimeError from None
    if refusal:
        raise refusal
    return Found(names=tuple(names), left_out=left_out, groups=tuple(sorted(groups)), is_all=is_all, changes=changes)


def _try_changes(source: DataSource, check: Callable[[], None]) -> tuple[str, ChangesRefusedError | None]:
    """Return how changes can be proposed, as a sentence, or why not. Nothing is asked where the settings allow none."""
    way = find_way(source)
    if way is None:
        return "", None
    try:
        connect_for_changes(source, check=check).check()
    except SourceError as error:
        return "", ChangesRefusedError(f"Changes cannot be proposed. {error.message}")
    return f"Changes can be proposed: {WAYS_IN_WORDS[way]}.", None
