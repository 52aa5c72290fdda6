"""From the row of a data source to what can be asked."""

from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from core.library.ingestion.markup.reader import MARKUP_LIMITS, MarkupReader
from core.library.ingestion.sandbox.process import Sandbox
from core.library.sync import credentials
from core.library.sync.connector import Access, Connector
from core.library.sync.hosts import policy
from core.library.sync.pace import Pace
from core.library.sync.source_settings import kind_of_source, read_settings
from core.models import DataSource


def connect(source: DataSource, *, check: Callable[[], None] = lambda: None) -> Connector:
    """A data source, to be asked within its limits. SourceError when its settings or credentials cannot be used.

    check: called before each request, and while its turn is awaited; what it raises ends what goes on.
    """
    kind = kind_of_source(source)
    access = Access(
        max_mb=settings.INGEST_MAX_MB,
        policy=policy(),
        folders=tuple(Path(folder).resolve() for folder in settings.SOURCE_FOLDERS),
        pause=Pace(source.requests_per_minute, check).wait,
        markup=markup_from_settings(),
    )
    return kind.connect(read_settings(source, kind), credentials.read(source), access)


def markup_from_settings() -> MarkupReader:
    """Build the reader of markup from outside; the settings say whether its sandbox is required."""
    return MarkupReader(Sandbox(MARKUP_LIMITS, required=settings.INGEST_FENCE == "required"))
