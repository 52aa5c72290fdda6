"""The kinds of data sources. Each is imported when it is used: their libraries are large."""

from importlib import import_module

from core.sync.connector import Kind

# The name of a kind, and the module that holds it as KIND.
MODULES: dict[str, str] = {
    "azure": "core.sync.kinds.azure",
    "folder": "core.sync.kinds.folder",
    "gcs": "core.sync.kinds.gcs",
    "git": "core.sync.kinds.git",
    "github": "core.sync.kinds.github",
    "s3": "core.sync.kinds.s3",
    "sftp": "core.sync.kinds.sftp",
    "smb": "core.sync.kinds.smb",
    "webdav": "core.sync.kinds.webdav",
}


def kind_of(name: str) -> Kind:
    """The kind of that name. KeyError when there is none."""
    kind: Kind = import_module(MODULES[name]).KIND
    return kind
