"""The words of a paragraph in a Word document as a reader sees them, and what hangs on them."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from core.library.ingestion.parsers.docx.equations import write_equation
from core.library.ingestion.parsers.docx.markup import (
    OFF,
    RUN_PROPERTIES,
    Paragraph,
    children,
    get,
    is_on,
    named,
    number_of,
    value_of,
)
from core.library.ingestion.parsers.docx.notes import REFERENCES
from core.library.ingestion.parsers.docx.styles import Styles
from core.library.ingestion.parsers.raised import Run, write_runs

if TYPE_CHECKING:
    from lxml.etree import _Element

_RUN, _TEXT, _BOX, _CONTROL = named("w:r"), named("w:t"), named("w:txbxContent"), named("w:sdt")
_EQUATIONS = (named("m:oMath"), named("m:oMathPara"))
_DRAWINGS = (named("w:drawing"), named("w:pict"), named("w:object"))
_SIGNS = {
    named("w:tab"): "\t",
    named("w:ptab"): "\t",
    named("w:cr"): "\n",
    named("w:noBreakHyphen"): "-",
}
_BREAK, _SYMBOL, _FIELD, _RUBY = named("w:br"), named("w:sym"), named("w:fldChar"), named("w:ruby")
_NOTE_MARKS = (named("w:footnoteRef"), named("w:endnoteRef"))  # of a note itself, before its words
_PLACEHOLDER = "placeholder text"  # the style of "Click here to enter text"
_BEHIND_WORDS = (".", ",", ";", ":", "!", "?", ")")

# Where the fonts differ from Unicode; of Wingdings those used in lists and forms.
_SYMBOL_FONT = dict(
    zip(
        range(0x41, 0x5B),
        "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ",
        strict=True,
    )
)
_SYMBOL_FONT |= dict(zip(range(0x61, 0x7B), "αβχδεφγηιϕκλμνοπθρστυϖωξψζ", strict=True))
_SYMBOL_FONT |= {
    0x2D: "−",
    0xA2: "′",
    0xA3: "≤",
    0xA4: "⁄",
    0xA5: "∞",
    0xAB: "↔",
    0xAC: "←",
    0xAD: "↑",
    0xAE: "→",
    0xAF: "↓",
    0xB0: "°",
    0xB1: "±",
    0xB2: "″",
    0xB3: "≥",
    0xB4: "×",
    0xB5: "∝",
    0xB7: "•",
    0xB8: "÷",
    0xB9: "≠",
    0xBA: "≡",
    0xBB: "≈",
    0xBC: "…",
    0xC6: "∅",
    0xD1: "∇",
    0xD6: "√",
    0xD7: "⋅",
    0xDE: "⇒",
    0xE5: "∑",
    0xF2: "∫",
}
_WINGDINGS = {
    0x6F: "☐",
    0x71: "☐",
    0xA8: "☐",
    0xE0: "→",
    0xFB: "✗",
    0xFC: "✓",
    0xFD: "☒",
    0xFE: "☑",
}
_FONTS = {"symbol": _SYMBOL_FONT, "wingdings": _WINGDINGS}
_PRIVATE = range(0xF000, 0xF100)  # where Word puts the characters of such fonts


@dataclass(slots=True)
class Line:
    """The words of a paragraph."""

    text: str = ""
    is_bold: bool = False  # all of its words
    notes: list[tuple[str, str]] = field(default_factory=list)  # those referred to: "footnote" or "endnote", and the id
    boxes: "list[_Element]" = field(default_factory=list)  # the w:txbxContent of the text boxes that are anchored in it
    drawings: "list[_Element]" = field(default_factory=list)  # all that are anchored in it


class Words:
    """Reads paragraphs."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles

    def read(self, paragraph: Paragraph) -> Line:
        """Return the words of a paragraph, without what is hidden or struck out."""
        reading = _Reading(self._styles, paragraph.style_id)
        for part in paragraph.parts:
            reading.read(children(part))
        return reading.finish()


