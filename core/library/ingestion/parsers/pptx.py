"""PPTX: a page for each slide, with its title as section, its texts in reading order and the speaker's notes.

What is struck out is left out. Comments are read in both forms that PowerPoint has.
"""

import io
import zipfile
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.document import MAX_TITLE, ParsedDocument
from core.library.ingestion.errors import make_damaged_error
from core.library.ingestion.extent import Found, Loss, Tally
from core.library.ingestion.naming import date_in_name, date_in_words, title_from_name
from core.library.ingestion.parsers.comments import Comments
from core.library.ingestion.parsers.docx.equations import write_equation
from core.library.ingestion.parsers.drawings import Drawings, parse_part
from core.library.ingestion.parsers.header import describe
from core.library.ingestion.parsers.outline import Outline
from core.library.ingestion.parsers.raised import Place, Run, leave_out_struck, write_runs
from core.library.ingestion.parsers.spans import GridCell, GridRow, Said, write_spanned
from core.library.ingestion.parsers.strict import as_common
from core.library.ingestion.parsers.written import item

if TYPE_CHECKING:
    from lxml.etree import _Element
    from pptx.opc.package import XmlPart
    from pptx.presentation import Presentation
    from pptx.shapes.base import BaseShape
    from pptx.slide import Slide
    from pptx.table import Table
    from pptx.text.text import TextFrame, _Paragraph


_NOTES = "Notes of the speaker:"
_MOST_DEPTH = 40  # of groups within groups
_SLIDE_LEVEL = 2
_TEMPLATE_TITLES = {"PowerPoint Presentation", "PowerPoint-Präsentation", "Présentation PowerPoint"}
_TEMPLATE_AUTHOR = "Steve Canny"  # of the template that python-pptx begins with
_ALTERNATES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_TREES, _SHAPES = (
    tuple(f"{{http://schemas.openxmlformats.org/presentationml/2006/main}}{name}" for name in names)
    for names in (("spTree", "grpSp"), ("sp", "pic", "graphicFrame", "grpSp", "cxnSp"))
)
_MARKS = ("a:buNone", "a:buChar", "a:buAutoNum")
# Placeholders that every slide repeats.
_REPEATED = {"DATE", "FOOTER", "HEADER", "SLIDE_NUMBER"}

_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_AUTHORS = ("commentAuthors", "authors")  # the ends of the relations' types: of 2007, and of 2018
_OPEN = "active"  # the state of a comment that nobody resolved or closed

_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_RUNS = {f"{_DRAWING}r", f"{_DRAWING}fld"}
_BREAK = f"{_DRAWING}br"
_EQUATION = "{http://schemas.microsoft.com/office/drawing/2010/main}m"
_STRUCK = {"sngStrike", "dblStrike"}


def parse_pptx(content: bytes, name: str) -> ParsedDocument:
    """Parse a presentation without its hidden slides. UnreadableFileError when it is damaged."""
    import pptx
    from lxml.etree import XMLSyntaxError
    from pptx.exc import PackageNotFoundError

    try:
        presentation = pptx.Presentation(io.BytesIO(as_common(content)))
        slides = list(presentation.slides)
    except (PackageNotFoundError, KeyError, ValueError, XMLSyntaxError, zipfile.BadZipFile) as error:
        raise make_damaged_error(name, error) from error
    title, author = _read_properties(presentation, slides, name)
    outline, tally = Outline(title), Tally()
    drawings, comments = Drawings(tally), Comments(tally)
    authors = list_authors(presentation)
    tally.find(Found.PAGES, len(slides))
    for number, slide in enumerate(slides, 1):
        if slide._element.get("show") in ("0", "false"):
            tally.leave_out(Loss.HIDDEN_PAGES)
            continue
        tally.find(Found.NOTES, _write_slide(slide, number, outline, drawings))
        read_comments(slide, number, authors, comments)
    date = date_in_name(name) or date_in_words(title)
    return ParsedDocument(
        **describe(title, author, date), blocks=outline.blocks, extent=tally.extent, comments=comments.blocks
    )


