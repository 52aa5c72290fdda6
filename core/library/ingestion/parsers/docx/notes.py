"""The footnotes and endnotes of a Word document."""

from typing import TYPE_CHECKING, Any

from core.library.ingestion.parsers.docx.markup import get, named

if TYPE_CHECKING:
    from docx.document import Document
    from lxml.etree import _Element


REFERENCES = {named("w:footnoteReference"): "footnote", named("w:endnoteReference"): "endnote"}

_NO_NOTES = ("separator", "notice")  # ends of the types of lines between text and notes


class Notes:
    """The notes by their kind and id. Each is given once, so that none is read again and again."""

    def __init__(self, document: "Document") -> None:
        self._notes = {
            (kind, get(note, "w:id")): note
            for kind in ("footnote", "endnote")
            for note in _read_part(document, f"{kind}s", named(f"w:{kind}"))
        }

    def __len__(self) -> int:
        """Count the notes, without the lines that part them from the text."""
        return sum(not get(note, "w:type", "normal").lower().endswith(_NO_NOTES) for note in self._notes.values())

    def take(self, kind: str, identifier: str) -> "_Element | None":
        """Return a note that was not taken before; None where there is none."""
        return self._notes.pop((kind, identifier), None)


def _read_part(document: "Document", kind: str, tag: str) -> "list[_Element]":
    """Return the notes in one part of the file; none where it is missing or damaged. Notes have no notes."""
    root = find_part(document, kind)
    if root is None:
        return []
    for reference in list(root.iter(*REFERENCES)):
        reference.getparent().remove(reference)
    return list(root.iterchildren(tag))


def find_part(document: "Document", kind: str) -> "_Element | None":
    """Return the root of a part that a document refers to, as "styles"; None where it is missing or damaged."""
    from docx.oxml.parser import parse_xml
    from lxml.etree import XMLSyntaxError

    relations = document.part.rels.values()
    wanted = (one for one in relations if not one.is_external and one.reltype.endswith(f"/relationships/{kind}"))
    part: Any = next((one.target_part for one in wanted), None)
    if part is None:
        return None
    try:
        return part.element if hasattr(part, "element") else parse_xml(part.blob)
    except XMLSyntaxError:
        return None
