"""Quote a section of a document: its own sentences, items and rows, in its order, each verified as every statement."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.asking.generation.extractive.selected import can_stand
from core.asking.verification.statements import Verified, verify
from core.language.nlp.layout import BlockKind
from core.language.nlp.structure import TextUnit, units, write_with_leads
from core.language.nlp.text import is_code
from core.library.embedding.similarity import similarities
from core.types import Passage, Quote, Statement

MOST_QUOTED = 8  # of one section: a section of the sample library and the papers of clubs has 7 on average
MOST_OF_LIST = 16  # items of one list: a list is quoted whole or not at all
LONGEST = 700  # characters of a statement


@dataclass(frozen=True, kw_only=True, slots=True)
class Quoted:
    """Holds what is quoted of a section."""

    verified: Verified
    passages: tuple[Passage, ...]  # in their document's order, to which it refers
    is_cut: bool  # the section says more


def quote_section(question: str, passages: Sequence[Passage]) -> Quoted:
    """Quote passages of one section or document.

    Where they have more than MOST_QUOTED sentences, those that are nearest in meaning to the question.
    """
    ordered = tuple(sorted(passages, key=lambda one: (one.chunk_index or 0, one.rank)))
    found = [
        (number, unit)
        for number, passage in enumerate(ordered, 1)
        for unit in units(passage.content)
        if unit.kind is not BlockKind.HEADER and _is_quotable(passage.content, unit)
    ]
    said = {" ".join(_get_text(ordered, place).split()): place for place in reversed(found)}  # overlaps are said once
    places = sorted(said.values(), key=lambda place: (place[0], place[1].start))
    chosen = _choose_nearest(question, ordered, places) if len(places) > MOST_QUOTED else places
    statements = [_make_statement(ordered, place) for place in chosen]
    verified = verify(statements, ordered, question=question)
    return Quoted(verified=verified, passages=ordered, is_cut=len(chosen) < len(places))


def _choose_nearest(
    question: str, passages: Sequence[Passage], places: Sequence[tuple[int, TextUnit]]
) -> list[tuple[int, TextUnit]]:
    """Return the nearest sentences in their order, and lists whole: of seven steps none may be missing."""
    near = similarities(question, [_write(passages, place) for place in places])
    blocks: dict[tuple[int, int], list[int]] = {}
    for index, (number, unit) in enumerate(places):
        own = unit.group if unit.kind is BlockKind.ITEM and unit.group is not None else -1 - unit.start
        blocks.setdefault((number, own), []).append(index)
    chosen: list[int] = []
    for block in sorted(blocks.values(), key=lambda block: -max(near[index] for index in block)):
        if len(chosen) < MOST_QUOTED and len(block) <= MOST_OF_LIST:
            chosen += block
    return [places[index] for index in sorted(chosen)]


def _is_quotable(text: str, unit: TextUnit) -> bool:
    words = text[unit.start : unit.end]
    is_row = unit.group is not None
    return not is_code(words) and (is_row or can_stand(words)) and not words.rstrip().endswith("?")


def _get_text(passages: Sequence[Passage], place: tuple[int, TextUnit]) -> str:
    number, unit = place
    return passages[number - 1].content[unit.start : unit.end]


def _list_leads(passages: Sequence[Passage], place: tuple[int, TextUnit]) -> tuple[str, ...]:
    number, unit = place
    return tuple(passages[number - 1].content[start:end] for start, end in unit.leads)


def _write(passages: Sequence[Passage], place: tuple[int, TextUnit]) -> str:
    text = write_with_leads(_list_leads(passages, place), _get_text(passages, place))
    return text if len(text) <= LONGEST else write_with_leads((), _get_text(passages, place))


def _make_statement(passages: Sequence[Passage], place: tuple[int, TextUnit]) -> Statement:
    number, _ = place
    quoted = (*_list_leads(passages, place), _get_text(passages, place))
    return Statement(text=_write(passages, place), quotes=tuple(Quote(passage=number, text=words) for words in quoted))
