"""Web pages: tables, lists, labels and loose text as people see them, and nothing that only surrounds them."""

import datetime as dt
import time

import pytest

from core.library.ingestion.parsers import parse
from core.library.ingestion.parsers.html import parse_html
from tests.unit.ingestion.files import epub

AROUND = (
    '<div id="site-header"><a href="/">Start</a> <a href="/n">News</a> <a href="/c">Contact</a></div>{}'
    '<div class="footer">Copyright 2026 Tarn Club. All rights reserved.</div>'
)
FILLER = (
    "<p>The keeper of the harbour writes down every boat that comes and every boat that goes, day and night.</p>" * 3
)
PLACES = ["<main>{}</main>", f"{FILLER}<div>{{}}</div>", AROUND, f"<form>{AROUND}{FILLER}</form>", "{}"]


def texts(inside: str, place: str = "{}") -> list[str]:
    """The texts of a page's blocks, without those that fill it."""
    page = f"<html><head><title>Boats</title></head><body>{place.format(inside)}</body></html>"
    return [b.text for b in parse_html(page, "boats.html").blocks if not b.text.startswith("The keeper of the harbour")]


HEADED = "<tr><th>Boat</th><th>Quay</th><th>Fee</th></tr>"
TABLES = {
    "rows": (
        f"{HEADED}<tr><td rowspan=2>Skiff</td><td>East</td><td>4</td></tr><tr><td>West</td><td>5</td></tr>",
        "Boat | Quay | Fee\n--- | --- | ---\nSkiff | East | 4\nSkiff | West | 5",
    ),
    "rows in the middle": (
        f"{HEADED}<tr><td>Skiff</td><td rowspan=0>East</td><td>4</td></tr><tr><td>Punt</td><td>5</td></tr>",
        "Boat | Quay | Fee\n--- | --- | ---\nSkiff | East | 4\nPunt | East | 5",
    ),
    "columns": (
        f"{HEADED}<tr><td>Skiff</td><td colspan=2>none</td></tr><tr><td colspan=2>All</td><td>9</td></tr>",
        "Boat | Quay | Fee\n--- | --- | ---\nSkiff | none | none\nAll |  | 9",
    ),
    "names": (
        (
            "<thead><tr><td rowspan=2>Boat</td><td colspan=2>Day</td></tr><tr><td>East</td><td>West</td></tr></thead>"
            "<tr><td>Skiff</td><td>4</td><td>5</td></tr>"
        ),
        "Boat | Day East | Day West\n--- | --- | ---\nSkiff | 4 | 5",
    ),
    "names that are not marked": (
        (
            "<tr><td></td><td colspan=2>Day</td></tr><tr><td>Boat</td><td>East</td><td>West</td></tr>"
            "<tr><td>Skiff</td><td>4</td><td>5</td></tr>"
        ),
        "Boat | Day East | Day West\n--- | --- | ---\nSkiff | 4 | 5",
    ),
    "parts": (
        (
            f"<tr><th colspan=3>Fees</th></tr>{HEADED}<tr><td colspan=3>Row</td></tr><tr><td>Skiff</td><td>East</td>"
            "<td>4</td></tr><tr><td colspan=3>Sail</td></tr><tr><td>Sloop</td><td>West</td><td>8</td></tr>"
        ),
        (
            "Fees: Row\nBoat | Quay | Fee\n--- | --- | ---\nSkiff | East | 4\n\n"
            "Fees: Sail\nBoat | Quay | Fee\n--- | --- | ---\nSloop | West | 8"
        ),
    ),
    "cells": (
        f"{HEADED}<tr><td><p>Skiff</p><p>Punt</p></td><td><ul><li>East<li>West</ul></td><td>4<br>euros</td></tr>",
        "Boat | Quay | Fee\n--- | --- | ---\nSkiff, Punt | East, West | 4 euros",
    ),
    "inner tables": (
        (
            "<tr><th>Boat</th><th>Fees</th></tr><tr><td>Skiff</td><td><table><tr><td>Day</td><td>4</td></tr><tr><td>Week"
            "</td><td>20</td></tr></table></td></tr>"
        ),
        "Boat | Fees\n--- | ---\nSkiff | Day: 4, Week: 20",
    ),
    "rows with names": (
        "<tr><th></th><th>Skiff</th><th>Sloop</th></tr><tr><th>Seats</th><td>2</td><td>4</td></tr>",
        "— | Skiff | Sloop\n--- | --- | ---\nSeats | 2 | 4",
    ),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", TABLES)
def test_each_cell_stands_in_its_column(kind: str, place: str) -> None:
    """Cells over several rows and columns, several rows of names, and whatever cells hold, wherever a table is."""
    rows, read = TABLES[kind]
    assert "\n\n".join(texts(f"<table>{rows}</table>", place)) == read


@pytest.mark.parametrize("span", ["1000000000", "65534", "99999999999999999999", "-4", "x", ""])
def test_absurd_spans_cost_nothing(span: str) -> None:
    """A cell is no wider than the columns that there are."""
    cell = f'<td rowspan="{span}" colspan="{span}">x</td>'
    began = time.monotonic()
    read = texts(f"<table>{HEADED}{f'<tr>{cell * 3}</tr>' * 200}</table>")
    assert time.monotonic() - began < 20
    assert max(len(text) for text in read) < 200_000


@pytest.mark.parametrize("place", PLACES)
def test_layout_tables_are_dissolved(place: str) -> None:
    """Each text once, in its order, and the tables of data within them are tables."""
    inner = f"<table>{HEADED}<tr><td>Skiff</td><td>East</td><td>4</td></tr></table>"
    layout = f"<table><tr><td><table width=600><tr><td><p>The slip is shut.</p>Ring twice.</td></tr><tr><td>{inner}"
    assert texts(f"{layout}</td></tr></table></td></tr></table><p>After it.</p>", place) == [
        "The slip is shut.",
        "Ring twice.",
        "Boat | Quay | Fee\n--- | --- | ---\nSkiff | East | 4",
        "After it.",
    ]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("inside", "read"),
    [
        ("<div><span class=label>Length</span><span class=value>7 m</span></div>", ["Length: 7 m"]),
        ("<div><b class=term>Length:</b><i>7 m</i></div>", ["Length: 7 m"]),
        ("<div><div class=spec-label>Beam</div><div class=spec-value>2 m</div></div>", ["Beam: 2 m"]),
        ("<p><b>Length</b>7 m</p>", ["Length 7 m"]),
        ("<p><strong>Sails</strong><span>White</span></p>", ["Sails White"]),
        ("<ul><li><span>Oars</span><span>40 euros</span></li><li>Rope</li></ul>", ["- Oars 40 euros\n- Rope"]),
        ("<p>un<b>believ</b>able, <b>R</b>oyal, <i>5</i>th, CO<span>2</span></p>", ["unbelievable, Royal, 5th, CO2"]),
        ("<div>Before.<p>Within.</p>Be<b>hind</b> it.<ul><li>One</li></ul>At last.</div>",
         ["Before.", "Within.", "Behind it.", "- One", "At last."]),
        ("<div>One line<br>another one</div>", ["One line\nanother one"]),
    ],
)  # fmt: skip
def test_words_are_parted_where_the_page_parts_them(inside: str, read: list[str], place: str) -> None:
    """Labels from values, and loose text from blocks; a word in several tags stays one."""
    assert texts(inside, place) == read


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("inside", "read"),
    [
        ("<p>It costs <s>8</s> 9 euros, <strike>in May</strike> <del>and June</del> always.</p>",
         "It costs 9 euros, always."),
        ('<p>It costs <span style="color:red; text-decoration: line-through">8</span> 9 euros.</p>',
         "It costs 9 euros."),
        ("<style>.a, p.old {text-decoration-line: line-through}</style><p class=old>Shut.</p><p>Open.</p>", "Open."),
        ('<p><s style="text-decoration: none">Open.</s></p>', "Open."),
    ],
)  # fmt: skip
def test_what_is_struck_out_is_left_out(inside: str, read: str, place: str) -> None:
    """By its tag, its style or the page's style sheet."""
    assert texts(inside, place) == [read]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("inside", "read"),
    [
        ("12<sup>2</sup> lamps on 60 m<sup>2</sup>", "12² lamps on 60 m²"),
        ('10<span style="vertical-align:super">-4</span> bar of H<sub>2</sub>O', "10⁻⁴ bar of H2O"),
        ("2<sup>1</sup>/<sub>2</sub> cups", "2 1/2 cups"),
        ('40<sup><a href="#n1">1</a></sup> euros, 50<sup class="reference">[2]</sup>', "40[1] euros, 50[2]"),
        ('40<a href="#n1"><sup>3</sup></a> euros', "40[3] euros"),
    ],
)  # fmt: skip
def test_raised_text(inside: str, read: str, place: str) -> None:
    """Powers, formulas, fractions, and the marks of notes."""
    assert texts(f"<p>{inside}</p>", place) == [read]


