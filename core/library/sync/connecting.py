"""Connect to a data source: from its row to a connector that asks allowed hosts alone, at the pace that was set."""

import time
from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from core.errors import SourceError
from core.library.ingestion.markup.reader import MARKUP_LIMITS, MarkupReader
from core.library.ingestion.sandbox.process import Sandbox
from core.library.ingestion.sources.policy import Policy
from core.library.sync import credentials
from core.library.sync.connector import Access, Connector
from core.library.sync.kinds import kind_of_source, read_settings
from core.library.sync.proposing import ChangeWay, TakesChanges
from core.models import DataSource, IntranetHost

_STEP_S = 1.0  # between two looks whether to wait on


def connect(source: DataSource, *, check: Callable[[], None] = lambda: None) -> Connector:
    """Return a data source, to be asked within its limits. SourceError when its settings or credentials cannot be used.

    check: called before each request, and while its turn is awaited; what it raises ends what goes on.
    """
    kind = kind_of_source(source)
    if kind.named_readers_only and not source.takes_readers:
        # Chosen roles and the collection's would read all of it.
        raise SourceError(f"A source of the kind {kind.label} is read only by those whom it names. Add it anew.")
    return kind.connect(read_settings(source, kind), credentials.read(source), _build_access(source, check))


def find_way(source: DataSource) -> ChangeWay | None:
    """Return the way in which a data source takes changes; None for none, and where its settings cannot be read."""
    try:
        kind = kind_of_source(source)
        return kind.find_way(read_settings(source, kind))
    except SourceError:
        return None


def connect_for_changes(source: DataSource, *, check: Callable[[], None] = lambda: None) -> TakesChanges:
    """Return a data source at which changes can be proposed, within its limits.

    SourceError when its settings or credentials cannot be used, or when it takes no changes. check: as of `connect`.
    """
    kind = kind_of_source(source)
    given = read_settings(source, kind)
    if kind.connect_for_changes is None or kind.find_way(given) is None:
        raise SourceError(
            f"The source {source.name} takes no changes. An administrator can allow them in its settings."
        )
    return kind.connect_for_changes(given, credentials.read(source), _build_access(source, check))


def _build_access(source: DataSource, check: Callable[[], None] = lambda: None) -> Access:
    return Access(
        max_mb=settings.INGEST_MAX_MB,
        policy=build_policy(),
        folders=tuple(Path(folder).resolve() for folder in settings.SOURCE_FOLDERS),
        pause=Pace(source.requests_per_minute, check).wait,
        markup=markup_from_settings(),
    )


def markup_from_settings() -> MarkupReader:
    """Build the reader of markup from outside; the settings say whether its sandbox is required."""
    return MarkupReader(Sandbox(MARKUP_LIMITS, required=settings.INGEST_FENCE == "required"))


def build_policy() -> Policy:
    """Allow the hosts of the public Internet, and those inside that an administrator entered."""
    names = IntranetHost.objects.values_list("name", flat=True)
    return Policy(inside_hosts=frozenset(name.casefold() for name in names))


class Pace:
    """Lets requests through one by one, as many in a minute as a source is given."""

    def __init__(self, per_minute: int, check: Callable[[], None] = lambda: None) -> None:
        """per_minute: 0 for as many as it answers. check: raises if no request is to be made any more."""
        self._apart = 60 / per_minute if per_minute else 0.0  # seconds
        self._next = 0.0  # by the monotonic clock
        self._check = check

    def wait(self) -> None:
        """Return when the next request may be made."""
        self._check()
        while (left := self._next - time.monotonic()) > 0:
            time.sleep(min(left, _STEP_S))
            self._check()
        self._next = time.monotonic() + self._apart
