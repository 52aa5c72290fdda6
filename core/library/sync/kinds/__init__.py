"""The kinds of data sources. Each is imported when it is used: their libraries are large."""

from importlib import import_module

from core.library.sync.connector import Kind

# The name of a kind, and the module that holds it as KIND, in the order in which they are offered.
MODULES: dict[str, str] = {
    name: f"core.library.sync.kinds.{name}"
    for name in (
        "web_site",
        "confluence",
        "google_drive",
        "notion",
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
    """The kind of that name. KeyError when there is none."""
    kind: Kind = import_module(MODULES[name]).KIND
    return kind
