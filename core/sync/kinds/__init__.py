"""The kinds of data sources. Each is imported when it is used: their libraries are large."""

from importlib import import_module

from core.sync.connector import Kind

# Name of a kind to the module that holds it as KIND.
MODULES: dict[str, str] = {
    "web_site": "core.sync.kinds.web_site",
    "arxiv": "core.sync.kinds.arxiv",
    "federal_reserve": "core.sync.kinds.federal_reserve",
    "confluence": "core.sync.kinds.confluence",
    "notion": "core.sync.kinds.notion",
    "google_drive": "core.sync.kinds.google_drive",
}


def kind_of(name: str) -> Kind:
    """The kind of that name. KeyError when there is none."""
    kind: Kind = import_module(MODULES[name]).KIND
    return kind
