"""Read what was filled into the form of a PDF: the fields of a page, and their values beside the labels that are drawn.

A form's values are no text of its pages. Each is written behind its label, as "Berth: North 3". Of radio buttons the
one that was chosen is; a box is ticked or not: "yes" or "no". A form that nobody filled in stays as it is drawn.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

from core.library.ingestion.parsers.pdf.annotations import find_box, insert_lines, read_string, write_line
from core.library.ingestion.parsers.pdf.lines import LinePart, Page, PdfLine

_MOST_FIELDS = 2000  # of a page that are read
_MOST_OPTIONS = 1000  # of a field
_HIDDEN = 0b10  # of an annotation's flags
_PASSWORD = 1 << 13  # of a text field's flags
_FAR = 300.0  # points to the left of a field, where its label is not any more
_FAR_RIGHT = 40.0  # points to the right of a button, likewise
_ABOVE = 14.0  # points by which a label may stand above its field
_LARGEST_LABEL = 13.0  # points of the type of such a label; larger type is a heading's
_REACH = 3.0  # points by which a label may reach into its field
_CLOSED = (":", "?", ".", "!")


class FieldKind(Enum):
    """Tells how a field is filled in."""

    WRITTEN = auto()  # a text, or a choice from a list
    TICK = auto()
    RADIO = auto()  # one of the buttons of a group


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """A field of a form. Distances as in PdfLine."""

    kind: FieldKind
    value: str  # one line; of a radio button what it stands for; "" where nothing was filled in
    is_on: bool  # a button that was chosen or ticked
    group: str  # the field's name, which the radio buttons of a group share
    name: str  # as the form tells people who do not see it; may be ""
    x0: float
    x1: float
    y0: float
    y1: float


@dataclass(slots=True)
class _Piece:
    """A part of a line, and what is filled in behind it."""

    part: LinePart
    line: PdfLine
    values: list[str]
    is_dropped: bool = False


def fill_in_forms(content: bytes, pages: Sequence[Page]) -> tuple[Page, ...]:
    """The pages of a PDF with what was filled into its form, if it has one. A form that cannot be read is left out."""
    import pypdfium2

    with pypdfium2.PdfDocument(content) as document:
        if document.get_formtype() == pypdfium2.raw.FORMTYPE_NONE:
            return tuple(pages)
        try:
            document.init_forms()
        except pypdfium2.PdfiumError:
            return tuple(pages)
        return tuple(fill_in(page, read_fields(document, document[page.number - 1])) for page in pages)


def read_fields(document: Any, page: Any) -> tuple[Field, ...]:
    """Return the fields of a page of pypdfium2, whose forms were initialised."""
    import pypdfium2.raw as pdfium

    found = []
    for number in range(min(pdfium.FPDFPage_GetAnnotCount(page.raw), _MOST_FIELDS)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, number)
        if not annotation:
            continue
        try:
            field = _read_field(document.formenv.raw, page, annotation)
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)
        if field is not None:
            found.append(field)
    return tuple(found)


def _read_field(form: Any, page: Any, annotation: Any) -> Field | None:
    import pypdfium2.raw as pdfium

    if pdfium.FPDFAnnot_GetFlags(annotation) & _HIDDEN:
        return None
    kind = {
        pdfium.FPDF_FORMFIELD_TEXTFIELD: FieldKind.WRITTEN,
        pdfium.FPDF_FORMFIELD_COMBOBOX: FieldKind.WRITTEN,
        pdfium.FPDF_FORMFIELD_LISTBOX: FieldKind.WRITTEN,
        pdfium.FPDF_FORMFIELD_CHECKBOX: FieldKind.TICK,
        pdfium.FPDF_FORMFIELD_RADIOBUTTON: FieldKind.RADIO,
    }.get(pdfium.FPDFAnnot_GetFormFieldType(form, annotation))
    if kind is None:
        return None
    is_secret = kind is FieldKind.WRITTEN and pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD
    if kind is FieldKind.WRITTEN:
        chosen = "" if is_secret else ", ".join(_list_chosen(form, annotation))
        stated = "" if is_secret else read_string(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation)
        value = chosen or stated
    else:
        value = read_string(pdfium.FPDFAnnot_GetFormFieldExportValue, form, annotation)
    x0, x1, y0, y1 = find_box(page, annotation)
    return Field(
        kind=kind,
        value=value,
        is_on=kind is not FieldKind.WRITTEN and bool(pdfium.FPDFAnnot_IsChecked(form, annotation)),
        group=read_string(pdfium.FPDFAnnot_GetFormFieldName, form, annotation),
        name=read_string(pdfium.FPDFAnnot_GetFormFieldAlternateName, form, annotation),
        x0=x0,
        x1=x1,
        y0=y0,
        y1=y1,
    )


def _list_chosen(form: Any, annotation: Any) -> Iterator[str]:
    """Yield the options of a list that were chosen."""
    import pypdfium2.raw as pdfium

    for number in range(min(pdfium.FPDFAnnot_GetOptionCount(form, annotation), _MOST_OPTIONS)):
        if pdfium.FPDFAnnot_IsOptionSelected(form, annotation, number):
            yield read_string(pdfium.FPDFAnnot_GetOptionLabel, form, annotation, number)


def fill_in(page: Page, fields: Sequence[Field]) -> Page:
    """Return the page with the values of its fields behind their labels."""
    if not any(field.is_on or (field.kind is FieldKind.WRITTEN and field.value) for field in fields):
        return page
    pieces = [_Piece(part, line, []) for line in page.lines for part in line.parts]
    alone: list[PdfLine] = []
    for field in sorted(fields, key=lambda one: (one.y0, one.x0)):
        value = _value_of(field, fields, pieces)
        if not value:
            continue
        label = _find_label(field, fields, pieces)
        if label is None:
            named = field.name if field.kind is not FieldKind.RADIO or field.name != field.value else ""
            alone.append(write_line(f"{named}: {value}" if named else value, field.x0, field.x1, field.y0, field.y1))
        elif field.kind is FieldKind.RADIO and label.part.text == value:
            label.values.append("")
        else:
            label.values.append(value)
    return replace(page, lines=_rebuild_lines(page.lines, pieces, alone))


def _value_of(field: Field, fields: Sequence[Field], pieces: Sequence[_Piece]) -> str:
    """Write a field. Labels of radio buttons are taken away: the one that was chosen is a value."""
    if field.kind is FieldKind.WRITTEN:
        return field.value
    if field.kind is FieldKind.TICK:
        return "yes" if field.is_on else "no"
    if not any(other.is_on for other in fields if other.kind is field.kind and other.group == field.group):
        return ""
    option = _find_beside(field, fields, pieces)
    if option is not None:
        option.is_dropped = True
    if not field.is_on:
        return ""
    return option.part.text if option is not None else field.value


def _find_label(field: Field, fields: Sequence[Field], pieces: Sequence[_Piece]) -> _Piece | None:
    if field.kind is FieldKind.TICK:
        return _find_beside(field, fields, pieces)
    group = [other for other in fields if other.kind is FieldKind.RADIO and other.group == field.group] or [field]
    first = min(group, key=lambda one: (round(one.y0), one.x0)) if field.kind is FieldKind.RADIO else field
    return _find_left(first, fields, pieces) or _find_above(first, pieces)


def _find_beside(field: Field, fields: Sequence[Field], pieces: Sequence[_Piece]) -> _Piece | None:
    """Find the label of a button: right of it, as most are, or else left."""
    near = [
        piece
        for piece in pieces
        if not piece.is_dropped and _is_level(piece, field) and -_REACH <= piece.part.x0 - field.x1 <= _FAR_RIGHT
    ]
    return min(near, key=lambda piece: piece.part.x0) if near else _find_left(field, fields, pieces)


def _find_left(field: Field, fields: Sequence[Field], pieces: Sequence[_Piece]) -> _Piece | None:
    """Find the nearest part left of a field, if no other field stands between."""
    left = [
        piece
        for piece in pieces
        if not piece.is_dropped and _is_level(piece, field) and -_REACH <= field.x0 - piece.part.x1 <= _FAR
    ]
    if not left:
        return None
    label = max(left, key=lambda piece: piece.part.x1)
    between = (
        other.x0 >= label.part.x1 - _REACH and other.x1 <= field.x0 + _REACH and _is_level(label, other)
        for other in fields
        if other is not field
    )
    return None if any(between) else label


def _find_above(field: Field, pieces: Sequence[_Piece]) -> _Piece | None:
    """Find the part right above a field's left end."""
    above = [
        piece
        for piece in pieces
        if not piece.is_dropped
        and -_REACH <= field.y0 - piece.line.y1 <= _ABOVE
        and piece.line.size <= _LARGEST_LABEL
        and piece.part.x0 <= field.x0 + 2 * _REACH
        and piece.part.x1 >= field.x0
    ]
    return max(above, key=lambda piece: piece.line.y1) if above else None


