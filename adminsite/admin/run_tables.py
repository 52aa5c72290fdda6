"""The tables on the page of a run: its figures by kind, and what is different from the run before."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from core.quality.evaluation.datasets.comparison import Changed, Comparison
from core.quality.evaluation.datasets.verdict import RIGHT

GOOD, BAD, NEITHER = "fn-good", "fn-bad-text", ""
# Heading and name of the figures in the table by kind.
_COLUMNS = (
    ("Questions", "questions"),
    ("Right", "right_share"),
    ("Source", "right_source"),
    ("Contains", "answer_contains"),
    ("Page", "page_right"),
    ("Abstained rightly", "abstained_rightly"),
    ("Abstained wrongly", "abstained_wrongly"),
    ("Precision", "precision"),
    ("Dropped", "statements_dropped"),
    ("Forbidden", "forbidden_shown"),
    ("Median ms", "latency_p50_ms"),
    ("95 % within ms", "latency_p95_ms"),
)
_WHOLLY_GOOD = {"right_share", "right_source", "answer_contains", "page_right", "abstained_rightly", "precision"}
_LESS_IS_GOOD = {"abstained_wrongly", "forbidden_shown"}
_NEITHER_IS_GOOD = {"statements_dropped"}
_HEADINGS = {name: heading for heading, name in _COLUMNS}

Cell = tuple[str, str]  # its text and its colour


def table_by_kind(figures: Mapping[str, Any]) -> SafeString:
    """Return the figures of each kind of question, and of all; what could not be better is green."""
    kinds = [*figures["kinds"].items(), ("all", figures)]
    rows = [
        [(kind, NEITHER), *(_colour_cell(name, of_kind.get(name)) for _, name in _COLUMNS)] for kind, of_kind in kinds
    ]
    return _write_table(("Kind", *(heading for heading, _ in _COLUMNS)), rows)


def table_of_changes(compared: Comparison, questions: Mapping[str, str]) -> SafeString:
    """Write figures and questions that came out differently. questions: texts by id, as far as one may see them."""
    rows = [
        *_list_rows("broken", BAD, compared.broken, questions),
        *_list_rows("mended", GOOD, compared.mended, questions),
        *_list_rows("in another way", NEITHER, compared.other, questions),
        *([(change, NEITHER) for change in ("not asked again", name, "", "", "")] for name in compared.only_before),
        *(
            [(change, NEITHER) for change in ("new", questions.get(name, name), "", "", "")]
            for name in compared.only_after
        ),
    ]
    figures = [_figure_row(name, *pair) for name, pair in compared.figures().items()]
    parts = [_write_table(("Figure", "Before", "Now"), figures)] if figures else []
    parts += [_write_table(("Change", "Question", "Kind", "Before", "Now"), rows)] if rows else []
    return format_html_join("", "{}", ((part,) for part in parts)) or SafeString("Nothing changed.")


def colour_of(outcome: str) -> str:
    """Return green for what is right, also where that is to abstain; red for what is wrong."""
    return GOOD if outcome in RIGHT else NEITHER if outcome == "unjudged" else BAD


def in_words(outcome: str) -> str:
    """Return an outcome as people say it."""
    return outcome.replace("_", " ")


def format_figure(value: float | None) -> str:
    """Return a figure, or a dash."""
    return "–" if value is None else f"{value:g}"


def _list_rows(change: str, colour: str, changed: Iterable[Changed], questions: Mapping[str, str]) -> list[list[Cell]]:
    return [
        [
            (change, colour),
            (questions.get(one.identifier, one.identifier), NEITHER),
            (one.kind, NEITHER),
            (in_words(one.before), colour_of(one.before)),
            (in_words(one.after), colour_of(one.after)),
        ]
        for one in changed
    ]


def _colour_cell(name: str, value: float | None) -> Cell:
    if value is None or name not in _WHOLLY_GOOD | _LESS_IS_GOOD:
        return format_figure(value), NEITHER
    best = 1 if name in _WHOLLY_GOOD else 0
    return format_figure(value), GOOD if value == best else BAD if name == "forbidden_shown" else NEITHER


def _figure_row(name: str, before: float | None, now: float | None) -> list[Cell]:
    colour = NEITHER
    if before is not None and now is not None and name not in _NEITHER_IS_GOOD:
        colour = GOOD if (now > before) == (name in _WHOLLY_GOOD) else BAD
    heading = _HEADINGS.get(name, in_words(name))
    return [(heading, NEITHER), (format_figure(before), NEITHER), (format_figure(now), colour)]


def _write_table(headings: Iterable[str], rows: Iterable[Iterable[Cell]]) -> SafeString:
    return format_html(
        '<div class="fn-table fn-run"><table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>',
        format_html_join("", '<th scope="col">{}</th>', ((heading,) for heading in headings)),
        format_html_join("", "<tr>{}</tr>", ((_write_cells(row),) for row in rows)),
    )


def _write_cells(row: Iterable[Cell]) -> SafeString:
    cells = (format_html('<td class="{}">{}</td>', colour, text) if colour else format_html("<td>{}</td>", text)
             for text, colour in row)  # fmt: skip
    return format_html_join("", "{}", ((cell,) for cell in cells))
