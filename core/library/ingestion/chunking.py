"""Splitting a document into chunks. Pure: a tokenizer goes in, values come out.

A chunk lies within one section of one chapter. It is cut where a paragraph ends, else a sentence, else a word. Chunks
do not overlap: the headings, which are embedded with each chunk, give the context that an overlap would; and an overlap
would let one sentence be found, and cited, twice. Only a chunk that begins within a list or a table repeats what
introduces it: the lead-in, the item above, the header's row.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

from core.language.nlp.layout import BlockKind, draw_rule, is_rule
from core.language.nlp.scripts import is_beyond_latin
from core.language.nlp.structure import units
from core.library.ingestion.document import Block, ParsedDocument
from core.values.secrets import MASK, mask_secrets

if TYPE_CHECKING:
    from semantic_text_splitter import TextSplitter
    from tokenizers import Tokenizer

_MASKED = re.compile(f"{MASK}+")
CUT = 4  # counts the ways to cut; what was cut in an earlier way is cut anew when it is ingested again
MOST_TOKENS = 220  # of the content and its headings together; all-MiniLM-L6-v2 cuts silently after 256
_RESERVE = 8  # tokens kept free for the model's own marks and for what joining two texts may add
_MOST_HEADING_TOKENS = 64
_MOST_HEADING_CHARACTERS = 600
_STEP = 16  # the room for headings is rounded up to it, so that few splitters are needed
_MOST_CHARACTERS = 4000  # a run of letters without a space is one token to some models, however long it is
_MOST_UNSPACED = 800  # of writing other than Latin: Thai has no spaces, and a run of it is one token to some models
_PARAGRAPH = "\n\n"
_MOST_REPEATED_TOKENS = 64  # of what introduces a list or a table; a longer one is not repeated


@dataclass(frozen=True, kw_only=True, slots=True)
class TextChunk:
    """A piece of a document's text: text[start:end], verbatim, of the blocks with what joins them.

    `content` is what it repeats, and that piece.
    """

    content: str
    repeated: int  # characters at the beginning of the content that repeat earlier text: the piece's introduction
    start: int
    end: int
    chapter: str
    section: str
    page_number: int | None  # where the chunk starts
    later_pages: tuple[tuple[int, int], ...]  # (offset in the content, page) where the chunk goes on to another page
    token_count: int  # of the content
    embedded_text: str  # the headings and the content: what the embedding model reads


def chunks(document: ParsedDocument, tokenizer: "Tokenizer", *, most_tokens: int = MOST_TOKENS) -> list[TextChunk]:
    """Split a document.

    most_tokens: the most that one chunk and its headings may have; at least 64.
    """
    found = []
    for section in _join_sections(document.blocks):
        block = section.blocks[0]
        headings = heading_line(document.title, block.chapter, block.section, tokenizer)
        room = _measure_room(_count_tokens(headings, tokenizer), most_tokens)
        token_starts = [start for start, _ in tokenizer.encode(section.text, add_special_tokens=False).offsets]
        for piece in _cut_pieces(section.text, len(token_starts), tokenizer, room):
            content = piece.repeated + section.text[piece.start : piece.end]
            own = bisect_left(token_starts, piece.end) - bisect_left(token_starts, piece.start)
            found.append(
                TextChunk(
                    content=content,
                    repeated=len(piece.repeated),
                    start=section.start + piece.start,
                    end=section.start + piece.end,
                    chapter=block.chapter,
                    section=block.section,
                    page_number=section.page_at(piece.first),
                    later_pages=section.pages_of(piece),
                    token_count=max(1, own + (_count_tokens(piece.repeated, tokenizer) if piece.repeated else 0)),
                    embedded_text=embedded_text(headings, content),
                )
            )
    return found


def heading_line(title: str, chapter: str, section: str, tokenizer: "Tokenizer") -> str:
    """Title, chapter and section on one line, each once; the outer ones go when it is too long."""
    parts: list[str] = []
    for part in (title, chapter, section):
        if part and part not in parts:
            parts.append(part)
    while len(parts) > 1 and _count_tokens(" > ".join(parts), tokenizer) > _MOST_HEADING_TOKENS:
        parts.pop(0)
    line = " > ".join(parts)[:_MOST_HEADING_CHARACTERS]
    encoding = tokenizer.encode(line, add_special_tokens=False)
    if len(encoding.ids) > _MOST_HEADING_TOKENS:
        line = line[: encoding.offsets[_MOST_HEADING_TOKENS - 1][1]]
    return line


def embedded_text(headings: str, content: str) -> str:
    """Build the text of a chunk that the embedding model reads: its headings on a line, if any, and its content.

    A dot is in the place of each secret, for the model may be somebody else's.
    """
    text = f"{headings}\n{content}" if headings else content
    return _MASKED.sub(MASK, masked) if (masked := mask_secrets(text)) != text else text


@dataclass(frozen=True, slots=True)
class _Piece:
    """One chunk's stretch of a section's text: text[start:end], and before it a repeated introduction."""

    start: int
    end: int
    repeated: str = ""
    repeated_from: int | None = None  # where that begins in the section's text

    @property
    def first(self) -> int:
        """The offset in the section's text at which the chunk's content begins."""
        return self.start if self.repeated_from is None else self.repeated_from


@dataclass(frozen=True, slots=True)
class _Section:
    """The blocks of one section in a row, and their joined text."""

    start: int  # in the document's text
    text: str
    blocks: tuple[Block, ...]
    starts: tuple[int, ...]  # of the blocks, in the section's text

    def page_at(self, offset: int) -> int | None:
        """Return the page of the block in which a place in the section's text lies."""
        before = [block for block, start in zip(self.blocks, self.starts, strict=True) if start <= offset]
        return before[-1].page_number

    def pages_of(self, piece: _Piece) -> tuple[tuple[int, int], ...]:
        """Find where in a chunk's content another page begins: (offset in the content, page)."""
        found: list[tuple[int, int]] = []
        page = self.page_at(piece.first)
        places = [piece.start, *(start for start in self.starts if piece.start < start < piece.end)]
        for start in places:
            here = self.page_at(start)
            if here is not None and here != page:
                page = here
                found.append((len(piece.repeated) + start - piece.start, page))
        return tuple(found)


