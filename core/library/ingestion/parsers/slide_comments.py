"""The comments on slides, in both forms that PowerPoint has."""

from typing import TYPE_CHECKING

from core.library.ingestion.parsers.comments import Comments
from core.library.ingestion.parsers.drawings.drawing import parse_part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element
    from pptx.opc.package import XmlPart
    from pptx.presentation import Presentation
    from pptx.slide import Slide

_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_AUTHORS = ("commentAuthors", "authors")  # the ends of the relations' types: of 2007, and of 2018
_OPEN = "active"  # the state of a comment that nobody resolved or closed


def list_authors(presentation: "Presentation") -> dict[str, str]:
    """List the names of those who may have written comments, by their ids."""
    roots = _read_parts(presentation.part, *_AUTHORS)
    return {each.get("id", ""): each.get("name", "") for root in roots for each in root if isinstance(each.tag, str)}


def read_comments(slide: "Slide", number: int, authors: dict[str, str], comments: Comments) -> None:
    """Collect the comments on a slide and the answers to them, without resolved threads. number: of the slide."""
    for root in _read_parts(slide.part, "comments"):
        for comment in root.iterchildren("{*}cm"):
            written = [comment, *comment.iterfind("{*}replyLst/{*}reply")]
            if comment.get("status", _OPEN) != _OPEN:
                comments.leave_out(len(written))
                continue
            for each in written:
                comments.add(
                    _read_text(each),
                    author=authors.get(each.get("authorId", ""), ""),
                    written=each.get("dt") or each.get("created") or "",
                    page=number,
                )


def _read_text(comment: "_Element") -> str:
    body = comment.find("{*}txBody")
    if body is None:
        return comment.findtext("{*}text") or ""
    return "\n".join(
        "".join(text.text or "" for text in line.iter(f"{_DRAWING}t")) for line in body.iterchildren(f"{_DRAWING}p")
    )


def _read_parts(part: "XmlPart", *kinds: str) -> "Iterator[_Element]":
    """Yield the roots of the parts that a part refers to, by the ends of the relations' types."""
    for relation in part.rels.values():
        if not relation.is_external and relation.reltype.rpartition("/")[2] in kinds:
            root = parse_part(relation.target_part.blob)
            if root is not None:
                yield root