def _is_level(piece: _Piece, field: Field) -> bool:
    """Return True if a part stands at the height of a field; of a high one at that of its first line."""
    middle = (piece.line.y0 + piece.line.y1) / 2
    return field.y0 - _REACH <= middle <= field.y1 + _REACH


def _rebuild_lines(lines: Sequence[PdfLine], pieces: Sequence[_Piece], alone: Sequence[PdfLine]) -> tuple[PdfLine, ...]:
    """Return the lines of a page, those with labels that are filled in cut to a line for each."""
    changed: dict[PdfLine, list[_Piece]] = {}
    for piece in pieces:
        changed.setdefault(piece.line, []).append(piece)
    rebuilt: list[PdfLine] = []
    for line in lines:
        own = changed.get(line, [])
        if not any(piece.values or piece.is_dropped for piece in own):
            rebuilt.append(line)
            continue
        rebuilt += [_fill_piece(piece) for piece in own if not piece.is_dropped]
    return insert_lines(rebuilt, alone)


def _fill_piece(piece: _Piece) -> PdfLine:
    label, value = piece.part.text, ", ".join(filter(None, piece.values))
    text = f"{label} {value}" if label.endswith(_CLOSED) else f"{label}: {value}"
    part = replace(piece.part, text=text if value else label)
    return replace(
        piece.line, text=part.text, x0=part.x0, x1=part.x1, parts=(part,), is_field=bool(value) or piece.line.is_field
    )