class _Reading:
    """One paragraph while it is read."""

    def __init__(self, styles: Styles, style: str) -> None:
        self._styles = styles
        self._style = style  # the paragraph's
        self._line = Line()
        self._runs: list[Run] = []
        self._fields: list[int | None] = []  # where the open fields begin in the runs; None once their result begins
        self._weights: set[bool] = set()  # True where words are bold
        self._is_cut = False  # words or a mark were left out right before

    def read(self, elements: "Iterable[_Element]") -> None:
        """Add the runs and equations of a paragraph, or of the base of a ruby."""
        for element in elements:
            if element.tag == _RUN:
                self._read_run(element)
            elif element.tag in _EQUATIONS:
                self._add_run(Run(write_equation(element)))

    def finish(self) -> Line:
        """Return what was read."""
        self._line.text = write_runs(self._runs)
        self._line.is_bold = self._weights == {True}
        return self._line

    def _read_run(self, run: "_Element") -> None:
        properties = run.find(RUN_PROPERTIES)
        look = self._styles.look(properties, self._style)
        is_hidden = look.is_hidden or (properties is not None and self._is_placeholder(run, properties))
        for child in children(run):
            if child.tag == _FIELD:
                self._read_field(child)
            elif is_hidden:
                continue
            elif child.tag in _DRAWINGS:
                self._line.boxes += _find_boxes(child)
                self._line.drawings.append(child)
            elif look.is_struck or child.tag in _NOTE_MARKS:
                self._is_cut = True
            elif child.tag == _RUBY:
                self._read_ruby(child)
            elif child.tag in REFERENCES:
                self._line.notes.append((REFERENCES[child.tag], get(child, "w:id")))
                is_hidden = get(child, "w:customMarkFollows", "0") not in OFF  # the mark of the note is no word
            elif text := _write_child(child):
                self._add_run(Run(text, look.place))
                if text.strip():
                    self._weights.add(look.is_bold)

    def _is_placeholder(self, run: "_Element", properties: "_Element") -> bool:
        """Return True for the words that a content control shows until something is entered."""
        if self._styles.name(value_of(properties, "w:rStyle")) != _PLACEHOLDER:
            return False
        controls = (control.find(named("w:sdtPr")) for control in run.iterancestors(_CONTROL))
        return any(is_on(control, "w:showingPlcHdr") for control in controls)

    def _add_run(self, run: Run) -> None:
        """Add words. Those before and behind words that were left out have one space between them."""
        before = self._runs[-1] if self._runs else Run(" ")
        if self._is_cut and before.text.endswith(" "):
            run = replace(run, text=run.text.removeprefix(" "))
            if self._runs and run.text.startswith(_BEHIND_WORDS):
                self._runs[-1] = replace(before, text=before.text.removesuffix(" "))
        self._is_cut = False
        self._runs.append(run)

    def _read_ruby(self, ruby: "_Element") -> None:
        """Add the base of a ruby, without the reading above it."""
        for base in ruby.iterchildren(named("w:rubyBase")):
            self.read(children(base))

    def _read_field(self, mark: "_Element") -> None:
        """Begin, divide or end a field. The words before its result are Word's instruction for filling it."""
        kind = get(mark, "w:fldCharType")
        if kind == "begin":
            self._fields.append(len(self._runs))
            self._runs.append(Run(_show_form_field(mark)))
        elif kind == "separate" and self._fields and self._fields[-1] is not None:
            del self._runs[self._fields[-1] + 1 :]
            self._fields[-1] = None
        elif kind == "end" and self._fields:
            begun = self._fields.pop()
            if begun is not None:  # it has no result
                del self._runs[begun + 1 :]


def _write_child(element: "_Element") -> str:
    """Return what a run's child shows; "" for what shows no words."""
    tag = element.tag
    if tag == _TEXT:
        return element.text or ""
    if tag == _BREAK:
        return "\n" if get(element, "w:type", "textWrapping") == "textWrapping" else ""
    if tag == _SYMBOL:
        return show_symbol(get(element, "w:font"), get(element, "w:char"))
    return _SIGNS.get(tag, "")


def _find_boxes(drawing: "_Element") -> "list[_Element]":
    """Return the text boxes in a drawing, new or old, without those inside one of them."""
    found: list[_Element] = []
    for child in children(drawing):
        found += [child] if child.tag == _BOX else _find_boxes(child)
    return found


def _show_form_field(mark: "_Element") -> str:
    """Return what an old form's check box or list shows; "" for other fields."""
    form = mark.find(named("w:ffData"))
    if form is None:
        return ""
    box = form.find(named("w:checkBox"))
    if box is not None:
        state = is_on(box, "w:checked")
        return "☒" if (is_on(box, "w:default") if state is None else state) else "☐"
    choices = form.find(named("w:ddList"))
    if choices is None:
        return ""
    entries = [get(entry, "w:val") for entry in choices.iterchildren(named("w:listEntry"))]
    chosen = number_of(value_of(choices, "w:result") or value_of(choices, "w:default"))
    return entries[chosen] if chosen < len(entries) else ""


def show_symbol(font: str, code: str) -> str:
    """Return the character of a symbol by its font and its code, as "F0B0"; "" for one that only the font has."""
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    if number in _PRIVATE:
        number -= _PRIVATE.start
        return _FONTS.get(font.casefold(), {}).get(number, "")
    if font.casefold() in _FONTS and number in _FONTS[font.casefold()]:
        return _FONTS[font.casefold()][number]
    return chr(number) if 0x20 <= number < 0xD800 else ""
