"""Splitting a document into chunks. Pure: a tokenizer goes in, values come out.

A chunk lies within one section of one chapter. It is cut where a paragraph ends, else a sentence, else a word.
Chunks do not overlap: what an overlap would tell of the surroundings, the headings tell, which are embedded with
each chunk; and an overlap would let one sentence be found, and cited, twice.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

from core.ingestion.document import Block, ParsedDocument

if TYPE_CHECKING:
    from semantic_text_splitter import TextSplitter
    from tokenizers import Tokenizer

MOST_TOKENS = 220  # of the content and its headings together; all-MiniLM-L6-v2 cuts silently after 256
_RESERVE = 8  # tokens kept free for the model's own marks and for what joining two texts may add
_MOST_HEADING_TOKENS = 64
_MOST_HEADING_CHARACTERS = 600
_STEP = 16  # the room for headings is rounded up to it, so that few splitters are needed
_MOST_CHARACTERS = 4000  # a run of letters without a space is one token to some models, however long it is
_PARAGRAPH = "\n\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class TextChunk:
    """A piece of a document's text. `content` is text[start:end] of `document_text`, verbatim."""

    content: str
    start: int
    end: int
    chapter: str
    section: str
    page_number: int | None  # where the chunk starts
    later_pages: tuple[tuple[int, int], ...]  # (offset in the content, page) where the chunk goes on to another page
    token_count: int  # of the content
    embedded_text: str  # the headings and the content: what the embedding model reads


def document_text(document: ParsedDocument) -> str:
    """The document's whole text, into which the chunks' offsets point."""
    return "".join(_joint(document.blocks, index) + block.text for index, block in enumerate(document.blocks))


def chunks(document: ParsedDocument, tokenizer: "Tokenizer", *, most_tokens: int = MOST_TOKENS) -> list[TextChunk]:
    """Split a document.

    most_tokens: the most that one chunk and its headings may have; at least 64.
    """
    found = []
    for section in _sections(document.blocks):
        block = section.blocks[0]
        headings = heading_line(document.title, block.chapter, block.section, tokenizer)
        used = _count(headings, tokenizer)
        token_starts = [start for start, _ in tokenizer.encode(section.text, add_special_tokens=False).offsets]
        for start, piece in _pieces(section.text, len(token_starts), tokenizer, _room(used, most_tokens)):
            end = start + len(piece)
            found.append(
                TextChunk(
                    content=piece,
                    start=section.start + start,
                    end=section.start + end,
                    chapter=block.chapter,
                    section=block.section,
                    page_number=section.page_at(start),
                    later_pages=section.pages_within(start, end),
                    token_count=max(1, bisect_left(token_starts, end) - bisect_left(token_starts, start)),
                    embedded_text=embedded_text(headings, piece),
                )
            )
    return found


def heading_line(title: str, chapter: str, section: str, tokenizer: "Tokenizer") -> str:
    """Title, chapter and section on one line, each once; the outer ones go when it is too long."""
    parts: list[str] = []
    for part in (title, chapter, section):
        if part and part not in parts:
            parts.append(part)
    while len(parts) > 1 and _count(" > ".join(parts), tokenizer) > _MOST_HEADING_TOKENS:
        parts.pop(0)
    line = " > ".join(parts)[:_MOST_HEADING_CHARACTERS]
    encoding = tokenizer.encode(line, add_special_tokens=False)
    if len(encoding.ids) > _MOST_HEADING_TOKENS:
        line = line[: encoding.offsets[_MOST_HEADING_TOKENS - 1][1]]
    return line


def embedded_text(headings: str, content: str) -> str:
    """What the embedding model reads of a chunk: its headings on a line, if any, and its content."""
    return f"{headings}\n{content}" if headings else content


@dataclass(frozen=True, slots=True)
class _Section:
    """The blocks of one section in a row, and their joined text."""

    start: int  # in the document's text
    text: str
    blocks: tuple[Block, ...]
    starts: tuple[int, ...]  # of the blocks, in the section's text

    def page_at(self, offset: int) -> int | None:
        """The page of the block in which a place in the section's text lies."""
        before = [block for block, start in zip(self.blocks, self.starts, strict=True) if start <= offset]
        return before[-1].page_number

    def pages_within(self, first: int, end: int) -> tuple[tuple[int, int], ...]:
        """Where between two places in the section's text another page begins: (offset from the first, page)."""
        found: list[tuple[int, int]] = []
        page = self.page_at(first)
        for block, start in zip(self.blocks, self.starts, strict=True):
            if first < start < end and block.page_number is not None and block.page_number != page:
                page = block.page_number
                found.append((start - first, page))
        return tuple(found)


def _sections(blocks: tuple[Block, ...]) -> Iterator[_Section]:
    position = 0
    numbered = groupby(enumerate(blocks), key=lambda item: (item[1].chapter, item[1].section))
    for _, group in numbered:
        text = ""
        starts = []
        start = None
        members = []
        for index, block in group:
            joint = _joint(blocks, index)
            if start is None:
                start = position + len(joint)
            else:
                text += joint
            starts.append(len(text))
            text += block.text
            members.append(block)
            position += len(joint) + len(block.text)
        yield _Section(start or 0, text, tuple(members), tuple(starts))


def _joint(blocks: tuple[Block, ...], index: int) -> str:
    """What stands between a block and the one before it."""
    if index == 0:
        return ""
    block, before = blocks[index], blocks[index - 1]
    same_section = (block.chapter, block.section) == (before.chapter, before.section)
    return " " if block.continues and same_section else _PARAGRAPH


def _room(used: int, most_tokens: int) -> int:
    """Tokens that are left for the content when the headings use some."""
    return max(_STEP, most_tokens - -(-(used + _RESERVE) // _STEP) * _STEP)


def _pieces(text: str, tokens: int, tokenizer: "Tokenizer", room: int) -> Iterator[tuple[int, str]]:
    """The pieces of a section's text and where they start, blank edges cut off."""
    whole = text.strip()
    fits = tokens <= room
    for start, piece in [(text.index(whole), whole)] if fits else _by_tokens(tokenizer, room).chunk_indices(text):
        if len(piece) <= _MOST_CHARACTERS:
            yield start, piece
        else:
            yield from ((start + inner, part) for inner, part in _by_characters().chunk_indices(piece))


@lru_cache(maxsize=32)
def _by_tokens(tokenizer: "Tokenizer", room: int) -> "TextSplitter":
    """The splitter for a number of tokens. Kept: making one copies the tokenizer's whole vocabulary."""
    from semantic_text_splitter import TextSplitter

    return TextSplitter.from_huggingface_tokenizer(tokenizer, room)


@lru_cache(maxsize=1)
def _by_characters() -> "TextSplitter":
    from semantic_text_splitter import TextSplitter

    return TextSplitter(_MOST_CHARACTERS)


@lru_cache(maxsize=4096)
def _count(text: str, tokenizer: "Tokenizer") -> int:
    return len(tokenizer.encode(text, add_special_tokens=False).ids)