def test_raised_and_struck_text_in_books() -> None:
    """Their pages are pages; a link that is called the mark of a note is one."""
    page = '<h1>One</h1><p>12<sup>2</sup> <s>old</s> lamps<a epub:type="noteref" href="#n">4</a>.</p>'
    [document] = parse(epub({"one.xhtml": page}), "book.epub").documents
    assert [block.text for block in document.blocks] == ["12² lamps[4]."]


SECTIONS = (
    "<h1>Club rules</h1><p>They hold for all.</p><h2>Hours</h2><p>From 8 to 22.</p><section><header>"
    "<h2>Fees</h2></header><ul><li>Adults: 40</li></ul></section><div class=section-header><h2>Keys</h2></div>"
    "<p>At the desk.</p>"
)


@pytest.mark.parametrize("place", PLACES)
def test_sections_are_kept_and_surroundings_are_not(place: str) -> None:
    """However short they are, and wherever their headings are."""
    page = f"<html><body>{place.format(SECTIONS)}</body></html>"
    blocks = parse_html(page, "rules.html").blocks
    assert [(b.section, b.text) for b in blocks if not b.text.startswith("The keeper")] == [
        ("", "They hold for all."),
        ("Hours", "From 8 to 22."),
        ("Fees", "- Adults: 40"),
        ("Keys", "At the desk."),
    ]


