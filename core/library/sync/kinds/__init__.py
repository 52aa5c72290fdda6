"""The kinds of data sources, and what a source has of them: its kind, and its settings.

Each kind is imported when it is used: their libraries are large.
"""

from importlib import import_module

from pydantic import BaseModel, ValidationError

from core.errors import SourceError
from core.library.sync.connector import Kind
from core.models import DataSource

# The name of a kind, and the module that holds it as KIND, in the order in which they are offered.
MODULES: dict[str, str] = {
    name: f"core.library.sync.kinds.{name}"
    for name in (
        "web_site",
        "confluence",
        "jira",
        "google_drive",
        "sharepoint",
        "notion",
        "imap",
        "folder",
        "s3",
        "gcs",
        "azure",
        "sftp",
        "smb",
        "webdav",
        "git",
        "github",
        "arxiv",
        "federal_reserve",
    )
}


def kind_of(name: str) -> Kind:
    """Return the kind of that name. KeyError when there is none."""
    kind: Kind = import_module(MODULES[name]).KIND
    return kind


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
