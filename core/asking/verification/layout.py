"""Read the layout of a draft: sentences, items of lists with their lead-ins, tables by their rows. Pure.

A model writes each item and each row as a statement with its mark in front. An item is checked with its lead-in and a
row with the heads of its columns, since neither names its subject by itself.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, repeat

from core.asking.verification.cleaning import clean
from core.language.nlp.text import content_stems

MOST_CELLS = 8  # of a row

_ITEM = re.compile(r"\s*(?:(?P<bullet>[-*•])|(?P<number>\d{1,2})[.)])\s+(?=\S)")
_RULE = re.compile(r"[\s|:-]{3,400}\Z")
# What a model says about its answer, in front of what it answers.
_FRAME = re.compile(
    r"\A\W*(?:(?:based on|according to|as (?:stated|mentioned|noted|described) in|from)\s+(?:the\s+|these\s+)?"
    r"(?:(?:given|provided|above|numbered|retrieved)\s+)?(?:passages?|documents?|context|information|texts?|excerpts?)"
    r"(?:\s+(?:provided|given|above))?(?:\s*\d{1,2}(?:(?:\s*,\s*|\s+and\s+)\d{1,2}){0,5})?,\s+|"
    r"(?:please\s+)?follow\s+(?:these|the following|the)\s+steps(?:\s+below)?(?:\s*,)?\s+(?=(?:to|for|when)\s)"
    r"|(?:sure|certainly|of course|okay|yes, of course)[,!.]\s+(?=[A-Z]))",
    re.IGNORECASE,
)
_ABOUT_THE_ANSWER = frozenset(
    content_stems(
        "here yes answer answers question steps following follow below passage passages points point summary based "
        "provided given list listed information key sure certainly found context text"
    )
)


class LineKind(StrEnum):
    """The kinds of lines in an answer."""

    PROSE = "prose"
    ITEM = "item"
    HEAD = "head"  # of a table; shown above its rows, and checked with each of them as far as that has cells
    ROW = "row"


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One statement of a draft as a line of the answer."""

    kind: LineKind
    text: str  # without its mark; of a table the cells, between bars
    mark: str = ""  # "- ", or "3. "
    checked: str  # the words that have to be carried
    introduces: bool = False  # an item or a table follows, and without it this says nothing

    @property
    def columns(self) -> int:
        """Count the cells of a row, or of the head of a table."""
        return self.text.count("|") - 1

    def keep_columns(self, number: int) -> "Line":
        """Return the head of a table with its first columns alone."""
        return replace(self, text=f"| {' | '.join(self.text[2:-2].split(' | ')[:number])} |")

    def render(self, marks: str) -> str:
        """Return the line as it is shown, with the marks of its citations."""
        if self.kind is LineKind.HEAD:
            return f"{self.text}\n|{' --- |' * (self.text.count('|') - 1)}"
        return f"{self.text[:-2]} {marks} |" if self.kind is LineKind.ROW else f"{self.mark}{self.text} {marks}"

    @property
    def is_frame(self) -> bool:
        """Return True for the line below a table's head, and for words about the answer: "Here are the steps:"."""
        if self.kind is not LineKind.PROSE:
            return self.kind is LineKind.ROW and not self.text
        says = any(character.isalnum() for character in self.text)
        return says and set(content_stems(self.text)) <= _ABOUT_THE_ANSWER


def read_lines(texts: Sequence[str]) -> list[Line]:
    """Return the statements of a draft as lines, one for each in their order."""
    return list(_iterate_lines(texts))


def join_lines(shown: Sequence[tuple[LineKind, str]]) -> str:
    """Return the lines of an answer as one text, a list or table apart from what is around it."""
    text = ""
    for place, (kind, line) in enumerate(shown):
        before = shown[place - 1][0] if place else kind
        same = before == kind or (before, kind) == (LineKind.HEAD, LineKind.ROW)
        text += ("" if not place else "\n" if same else "\n\n") + line
    return text


def _iterate_lines(texts: Sequence[str]) -> Iterator[Line]:
    introduction = ""
    heads: list[str] = []
    for place, text in enumerate(texts):
        following = next((other for other in texts[place + 1 :] if not _is_rule(other)), "")
        cells = _read_cells(text)
        item = _ITEM.match(text)
        before = texts[place - 1] if place else ""
        # The number of a clause that is quoted alone would begin a list of one.
        is_alone = bool(item and item["number"]) and not (introduction or _ITEM.match(before) or _ITEM.match(following))
        if _is_rule(text):
            yield Line(kind=LineKind.ROW, text="", checked="")
        elif cells:
            is_head = not heads and bool(_read_cells(following))
            named = zip(cells, chain(heads, repeat("")), strict=False)
            checked = ", ".join(_name_cell(cell, head) for cell, head in named)
            heads = heads or (cells if is_head else [])
            kind = LineKind.HEAD if is_head else LineKind.ROW
            yield Line(kind=kind, text=f"| {' | '.join(cells)} |", checked=checked, introduces=is_head)
        elif item and not is_alone:
            heads = []
            said = drop_frame(clean(text[item.end() :]))
            mark = f"{item['number']}. " if item["number"] else "- "
            # An item in lower case goes on with the sentence; behind a colon the checks would read it apart.
            above = introduction if said[:1].isupper() else introduction.removesuffix(":")
            yield Line(kind=LineKind.ITEM, text=said, mark=mark, checked=f"{above} {said}".strip())
        else:
            said, heads = drop_frame(clean(text[item.end() :] if item else text)), []
            introduces = said.endswith(":") and bool(_ITEM.match(following) or _read_cells(following))
            line = Line(kind=LineKind.PROSE, text=said, checked=said.removesuffix(":"), introduces=introduces)
            introduction = said if introduces and not line.is_frame else ""
            yield line


def drop_frame(text: str) -> str:
    """Return a sentence without "According to the passages," and the like in front of it."""
    found = _FRAME.match(text)
    if not found:
        return text
    rest = text[found.end() :]
    return rest[:1].upper() + rest[1:]


def _is_rule(text: str) -> bool:
    """Return True if a text is the line between a table's head and its rows."""
    return "|" in text and bool(_RULE.match(text))


def _read_cells(text: str) -> list[str]:
    """Return the cells of a row; none where the text is no row."""
    bare = text.strip()
    if not (bare.startswith("|") and bare.endswith("|")) or _is_rule(bare):
        return []
    cells = [clean(cell).replace("|", "/") or "–" for cell in bare[1:-1].split("|")]
    return cells if 2 <= len(cells) <= MOST_CELLS else []


def _name_cell(cell: str, head: str) -> str:
    """Return a cell with the head of its column, which a capital would make a name of."""
    if not head:
        return cell
    return f"{head if head.isupper() else head[:1].lower() + head[1:]} {cell}"