def _read_properties(presentation: "Presentation", slides: "list[Slide]", name: str) -> tuple[str, str]:
    """Return the title and the author that a presentation states; the title of its first slide where it states none."""
    stated = one_line(presentation.core_properties.title or "", MAX_TITLE)
    first = one_line(_find_slide_title(slides[0]), MAX_TITLE) if slides else ""
    author = one_line(presentation.core_properties.author or "")
    title = (stated if stated not in _TEMPLATE_TITLES else "") or first or title_from_name(name)
    return title, author if author != _TEMPLATE_AUTHOR else ""


def _find_slide_title(slide: "Slide") -> str:
    shape = slide.shapes.title
    return one_line(read_frame(shape.text_frame)) if shape is not None and shape.has_text_frame else ""


def _write_slide(slide: "Slide", number: int, outline: Outline, drawings: Drawings) -> bool:
    """Write a slide. Returns True where it has notes of the speaker."""
    _choose_alternatives(slide)
    title = _find_slide_title(slide)
    titled = slide.shapes.title.shape_id if slide.shapes.title is not None else None
    blocks: list[str] = []
    for shape in _in_reading_order(slide.shapes, 0):
        if shape.shape_id != titled and not (shape.is_placeholder and shape.placeholder_format.type.name in _REPEATED):
            blocks += _read_texts(shape, drawings)
    frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    notes = read_frame(frame).strip() if frame is not None else ""
    blocks = [block for block in blocks if block.strip()]
    if not (title or blocks or notes):
        return False
    outline.heading(_SLIDE_LEVEL, title or f"Slide {number}")
    for text in blocks or [title]:  # a slide of a title alone says that
        outline.text(text, page=number)
    if notes:
        outline.text(f"{_NOTES}\n{notes}", page=number)
    return bool(notes)


def _choose_alternatives(slide: "Slide") -> None:
    """Put shapes that have two forms in their places, in the newer form: a box with an equation, a picture of ink."""
    tree = slide.shapes._spTree
    for alternates in list(tree.iter(_ALTERNATES)):
        around = alternates.getparent()
        if around.tag not in _TREES:
            continue
        forms = (list(branch.iterchildren(*_SHAPES)) for branch in alternates)
        for shape in next(filter(None, forms), []):
            alternates.addprevious(shape)
        around.remove(alternates)


def _in_reading_order(shapes: "Iterable[BaseShape]", depth: int) -> "Iterator[BaseShape]":
    """Yield the shapes from the top down and from left to right, those of a group in the group's place."""
    from pptx.shapes.group import GroupShape

    if depth > _MOST_DEPTH:
        return
    for shape in sorted(shapes, key=lambda one: (one.top or 0, one.left or 0)):
        if isinstance(shape, GroupShape):
            yield from _in_reading_order(shape.shapes, depth + 1)
        else:
            yield shape


def _read_texts(shape: "BaseShape", drawings: Drawings) -> list[str]:
    from pptx.shapes.autoshape import Shape
    from pptx.shapes.graphfrm import GraphicFrame

    if isinstance(shape, GraphicFrame) and shape.has_table:
        return [_write_table(shape.table)]
    if isinstance(shape, Shape):
        return list(_write_paragraphs(shape.text_frame, is_list=_is_body(shape)))
    return drawings.read(shape._element, partial(_find_part, shape))


def _find_part(shape: "BaseShape", name: str) -> bytes | None:
    """Return the part of the file that a shape refers to; None where there is none."""
    try:
        relation = shape.part.rels[name]
    except KeyError:
        return None
    return None if relation.is_external else relation.target_part.blob


def _is_body(shape: "BaseShape") -> bool:
    """Return True if a text box's paragraphs are list items by default, as in a layout's main box."""
    return shape.is_placeholder and shape.placeholder_format.type.name in {"BODY", "OBJECT", "VERTICAL_BODY"}