def _join_sections(blocks: tuple[Block, ...]) -> Iterator[_Section]:
    position = 0
    numbered = groupby(enumerate(blocks), key=lambda item: (item[1].chapter, item[1].section))
    for _, group in numbered:
        text = ""
        starts = []
        start = None
        members = []
        for index, block in group:
            joint = _find_joint(blocks, index)
            if start is None:
                start = position + len(joint)
            else:
                text += joint
            starts.append(len(text))
            text += block.text
            members.append(block)
            position += len(joint) + len(block.text)
        yield _Section(start or 0, text, tuple(members), tuple(starts))


def _find_joint(blocks: tuple[Block, ...], index: int) -> str:
    """Return the separator between a block and the one before it."""
    if index == 0:
        return ""
    block, before = blocks[index], blocks[index - 1]
    same_section = (block.chapter, block.section) == (before.chapter, before.section)
    return " " if block.continues and same_section else _PARAGRAPH


def _measure_room(used: int, most_tokens: int) -> int:
    """Tokens that are left for the content when the headings use some."""
    return max(_STEP, most_tokens - -(-(used + _RESERVE) // _STEP) * _STEP)


def _cut_pieces(text: str, tokens: int, tokenizer: "Tokenizer", room: int) -> Iterator[_Piece]:
    """Yield the pieces of a section's text, blank edges cut off, each with what introduces it."""
    introduced: list[_Introduced] = []
    if tokens > room:
        introduced = list(_introduce_items(text, tokenizer, min(_MOST_REPEATED_TOKENS, room // 3)))
        used = max((_count_tokens(one.repeated, tokenizer) for one in introduced), default=0)
        room = _measure_room(used - _RESERVE, room) if used else room
    last: _Piece | None = None
    for start, end in _find_spans(text, tokenizer, None if tokens <= room else room):
        piece = _with_introduction(start, end, text, introduced)
        if piece.repeated and _is_all_of(text[piece.first : piece.start], piece.repeated):
            # Its introduction is right before it: it goes with this piece, and not with the one before.
            piece, moved = _Piece(piece.first, piece.end), piece.first
            kept = text[last.start : moved].rstrip() if last else ""
            last = replace(last, end=last.start + len(kept)) if last and kept else None
        if last:
            yield last
        last = piece
    if last:
        yield last


def _is_all_of(text: str, repeated: str) -> bool:
    """Return True if a text has the same words. It may be a table's thousands of rows, and no more are split off."""
    words = repeated.split()
    return text.split(maxsplit=len(words)) == words


def _find_spans(text: str, tokenizer: "Tokenizer", room: int | None) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each piece of a text that fits into so many tokens; None takes it in one piece."""
    whole = text.strip()
    cut = [(text.index(whole), whole)] if room is None else _by_tokens(tokenizer, room).chunk_indices(text)
    for start, piece in cut:
        most = _MOST_UNSPACED if is_beyond_latin(piece) else _MOST_CHARACTERS
        parts = [(0, piece)] if len(piece) <= most else _by_characters(most).chunk_indices(piece)
        for inner, part in parts:
            yield start + inner, start + inner + len(part)


@dataclass(frozen=True, slots=True)
class _Introduced:
    """A part of a section below an introduction: an item, a row."""

    start: int
    end: int
    repeated: str
    repeated_from: int


def _introduce_items(text: str, tokenizer: "Tokenizer", most: int) -> Iterator[_Introduced]:
    """Yield the items and rows of a text with what a chunk that begins at one repeats: at most so many tokens."""
    found = units(text)
    headers = {unit.start for unit in found if unit.kind is BlockKind.HEADER}
    for unit in found:
        for first in range(len(unit.leads)):  # the outermost go where all are too long
            lines = []
            for start, end in unit.leads[first:]:
                lines += [text[start:end], draw_rule(text[start:end])] if start in headers else [text[start:end]]
            repeated = "".join(f"{line}\n" for line in lines)
            if _count_tokens(repeated, tokenizer) <= most:
                yield _Introduced(unit.start, unit.end, repeated, unit.leads[first][0])
                break


def _with_introduction(start: int, end: int, text: str, introduced: Sequence[_Introduced]) -> _Piece:
    """Return a piece, with what introduces the item or row that it begins with, or within."""
    place = bisect_left(introduced, start, key=lambda one: one.end - 1)
    first = introduced[place] if place < len(introduced) else None
    if first is None or first.start >= end or (first.start > start and not is_rule(text[start : first.start])):
        return _Piece(start, end)
    begun = max(start, first.start)
    line = text.rfind("\n", 0, begun) + 1
    if not text[line:begun].strip():  # the white space before an item gives its depth
        begun = line
    return _Piece(begun, end, first.repeated, first.repeated_from)


@lru_cache(maxsize=32)
def _by_tokens(tokenizer: "Tokenizer", room: int) -> "TextSplitter":
    """Return the splitter for a number of tokens. Kept: making one copies the tokenizer's whole vocabulary."""
    from semantic_text_splitter import TextSplitter

    return TextSplitter.from_huggingface_tokenizer(tokenizer, room)


@lru_cache(maxsize=2)
def _by_characters(most: int) -> "TextSplitter":
    from semantic_text_splitter import TextSplitter

    return TextSplitter(most)


@lru_cache(maxsize=4096)
def _count_tokens(text: str, tokenizer: "Tokenizer") -> int:
    return len(tokenizer.encode(text, add_special_tokens=False).ids)
