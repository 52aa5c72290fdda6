"""The kind and the settings of a data source, read from its row."""

from pydantic import BaseModel, ValidationError

from core.errors import SourceError
from core.library.sync.connector import Kind
from core.library.sync.kinds import kind_of
from core.models import DataSource


def kind_of_source(source: DataSource) -> Kind:
    """Find the kind of a data source. SourceError when this version has none of that name."""
    try:
        return kind_of(source.kind)
    except KeyError:
        raise SourceError(f"This version of Footnote has no sources of the kind {source.kind}.") from None


def read_settings(source: DataSource, kind: Kind) -> BaseModel:
    """Read the settings of a data source. SourceError, which names the first that is wrong."""
    try:
        return kind.settings.model_validate(source.settings)
    except ValidationError as error:
        first = error.errors()[0]
        raise SourceError(f"The setting {'.'.join(map(str, first['loc']))} is wrong: {first['msg']}.") from None