def _write_paragraphs(frame: "TextFrame", *, is_list: bool) -> Iterator[str]:
    """Yield the paragraphs of a text box; several items in a row are one list, counted where the slide counts them."""
    items: list[str] = []
    counts: dict[int, int] = {}  # of the items that are counted, by their depth
    read = [(paragraph, read_paragraph(paragraph)) for paragraph in frame.paragraphs]
    said = [(paragraph, text) for paragraph, text in read if text.strip()]
    for paragraph, text in said:
        depth, mark = paragraph.level, _find_mark(paragraph)
        if mark != "a:buNone" and (mark or depth or (is_list and len(said) > 1)):
            counts = {level: count for level, count in counts.items() if level <= depth}
            counts[depth] = counts.get(depth, 0) + 1 if mark == "a:buAutoNum" else 0
            items.append(item(text, depth=depth, number=counts[depth] or None))
            continue
        if items:
            yield "\n".join(items)
            items, counts = [], {}
        yield text
    if items:
        yield "\n".join(items)


def _find_mark(paragraph: "_Paragraph") -> str:
    """Return the element name of a paragraph's own bullet or number; "" where its layout decides."""
    from pptx.oxml.ns import qn

    properties = paragraph._p.pPr
    found = (tag for tag in _MARKS if properties is not None and properties.find(qn(tag)) is not None)
    return next(found, "")


def _write_table(found: "Table") -> str:
    """Return a table as text. A merged cell holds for the columns and rows that it covers."""
    from pptx.table import _Cell

    rows, said = [], []
    for number, row in enumerate(found._tbl.tr_lst):  # the library's own rows look for each cell from the first on
        elements = row.tc_lst
        cells = [
            GridCell(
                element=element,
                column=column,
                span=min(element.gridSpan, len(elements) - column),
                is_merged=element.vMerge or element.rowSpan > 1,
                goes_on=element.vMerge,
            )
            for column, element in enumerate(elements)
            if not (column and element.hMerge)
        ]
        rows.append(GridRow(cells=tuple(cells), is_header=found.first_row and number == 0))
        texts = [one_line(read_frame(_Cell(elements[cell.column], found).text_frame)) for cell in cells]
        said.append([Said(text=text, is_bold=False) for text in texts])
    return write_spanned(rows, said)


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


def read_paragraph(paragraph: "_Paragraph") -> str:
    """Return the words of a paragraph without what is struck out; a line break is a "\\n"."""
    return write_runs(leave_out_struck(_read_runs(paragraph._p)))


def read_frame(frame: "TextFrame") -> str:
    """Return the words of a text box, each paragraph on a line."""
    return "\n".join(read_paragraph(paragraph) for paragraph in frame.paragraphs)


def _read_runs(element: "_Element") -> Iterator[Run | None]:
    for child in element:
        if child.tag == _BREAK:
            yield Run("\n")
        elif child.tag in _RUNS:
            properties = child.find(f"{_DRAWING}rPr")
            is_struck = properties is not None and properties.get("strike") in _STRUCK
            yield None if is_struck else Run(child.findtext(f"{_DRAWING}t") or "", _find_place(properties))
        elif child.tag == _ALTERNATES:  # an equation, with a picture of it for older programs
            choice = child.find(f"{_COMPATIBILITY}Choice")
            yield from () if choice is None else _read_runs(choice)
        elif child.tag == _EQUATION:
            yield Run("\n".join(write_equation(equation) for equation in child))


def _find_place(properties: "_Element | None") -> Place:
    """Return the place of a run by the height of its baseline, in thousandths of a line or in percent."""
    baseline = "" if properties is None else properties.get("baseline", "").strip()
    if not baseline.strip("+-0.%"):
        return Place.ON_LINE
    return Place.LOWERED if baseline.startswith("-") else Place.RAISED
