"""From the tokens of RTF to its paragraphs, each with what is known of it."""

import codecs
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from core.library.ingestion.document import MAX_TITLE
from core.library.ingestion.errors import make_unreadable_error
from core.library.ingestion.parsers.raised import Place, Run, leave_out_struck, write_runs
from core.library.ingestion.parsers.rtf.words import CHARACTER_SETS, CHARACTERS, LEFT_OUT, Kind, Token, tokens

_MOST_DEPTH = 10_000  # of groups within groups; a text with pictures in tables has twenty
_BODY_LEVEL = 9  # the outline level of what is no heading
_READ_DESTINATIONS = ("shpinst", "shptxt")  # that begin with \\* and hold text of the document: boxes
_LEAST_SHIFT = 3  # half points, by which raised or lowered type leaves its line
_SHIFT = 6  # half points, where \\up and \\dn state none
_LONGEST_NAME = 200  # characters of a style's name, or of a font's


@dataclass(frozen=True, slots=True)
class Style:
    """A style of the style sheet."""

    name: str  # in lower case
    level: int | None  # of the heading that it is for, from 1


@dataclass(slots=True)
class Paragraph:
    """A paragraph, or what a cell of a table holds."""

    text: str
    style: str = ""  # its name in lower case
    level: int | None = None  # of the heading that it is, from 1
    mark: str = ""  # before an item of a list: "3.", "•"
    depth: int = 0  # of the list, from 0
    is_bold: bool = False  # all of it


@dataclass(slots=True)
class Row:
    """A row of a table."""

    cells: list[Paragraph]
    is_header: bool  # repeated on each page


@dataclass(slots=True)
class Written:
    """The contents of an RTF file."""

    title: str = ""
    author: str = ""
    is_cut_off: bool = False  # the file ends before its text does
    parts: list[Paragraph | Row] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _State:
    """The settings of a group, which its end takes back."""

    into: str = "text"  # where text goes: "text", "styles", "fonts", "title", "author", "mark", "box", "note", or ""
    is_hidden: bool = False
    is_struck: bool = False
    is_struck_twice: bool = False  # by two lines, which are set apart from the one
    place: Place = Place.ON_LINE
    is_bold: bool = False
    font: int | None = None
    skipped: int = 1  # bytes after a character that has a number, for programs that know none
    style: int = 0
    level: int | None = None  # of the outline, from 0
    depth: int = 0
    in_table: bool = False


# Words that set what a group keeps; the number 0 takes it back.
_TOGGLES: dict[str, Callable[[_State, bool], _State]] = {
    "v": lambda state, is_on: replace(state, is_hidden=is_on),
    "deleted": lambda state, is_on: replace(state, is_hidden=is_on),
    "b": lambda state, is_on: replace(state, is_bold=is_on),
    "strike": lambda state, is_on: replace(state, is_struck=is_on),
    "striked": lambda state, is_on: replace(state, is_struck_twice=is_on),
    "super": lambda state, is_on: replace(state, place=Place.RAISED if is_on else Place.ON_LINE),
    "sub": lambda state, is_on: replace(state, place=Place.LOWERED if is_on else Place.ON_LINE),
    "nosupersub": lambda state, _: replace(state, place=Place.ON_LINE),
    "plain": lambda state, _: _State(
        into=state.into,
        skipped=state.skipped,
        style=state.style,
        level=state.level,
        depth=state.depth,
        in_table=state.in_table,
    ),
    "pard": lambda state, _: replace(state, style=0, level=None, depth=0, in_table=False),
}


@dataclass(slots=True)
class _Open:
    """A paragraph that is being read."""

    pieces: list[Run | None] = field(default_factory=list)  # None for what is struck out
    mark: list[str] = field(default_factory=list)
    bold: bool | None = None  # None until it says something


def read_rtf(text: str, name: str) -> Written:
    """Read a file, each byte of which is a character. UnreadableFileError when its groups are nested absurdly deep."""
    reader = _Reader(name)
    for token in tokens(text):
        if not reader.take(token):
            break
    else:
        reader.written.is_cut_off = True  # within a group
    reader.finish()
    return reader.written


