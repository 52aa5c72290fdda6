"""Choose in tables: the columns of a row that a question names, and the row that has the most or the least. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.asking.generation.extractive.selected import Selected, select_unit
from core.asking.generation.markup import MarkedPassage
from core.language.nlp.layout import BAR, BlockKind, cells, pair_cells
from core.language.nlp.seasons import find_season
from core.language.nlp.structure import TextUnit, units
from core.language.nlp.text import content_stems

_FEWEST_COLUMNS = 3  # the first included: of two there is nothing to leave out

_MOST = r"most|highest|largest|biggest|greatest|longest|heaviest|dearest|tallest|fastest|maximum"
_LEAST = r"least|fewest|lowest|smallest|shortest|cheapest|lightest|slowest|minimum"
_ASKS = re.compile(
    rf"\b(?:which|what|who)\b(?P<of>(?:\s(?!(?:is|are|was|were|has|have|had|did|does|do)\b)[\w'’-]+){{0,3}})\s.{{0,40}}?"
    rf"\b(?:(?P<most>{_MOST})|(?P<least>{_LEAST}))\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"[£$€]?\s?(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s?(?:%|[£$€]|[a-z]{1,10})?", re.IGNORECASE
)
_TOTAL = re.compile(r"\b(?:total|totals|sum|all|average|mean|median|together|overall)\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_FEWEST_ROWS = 3  # with two the question would be a comparison
_SURELY_WHOLE = 900  # characters of a passage that is shorter than those of a table that goes on in the next one


def keep_columns_asked(question: str, one: Selected) -> Selected:
    """Return a row with those columns alone that have the most of the question's words; as it is where none has any.

    "What does the trailer cost for a weekend?" needs neither the price of half a day nor that of a day. The words of
    the row's first cell, and those that several columns share ("2025 (actual)", "2024 (actual)"), tell none apart.
    A cell of words that has one of the question's stays: it says which row it is. "In winter" names the column of
    October to March beside that of April to September.
    """
    columns, own = pair_cells(one.header, one.text)
    names = [set(content_stems(name)) for name in columns]
    if BAR not in one.text or len(names) < _FEWEST_COLUMNS or len(own) > len(names):
        return one
    own += [""] * (len(names) - len(own))
    season = find_season(question)
    of_season = [season.is_told_by(name) for name in columns]
    if any(of_season) and any(map(season.is_missed_by, columns)):
        return replace(one, columns=tuple(place for place, fits in enumerate(of_season) if fits and own[place].strip()))
    wanted = set(content_stems(question))
    asked = wanted - set(content_stems(own[0])) - names[0]
    shared = [len(asked & name) for name in names]
    if not any(shared[1:]):
        return one
    most = max(shared[1:])
    kept = tuple(
        place
        for place in range(1, len(names))
        if own[place].strip() and (shared[place] == most or _is_label_of(own[place], wanted))
    )
    return replace(one, columns=kept) if kept and len(kept) < len(names) - 1 else one


def _is_label_of(cell: str, wanted: set[str]) -> bool:
    """Return True if a cell is no figure, and has a word of the question."""
    return not any(map(str.isdigit, cell)) and bool(wanted & set(content_stems(cell)))


def find_extreme(question: str, passages: Sequence[MarkedPassage]) -> list[Selected]:
    """Return the row, or the rows, with the highest or lowest figure in the column that a question names; or nothing.

    A table counts if its first column is what is asked for ("which site"), another one has the question's words, each
    of its cells is one figure, and the table ends in the passage: of one that goes on elsewhere not all rows are seen.
    Rows of totals are left out, and so is a table where neither document nor heading names a year of the question.
    """
    asks = _ASKS.search(question)
    if not asks:
        return []
    wanted, of = set(content_stems(question)), set(content_stems(asks["of"]))
    years = set(_YEAR.findall(question))
    for passage in passages:
        if not years <= set(_YEAR.findall(passage.source)):
            continue
        tables: dict[int, list[TextUnit]] = {}
        for unit in units(passage.text):
            if unit.group is not None and unit.kind in (BlockKind.HEADER, BlockKind.ROW):
                tables.setdefault(unit.group, []).append(unit)
        for table in tables.values():
            if found := _find_rows(passage, table, wanted, of, is_most=bool(asks["most"])):
                return found
    return []


def _find_rows(
    passage: MarkedPassage, table: Sequence[TextUnit], wanted: set[str], of: set[str], *, is_most: bool
) -> list[Selected]:
    text = passage.text
    header = next((unit for unit in table if unit.kind is BlockKind.HEADER), None)
    rows = [
        unit
        for unit in table
        if unit.kind is BlockKind.ROW and not _TOTAL.search(cells(text[unit.start : unit.end])[0])
    ]
    is_whole = len(text) < _SURELY_WHOLE or bool(text[table[-1].end :].strip())
    if header is None or len(rows) < _FEWEST_ROWS or not is_whole:
        return []
    written = text[header.start : header.end]
    (first, *names), _ = pair_cells(written, text[rows[0].start : rows[0].end])
    if of and not of & set(content_stems(first)):
        return []
    shared = [len((wanted - of) & set(content_stems(name))) for name in names]
    if not any(shared) or shared.count(max(shared)) > 1:
        return []
    column = shared.index(max(shared)) + 1
    figures = [_read_figure(pair_cells(written, text[row.start : row.end])[1], column) for row in rows]
    known = [figure for figure in figures if figure is not None]
    best = (max if is_most else min)(known, default=0.0)
    chosen = [row for row, figure in zip(rows, figures, strict=True) if figure == best]
    if len(known) < len(rows) or 2 * len(chosen) > len(rows):
        return []
    return [select_unit(passage, row, score=1.0) for row in chosen]


def _read_figure(row: Sequence[str], column: int) -> float | None:
    found = _FIGURE.fullmatch(row[column].strip()) if column < len(row) else None
    return float(found["number"].replace(",", "")) if found else None