@pytest.mark.parametrize(
    ("said", "date"),
    [
        ("<p>Copyright 2026 Tarn Club</p>", None),
        ("<footer>© 2019-2026</footer>", None),
        ('<p>© <time datetime="2020-01-01">2020</time> Boat Club</p>', None),
        ('<p><time datetime="2021-03-02">2021</time>, copyright of the Boat Club</p>', None),
        ('<div class="copyright"><span class="date">1 March 2020</span> Boat Club</div>', None),
        ('<p id="page-copyright">Boat Club <time datetime="2020-03-01">1 March 2020</time></p>', None),
        ('<p>© 2020 Boat Club. Posted <time datetime="2024-05-06">6 May 2024</time></p>', dt.date(2024, 5, 6)),
        ('<p>Published <time datetime="2024-05-06">6 May 2024</time> · © 2020 Boat Club</p>', dt.date(2024, 5, 6)),
        ("<p>The regatta is on 3 May 2027.</p>", None),
        ("<p>Last updated: 3 May 2024</p><p>© 2026</p>", dt.date(2024, 5, 3)),
        ('<article><time datetime="2024-05-03">3 May</time></article>', dt.date(2024, 5, 3)),
        ('<p class="date">3 May 2024</p>', dt.date(2024, 5, 3)),
        ('<script type="application/ld+json">{"datePublished": "2024-05-03"}</script>', dt.date(2024, 5, 3)),
        ("<p>Stand: 3. Mai 2024</p>", dt.date(2024, 5, 3)),
    ],
)
def test_a_date_is_what_says_that_it_is_one(said: str, date: dt.date | None) -> None:
    """No copyright, and no event."""
    page = f"<html><body>{SECTIONS}{FILLER}{said}</body></html>"
    assert parse_html(page, "rules.html").document_date == date


