"""From the row of a data source to what can be asked."""

from pathlib import Path

from django.conf import settings
from pydantic import BaseModel, ValidationError

from core.errors import SourceError
from core.models import DataSource
from core.sync import credentials
from core.sync.connector import Access, Connector, Kind
from core.sync.hosts import policy
from core.sync.kinds import kind_of
from core.sync.pace import Pace


def kind_of_source(source: DataSource) -> Kind:
    """The kind of a data source. SourceError when this version has none of that name."""
    try:
        return kind_of(source.kind)
    except KeyError:
        raise SourceError(f"This version of Footnote has no sources of the kind {source.kind}.") from None


def connect(source: DataSource) -> Connector:
    """A data source, to be asked within its limits. SourceError when its settings or credentials cannot be used."""
    kind = kind_of_source(source)
    access = Access(
        max_mb=settings.INGEST_MAX_MB,
        policy=policy(),
        folders=tuple(Path(folder).resolve() for folder in settings.SOURCE_FOLDERS),
        pause=Pace(source.requests_per_minute).wait,
    )
    return kind.connect(read_settings(source, kind), credentials.read(source), access)


def read_settings(source: DataSource, kind: Kind) -> BaseModel:
    """The settings of a data source. SourceError, which names the first that is wrong."""
    try:
        return kind.settings.model_validate(source.settings)
    except ValidationError as error:
        first = error.errors()[0]
        raise SourceError(f"The setting {'.'.join(map(str, first['loc']))} is wrong: {first['msg']}.") from None
