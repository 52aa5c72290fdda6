"""Loading whatever parsers use before a file from outside is seen: once shut in, a process opens no file.

Libraries load some of their parts when they first need them. What is small is imported here for good; what is large and
rarely needed is kept as source text, and imported from there.
"""

import encodings
import importlib
import pkgutil
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

from core.language.nlp.known_words import load_common_words, load_english_words
from core.library.ingestion.formats import FileKind
from core.library.ingestion.parsers import parse

_USED = (
    "charset_normalizer",
    "filetype",
    *(kind.value.parser_module for kind in FileKind),
    *(library for kind in FileKind for library in kind.value.libraries),
)
# A module for each of two hundred languages, of which a page needs the first few that fit its date.
_KEPT_AS_SOURCE = "dateparser.data.date_translation_data"


def load_parsers() -> None:
    """Import all parsers, their libraries and every text encoding. Takes some tenths of a second."""
    for name in _USED:
        importlib.import_module(name)
    for _, name, _ in pkgutil.iter_modules(encodings.__path__):
        if name not in ("mbcs", "oem"):  # Windows' own
            importlib.import_module(f"encodings.{name}")
    sys.meta_path.insert(0, _FromMemory(_sources(importlib.import_module(_KEPT_AS_SOURCE))))
    # dateparser asks for the time zone of the machine, and trafilatura for lists of words; both keep what they got.
    importlib.import_module("tzlocal").get_localzone()
    load_english_words()
    load_common_words()
    parse(b"<html><body><p>A page of few words.</p></body></html>", "page.html")


def _sources(package: ModuleType) -> dict[str, str]:
    """Return the source text of a package's modules, by their names."""
    names = [f"{package.__name__}.{found.name}" for found in pkgutil.iter_modules(package.__path__)]
    specs = {name: find_spec(name) for name in names}
    return {name: Path(spec.origin).read_text(encoding="utf-8") for name, spec in specs.items() if spec and spec.origin}


class _FromMemory(MetaPathFinder, InspectLoader):
    """Imports modules from source text."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a module of ours; None for any other."""
        return spec_from_loader(fullname, self) if fullname in self._sources else None

    def get_source(self, fullname: str) -> str:
        """Return the text that was kept."""
        return self._sources[fullname]
