"""Check that a figure of a table's row is said under its own column: 240 of the flow is no power. Pure."""

from collections.abc import Container, Iterator, Sequence

from core.asking.verification.clauses import Clause, make_clause
from core.asking.verification.found_quotes import Row
from core.asking.verification.numbers import agree, find_numbers
from core.language.nlp.text import content_stems, words_of

LEAST_NAMED = 0.5  # of what tells a column's name from another one's: the unit in it is seldom said


def takes_other_column(clauses: Sequence[Clause], rows: Sequence[Row]) -> bool:
    """Return True if a clause says a quoted row's figure, and the name of another column of that row in place of its.

    Where the same figure is in several places, one that fits is enough. A row's first cell is its label.
    """
    return any(not any(fits) for clause in _join_at_colons(clauses) for fits in _group_by_figure(clause, rows).values())


def _join_at_colons(clauses: Sequence[Clause]) -> list[Clause]:
    """Return clauses in which a column's name and what is behind its colon are one."""
    joined: list[Clause] = []
    for clause in clauses:
        if joined and clause.text.startswith(":"):
            joined[-1] = make_clause(f"{joined[-1].text}{clause.text}")
        else:
            joined.append(clause)
    return joined


def _group_by_figure(clause: Clause, rows: Sequence[Row]) -> dict[str, list[bool]]:
    """Return for each figure that a clause takes from rows, whether each of its places fits the clause's words."""
    found: dict[str, list[bool]] = {}
    for row in rows:
        said = dict(_find_said(clause, row))
        for place, value in said.items():
            fits = not _names_another(clause, row, place, said)
            found.setdefault(" ".join(words_of(value.casefold())), []).append(fits)
    return found


def _find_said(clause: Clause, row: Row) -> Iterator[tuple[int, str]]:
    """Yield the places and values of the figures of a row that a clause says."""
    words = f" {' '.join(words_of(clause.text.casefold()))} "
    said = find_numbers(clause.text)
    for place, (_, value) in enumerate(row):
        if place and any(character.isdigit() for character in value):
            figures = find_numbers(value)
            is_worded = f" {' '.join(words_of(value.casefold()))} " in words
            if is_worded or (figures and all(any(agree(one, other) for one in said) for other in figures)):
                yield place, value


def _names_another(clause: Clause, row: Row, place: int, said: Container[int]) -> bool:
    """Return True if a clause names another column of a row than the one at a place, without saying what is in it.

    said: the places of the figures that it says.
    """
    own = set(content_stems(row[place][0]))
    label = set(content_stems(row[0][1]))
    for other, (name, value) in enumerate(row):
        if not other or other in said or value == row[place][1]:
            continue
        telling = set(content_stems(name)) - own - label
        mine = own - set(content_stems(name)) - label
        if telling and mine and not mine & clause.stems and len(telling & clause.stems) >= LEAST_NAMED * len(telling):
            return True
    return False