class _Reader:
    def __init__(self, name: str) -> None:
        self._name = name
        self._state = _State()
        self._groups: list[_State] = []
        self._outer: list[_Open] = []  # paragraphs around the open box or note
        self._open = _Open()
        self._cells: list[Paragraph] = []  # of the row that is being read
        self._in_cell: list[Paragraph] = []  # paragraphs of the cell that are complete
        self._is_header = False
        self._bytes = bytearray()
        self._skip = 0  # bytes that are left to be passed over
        self._encoding = "cp1252"
        self._fonts: dict[int, str] = {}
        self._styles: dict[int, Style] = {}
        self._entry: list[str] = []  # the text of an entry of the fonts or styles
        self._is_destination = False  # the word before was \*
        self.written = Written()

    def take(self, token: Token) -> bool:
        """Read a token. False at the end of the document."""
        if token.kind is not Kind.BYTE:
            self._decode_bytes()
        is_destination, self._is_destination = self._is_destination, False
        match token.kind:
            case Kind.OPEN:
                if len(self._groups) >= _MOST_DEPTH:
                    raise make_unreadable_error(self._name, "its groups are nested too deeply")
                self._groups.append(self._state)
                self._skip = 0
            case Kind.CLOSE:
                self._skip = 0
                return self._close_group()
            case Kind.WORD if is_destination and token.value not in _READ_DESTINATIONS:
                self._state = replace(self._state, into="")
            case Kind.WORD:
                self._take_word(token.value, token.number)
            case Kind.BYTE if self._skip:
                self._skip -= 1
            case Kind.BYTE:
                self._bytes.append(int(token.value, 16))
            case Kind.TEXT:
                self._take_text(token.value)
        return True

    def finish(self) -> None:
        """End what is still open, as a file that was cut off leaves it."""
        self._decode_bytes()
        while self._outer:
            self._leave_inner("box")
        self._end_paragraph(in_cell=bool(self._cells))
        self._end_cell()
        self._end_row()

    def _close_group(self) -> bool:
        if not self._groups:
            return False
        ended, self._state = self._state, self._groups.pop()
        if ended.into != self._state.into:
            if ended.into in ("box", "note"):
                self._leave_inner(ended.into)
            elif ended.into in ("styles", "fonts"):
                self._entry.clear()
        return bool(self._groups)

    def _leave_inner(self, kind: str) -> None:
        """End a box, whose last paragraph is one by itself, or a note, which is put in brackets in its place."""
        note = write_runs(leave_out_struck(self._open.pieces)).strip()
        if kind == "box":
            self._end_paragraph()
        self._open = self._outer.pop()
        if kind == "note" and note:
            self._open.pieces.append(Run(f" ({note})"))

    def _take_text(self, text: str) -> None:
        if self._skip:
            text, self._skip = text[self._skip :], max(0, self._skip - len(text))
        state = self._state
        if state.into in ("text", "box", "note"):
            if state.is_struck or state.is_struck_twice:
                self._open.pieces.append(None)
            elif not state.is_hidden and text:
                self._open.pieces.append(Run(text, state.place))
                if text.strip():
                    self._open.bold = state.is_bold and self._open.bold is not False
        elif state.into == "mark":
            self._open.mark.append(text)
        elif state.into in ("title", "author"):
            said = getattr(self.written, state.into)
            setattr(self.written, state.into, (said + text)[:MAX_TITLE])
        elif state.into in ("styles", "fonts"):
            self._define_name(text)

    def _define_name(self, text: str) -> None:
        """The name of a style or a font, which ends with a semicolon."""
        self._entry.append(text[:_LONGEST_NAME])
        if not text.rstrip().endswith(";"):
            return
        name = "".join(self._entry).strip().rstrip(";").casefold()
        self._entry.clear()
        if self._state.into == "styles":
            level = self._state.level
            self._styles[self._state.style] = Style(name, level + 1 if level is not None else None)

    def _decode_bytes(self) -> None:
        if not self._bytes:
            return
        encoding = self._fonts.get(self._state.font or 0) or self._encoding
        text = bytes(self._bytes).decode(encoding, "replace")
        self._bytes.clear()
        self._take_text(text)

    def _take_word(self, word: str, number: int | None) -> None:
        match word:
            case "*":
                self._is_destination = True
            case "par" | "sect" | "page" | "column":
                self._break_paragraph()
            case "cell" if self._state.into in ("text", "box"):
                self._end_paragraph(in_cell=True)
                self._end_cell()
            case "row" if self._state.into in ("text", "box"):
                self._end_row()
            case "trhdr" | "trowd":
                self._is_header = word == "trhdr"
            case "u" if number is not None:
                self._take_text(chr(number % 0x10000))
                self._skip = self._state.skipped
            case "up" | "dn" if number is None:
                self._take_numbered(word, _SHIFT)
            case _ if word in _TOGGLES:
                self._state = _TOGGLES[word](self._state, number != 0)
            case _:
                self._take_numbered(word, number) if number is not None else self._take_destination(word)

    def _take_numbered(self, word: str, number: int) -> None:
        state = self._state
        match word:
            case "f":
                self._state = replace(state, font=number)
            case "fcharset" if state.into == "fonts" and state.font is not None:
                self._fonts[state.font] = CHARACTER_SETS.get(number, "")
            case "ansicpg":
                self._encoding = _find_codec(f"cp{number}")
            case "uc":
                self._state = replace(state, skipped=min(max(number, 0), 100))
            case "s":
                self._state = replace(state, style=number)
            case "up" | "dn":
                place = Place.RAISED if word == "up" else Place.LOWERED
                self._state = replace(state, place=place if number >= _LEAST_SHIFT else Place.ON_LINE)
            case "outlinelevel":
                self._state = replace(state, level=number if 0 <= number < _BODY_LEVEL else None)
            case "ilvl":
                self._state = replace(state, depth=min(max(number, 0), _BODY_LEVEL))

    def _take_destination(self, word: str) -> None:
        into = self._state.into
        if into == "" and word not in ("title", "author", "shptxt"):
            return
        if (character := CHARACTERS.get(word)) is not None:
            self._take_text(character)
        elif word == "intbl":
            self._state = replace(self._state, in_table=True)
        elif word in ("title", "author") or (word in ("stylesheet", "fonttbl") and into == "text"):
            self._state = replace(self._state, into={"stylesheet": "styles", "fonttbl": "fonts"}.get(word, word))
        elif word in ("listtext", "pntext"):
            self._state = replace(self._state, into="mark")
        elif word in ("shptxt", "footnote"):
            self._state = replace(self._state, into="box" if word == "shptxt" else "note")
            self._outer.append(self._open)
            self._open = _Open()
        elif word in LEFT_OUT:
            self._state = replace(self._state, into="")

    def _break_paragraph(self) -> None:
        if self._state.into in ("text", "box"):
            self._end_paragraph()
        elif self._state.into == "note":
            self._open.pieces.append(Run(" "))

    def _end_paragraph(self, *, in_cell: bool = False) -> None:
        state, read = self._state, self._open
        self._open = _Open()
        text = _join_halves(write_runs(leave_out_struck(read.pieces)))
        style = self._styles.get(state.style, Style("", None))
        level = state.level + 1 if state.level is not None else style.level
        paragraph = Paragraph(
            text=text,
            style=style.name,
            level=level,
            mark="".join(read.mark).strip(),
            depth=state.depth,
            is_bold=bool(read.bold),
        )
        if in_cell or state.in_table:
            self._in_cell.append(paragraph)
        else:
            self._end_cell()
            self._end_row()
            if text.strip():
                self.written.parts.append(paragraph)

    def _end_cell(self) -> None:
        said = [paragraph for paragraph in self._in_cell if paragraph.text.strip()]
        if self._in_cell:
            text = "\n".join(" ".join(filter(None, (each.mark, each.text.strip()))) for each in said)
            is_bold = bool(said) and all(each.is_bold for each in said)
            self._cells.append(Paragraph(text, is_bold=is_bold))
        self._in_cell = []

    def _end_row(self) -> None:
        if self._cells:
            self.written.parts.append(Row(self._cells, self._is_header))
        self._cells = []


def _find_codec(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return "cp1252"


def _join_halves(text: str) -> str:
    """Text whose characters beyond 16 bits came as two halves."""
    if not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def parts_of(written: Written) -> Iterator[Paragraph | list[Row]]:
    """Yield the paragraphs in their order, and consecutive rows as tables."""
    rows: list[Row] = []
    for part in written.parts:
        if isinstance(part, Row):
            rows.append(part)
            continue
        if rows:
            yield rows
            rows = []
        yield part
    if rows:
        yield rows