def test_terms_are_kept_whatever_comes_after_them() -> None:
    """Those that share a meaning stand before it, those without one are items, with the lists below theirs."""
    shared = "<dl><dt>Quay</dt><dt>Wharf</dt><dd>Where boats are moored.</dd><dt>Skiff</dt><dd></dd></dl>"
    assert texts(shared) == ["- Quay, Wharf: Where boats are moored.\n- Skiff"]
    unclosed = "<dl><dt>Quay<dt>Wharf<dd>Where boats are moored.<dt>Skiff<dd>A small boat.</dl>"
    assert texts(unclosed) == ["- Quay, Wharf: Where boats are moored.\n- Skiff: A small boat."]
    inner = "<dl><dt>2.1. East</dt><dt>2.2. West</dt></dl>"
    chapters = f"<dl><dt>1. Boats</dt><dt>2. Quays</dt><dd>{inner}</dd><dt>3. Fees</dt></dl>"
    assert texts(chapters) == ["- 1. Boats\n- 2. Quays\n  - 2.1. East\n  - 2.2. West\n- 3. Fees"]
    many = "".join(f"<dt>{name}</dt>" for name in ("Punt", "Gig", "Yawl", "Sloop"))
    assert texts(f"<dl>{many}<dd>It has one mast.</dd></dl>") == ["- Punt\n- Gig\n- Yawl\n- Sloop: It has one mast."]
    within = "<dl><dt>Boats<ul><li>Punt</li></ul></dt><dd>All of them.</dd></dl>"
    assert texts(within) == ["- Boats\n  - Punt\n- All of them."]


LINKS = [("/one", "Mooring in the eastern basin"), ("/two", "Fees for guests"), ("/three", "Lamps"), ("/four", "Keys")]
LISTED = "- Mooring in the eastern basin\n- Fees for guests\n- Lamps\n- Keys"


@pytest.mark.parametrize(
    "page",
    [
        "<h1>Harbour rules</h1><ul>{}</ul>",
        "<div id=top><a href=/>Start</a></div><div class=toc><p><b>Contents</b></p><ul>{}</ul></div>",
        "<h1>Harbour rules</h1><div><ul>{}</ul></div><p>As of May.</p>",
    ],
)
def test_a_page_that_is_a_list_of_links_keeps_them(page: str) -> None:
    """A table of contents leads to what it lists, and names it."""
    links = "".join(f'<li><a href="{address}">{name}</a></li>' for address, name in LINKS)
    assert LISTED in texts(page.format(links))


def test_a_page_of_lists_of_links_keeps_those_under_headings() -> None:
    """The menu beside them has no heading."""
    places = "".join(f"<li><a href=/{n}>Quay number {n}</a></li>" for n in range(5))
    boats = "".join(f"<li><a href=/b{n}>Boat number {n}</a></li>" for n in range(5))
    menu = "".join(f"<li><a href=/m{n}>Page number {n}</a></li>" for n in range(5))
    found = "\n".join(texts(f"<ul>{menu}</ul><h2>Quays</h2><ul>{places}</ul><h2>Boats</h2><div><ul>{boats}</ul></div>"))
    assert "- Quay number 4" in found
    assert "- Boat number 4" in found
    assert "Page number" not in found


@pytest.mark.parametrize(
    "content", [FILLER, "<p>The harbour is closed on Mondays, and on days on which there is a regatta.</p>"]
)
@pytest.mark.parametrize("times", [1, 6])
def test_a_menu_beside_a_text_is_left_out(content: str, times: int) -> None:
    """However long it is."""
    links = "".join(f'<li><a href="{address}">{name}</a></li>' for address, name in LINKS * times)
    found = "\n".join(texts(f"<ul>{links}</ul>{content}"))
    assert "Fees for guests" not in found
    assert ("closed on Mondays" in found) == ("closed on Mondays" in content)
