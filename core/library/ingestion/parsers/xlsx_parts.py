"""The parts of a workbook's archive, and what each refers to."""

import posixpath
import zipfile
from typing import TYPE_CHECKING

from core.library.ingestion.parsers.drawings.drawing import parse_part

if TYPE_CHECKING:
    from lxml.etree import _Element

BOOK = "xl/workbook.xml"

Related = dict[str, tuple[str, str]]  # by id: the end of the relation's type, and the part's name


class Parts:
    """The parts of a workbook, by their names."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = frozenset(archive.namelist())

    def find_related(self, part: str) -> Related:
        """Return the parts that a part refers to."""
        folder, name = posixpath.split(part)
        root = self.parse(f"{folder}/_rels/{name}.rels")
        return {
            one.get("Id", ""): (
                one.get("Type", "").rpartition("/")[2],
                posixpath.normpath(posixpath.join("/", folder, one.get("Target", ""))).lstrip("/"),
            )
            for one in (root if root is not None else ())
            if isinstance(one.tag, str) and one.get("TargetMode") != "External"
        }

    def parse(self, part: str) -> "_Element | None":
        """Return the root of a part; None where it is missing or damaged."""
        return parse_part(self.read(part))

    def read(self, part: str) -> bytes | None:
        """Return a part as it is; None where it is missing."""
        return self._archive.read(part) if part in self._names else None
