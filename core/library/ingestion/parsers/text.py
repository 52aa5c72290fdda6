"""Plain text: paragraphs below headings, and pages where form feeds part them."""

import re

from core.library.ingestion.document import ParsedDocument
from core.library.ingestion.naming import date_in_name, title_from_name
from core.library.ingestion.parsers.outline import Outline

_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_NUMBER = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})(?P<stop>[.)]?)[ \t]+(?=[^\W\d_])")
# Words alone: a heading has no end of a sentence, no columns and no "To: the crew".
_WORDS = re.compile(r"(?=[^\W\d_])(?![a-z])[^\t|]{2,80}(?<![.,;:!?…])\Z")
_COLUMNS = re.compile(r"[ \t]{3,}|: ")
_MOST_WORDS = 12
# "(71) 5555-0137" is no item 71.
_ITEM = re.compile(r"[ \t]*(?:[-*•–]|\(\d{1,2}\)(?![ \t]+\d)|\d{1,2}[.)]|\(?[a-z][.)])[ \t]+\S")
_PROSE = re.compile(r"[\"'“‘(\[]?(?![a-z])\w[^\n]*(?:[.!?:][\"'”’)\]]?\Z|[.!?][\"'”’)\]]? )")
_SHARE_OF_NEXT = 0.6  # of the next line's characters: with more, a line may be broken for want of room
_LONG = 60  # characters of a line that is no heading by itself
_UNDERLINE = re.compile(r"(?P<mark>[=\-~])(?P=mark){2,80}\Z")
_SECTION, _SUBSECTION = 2, 3


def parse_text(text: str, name: str) -> ParsedDocument:
    """Parse plain text. Its title is its file's name.

    A heading is a short line without the end of a sentence, above a paragraph or a list: by itself, underlined, or as
    the first line of a paragraph that was not broken there for want of room.
    """
    title = title_from_name(name)
    outline = Outline(title)
    pages = text.replace("\r\n", "\n").replace("\r", "\n").split("\f")
    for number, page in enumerate(pages, 1):
        paragraphs = [paragraph.strip("\n") for paragraph in _BLANK_LINES.split(page)]
        for paragraph, following in zip(paragraphs, [*paragraphs[1:], ""], strict=True):
            level, heading, rest = _part_heading(paragraph, following)
            if heading:
                outline.heading(level, heading)
            outline.text(rest, page=number if len(pages) > 1 else None)
    return ParsedDocument(title=title, document_date=date_in_name(name), blocks=outline.blocks)


def _part_heading(paragraph: str, following: str) -> tuple[int, str, str]:
    """Return the level and words of the heading that a paragraph begins with, and the rest; "" where it has none."""
    line, _, rest = paragraph.partition("\n")
    line, below = line.strip(), rest.partition("\n")[0].strip()
    nothing = 0, "", paragraph
    if not _is_heading(line):
        return nothing
    numbered = _NUMBER.match(line)
    level = _SECTION + numbered["number"].count(".") if numbered else _SECTION
    if underline := _UNDERLINE.match(below):
        return (_SECTION if underline["mark"] == "=" else level), line, rest.partition("\n")[2]
    if not rest:
        first = following.partition("\n")[0].strip()
        is_above = _is_text(first, numbered=bool(numbered)) or bool(_part_heading(following, "")[1])
        return (level, line, "") if is_above else nothing
    is_broken_early = len(line) <= _SHARE_OF_NEXT * len(below) or bool(_ITEM.match(below))
    if not (is_broken_early and _is_text(below, numbered=bool(numbered))):
        return nothing
    return level if numbered else _SUBSECTION, line, rest


def _is_heading(line: str) -> bool:
    numbered = _NUMBER.match(line)
    if numbered and not numbered["stop"] and "." not in numbered["number"]:
        return False  # "22 September 2026", "16 bicycles"
    words = line[numbered.end() :] if numbered else line
    return bool(_WORDS.match(words)) and not _COLUMNS.search(words) and len(words.split()) <= _MOST_WORDS


def _is_text(line: str, *, numbered: bool) -> bool:
    """Return True if a line begins what stands below a heading; numbered lines above items are items too."""
    if _ITEM.match(line):
        return not numbered
    return bool(_PROSE.match(line)) or (len(line) >= _LONG and not line[:1].islower())
