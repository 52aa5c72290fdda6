"""Compare the text that was read from a file with that of a second reader."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from core.library.ingestion.document import Block, ParsedDocument

_WORD = re.compile(r"[^\W_]+")
_PARTED = re.compile(r"(?<=\w)-\n(?=\w)")  # a word at the end of a line
_UNSEEN = str.maketrans("", "", "\u00ad\u200b\u200c\u200d\u2060\ufeff")  # soft hyphens and what has no width
_END_OF_SENTENCE = re.compile(r"(?<=[.!?])\s|\n")
_BAR = " | "  # between the cells of a table
_LEAST_WITHIN = 5  # characters of a word that is looked for within others, as readers part words differently
_LEAST_SENTENCE = 8  # words; what is shorter may rightly come twice
_MOST_SHOWN = 30


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """Figures of the text of one file."""

    characters: int
    pages: int  # 1 where the format has none
    tables: int
    doubled: tuple[str, ...]  # sentences that come again, once for each time too many


@dataclass(frozen=True, kw_only=True, slots=True)
class Lost:
    """The words that the second reader found alone."""

    of: int  # words that it found
    count: int  # of them that are lost, each as often as it found it
    words: tuple[str, ...]  # the most frequent ones

    @property
    def share(self) -> float:
        """The share of its words that are lost."""
        return self.count / self.of if self.of else 0.0


def describe(documents: Iterable[ParsedDocument], second: str | None) -> Text:
    """Return the figures of what was read from a file. second: the text of the second reader, None without one."""
    blocks = [block for document in documents for block in document.blocks]
    return Text(
        characters=sum(len(block.text) for block in blocks),
        pages=max((block.page_number or 1 for block in blocks), default=1),
        tables=sum(_is_table(block) for block in blocks),
        doubled=tuple(find_doubled("\n".join(block.text for block in blocks), second)),
    )


def write_all(documents: Iterable[ParsedDocument]) -> str:
    """Return all that was read as one text, with titles and headings, which are no part of the blocks."""
    lines: list[str] = []
    for document in documents:
        headings = chain.from_iterable((block.chapter, block.section) for block in document.blocks)
        described = (document.title, document.full_citation, document.source_url, *map(str, document.metadata.values()))
        lines += [*described, *dict.fromkeys(headings), *(block.text for block in document.blocks)]
    return "\n".join(lines)


def find_lost(ours: str, second: str) -> Lost:
    """Return the words of the second reader that our text has nowhere.

    A long word counts as read where it is within another one, or parted: readers cut words at different places.
    """
    known, theirs = set(split_words(ours)), Counter(split_words(second))
    squeezed = "".join(split_words(ours))
    lost = Counter(
        {
            word: count
            for word, count in theirs.items()
            if word not in known and not (len(word) >= _LEAST_WITHIN and word in squeezed)
        }
    )
    return Lost(of=theirs.total(), count=lost.total(), words=tuple(word for word, _ in lost.most_common(_MOST_SHOWN)))


def find_doubled(ours: str, second: str | None) -> list[str]:
    """Return long sentences that come again, as often as they come more than once, or than the second reader has them.

    Rows of tables are left out, which may well be alike.
    """
    lines = (line for line in _END_OF_SENTENCE.split(ours) if _BAR not in line)
    counted = Counter(" ".join(words) for line in lines if len(words := split_words(line)) >= _LEAST_SENTENCE)
    squeezed = "".join(split_words(second or ""))
    doubled: list[str] = []
    for sentence, count in counted.items():
        if count > 1:
            doubled += [sentence] * max(0, count - max(1, squeezed.count(sentence.replace(" ", ""))))
    return doubled


def split_words(text: str) -> list[str]:
    """Return the words of a text in small letters, those parted at the end of a line as one."""
    plain = unicodedata.normalize("NFKC", text).translate(_UNSEEN)
    return _WORD.findall(_PARTED.sub("", plain).casefold())


def _is_table(block: Block) -> bool:
    return sum(_BAR in line for line in block.text.splitlines()) > 1
