"""The comments in the margins of a Word document."""

from typing import TYPE_CHECKING

from core.library.ingestion.parsers.comments import Comments
from core.library.ingestion.parsers.docx.markup import PARAGRAPH, Paragraph, blocks, get, named
from core.library.ingestion.parsers.docx.notes import find_part
from core.library.ingestion.parsers.docx.words import Words

if TYPE_CHECKING:
    from docx.document import Document
    from lxml.etree import _Element

_COMMENT, _REFERENCE = named("w:comment"), named("w:commentReference")
_DELETED = (named("w:del"), named("w:moveFrom"))
_STATES = "commentsExtended"  # of the part that says which comments are resolved
_IN_2012 = "{http://schemas.microsoft.com/office/word/2012/wordml}"
_IN_2010 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_ON = {"1", "true", "on"}


def read_comments(document: "Document", words: Words, comments: Comments) -> None:
    """Collect the comments that Word shows in the margins, without those that are resolved or fixed to deleted text."""
    root = find_part(document, "comments")
    if root is None:
        return
    shown, resolved = _list_shown(document.element.body), _list_resolved(document)
    for comment in root.iterchildren(_COMMENT):
        if get(comment, "w:id") not in shown or _find_last_paragraph(comment) in resolved:
            comments.leave_out()
            continue
        paragraphs = (words.read(block).text for block in blocks(comment) if isinstance(block, Paragraph))
        comments.add(
            "\n".join(filter(str.strip, paragraphs)), author=get(comment, "w:author"), written=get(comment, "w:date")
        )


def _list_shown(body: "_Element") -> set[str]:
    """List the ids of the comments that the text refers to, once its tracked changes are accepted."""
    references = body.iter(_REFERENCE)
    return {get(each, "w:id") for each in references if next(each.iterancestors(*_DELETED), None) is None}


def _list_resolved(document: "Document") -> set[str]:
    """List the last paragraphs of resolved threads: of the comment that began each, and of its answers."""
    root = find_part(document, _STATES)
    states = list(root.iterchildren(f"{_IN_2012}commentEx")) if root is not None else []
    resolved = {each.get(f"{_IN_2012}paraId", "") for each in states if each.get(f"{_IN_2012}done") in _ON}
    answers = {each.get(f"{_IN_2012}paraId", ""): each.get(f"{_IN_2012}paraIdParent", "") for each in states}
    return (resolved | {answer for answer, first in answers.items() if first in resolved}) - {""}


def _find_last_paragraph(comment: "_Element") -> str:
    """Return the id of the paragraph by which a comment's state is known; "" where it has none."""
    last = next(comment.iterchildren(PARAGRAPH, reversed=True), None)
    return "" if last is None else str(last.get(f"{_IN_2010}paraId", ""))
