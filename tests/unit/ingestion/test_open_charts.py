"""Charts in OpenDocument files: parts of their own, with their figures in a table."""

import pytest

from core.library.ingestion.extent import Extent, Found, Loss
from core.library.ingestion.parsers import parse
from tests.unit.ingestion.files import OPEN_DOCUMENT, open_document

_LINK = 'xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href'
TEXT = (
    "Chart: Catch of the year (Tonnes)\nSpecies | North | South\n--- | --- | ---\nCod | 12.5 | 3\nHerring | 40 | 71.25"
)


def cell(text: str) -> str:
    """A cell, with the range that LibreOffice notes in it."""
    return (
        f"<table:table-cell><text:p>{text}</text:p><draw:g><svg:desc>Sheet1.B2:B3</svg:desc></draw:g>"
        "</table:table-cell>"
    )


def rows(*lines: tuple[str, ...]) -> str:
    """Rows of cells."""
    return "".join(f"<table:table-row>{''.join(map(cell, line))}</table:table-row>" for line in lines)


def chart(*lines: tuple[str, ...], titled: bool = True) -> bytes:
    """The part of a chart, the first line of whose figures is their header."""
    axes = "".join(
        f'<chart:axis chart:dimension="{name}"><chart:title><text:p>{text}</text:p></chart:title></chart:axis>'
        for name, text in (("x", "Species"), ("y", "Tonnes"))
    )
    title = "<chart:title><text:p>Catch of the <text:span>year</text:span></text:p></chart:title>"
    return (
        f'<office:document-content {OPEN_DOCUMENT} xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0">'
        f"<office:body><office:chart><chart:chart>{title if titled else ''}<chart:plot-area>{axes if titled else ''}"
        f'</chart:plot-area><table:table table:name="local-table"><table:table-header-rows>{rows(*lines[:1])}'
        f"</table:table-header-rows><table:table-rows>{rows(*lines[1:])}</table:table-rows></table:table></chart:chart>"
        "</office:chart></office:body></office:document-content>"
    ).encode()


CATCH = chart(("", "North", "South"), ("Cod", "12.5", "3"), ("Herring", "40", "71.25"))


def frame(address: str) -> str:
    """A frame with an object, and the picture that other programs show in its place."""
    return (
        f'<draw:frame><draw:object {_LINK}="{address}"/><draw:image {_LINK}="./ObjectReplacements/Object 1"/>'
        "</draw:frame>"
    )


def read(kind: str, body: str, part: bytes) -> tuple[list[str], Extent]:
    """The texts of a file with a chart, and its counts."""
    content = open_document(kind, body, **{"Object 1__content_dot_xml": part})
    [document] = parse(content, f"a.{ {'text': 'odt', 'spreadsheet': 'ods', 'presentation': 'odp'}[kind] }").documents
    return [block.text for block in document.blocks], document.extent


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text", "<text:p>See the catch.{}</text:p>"),
        ("spreadsheet", '<table:table table:name="Fish"><table:shapes>{}</table:shapes></table:table>'),
        ("presentation", "<draw:page>{}</draw:page>"),
    ],
)
def test_a_chart_is_a_table_of_its_figures(kind: str, body: str) -> None:
    """In its place, with its title and those of its axes; the picture of it is no picture."""
    texts, extent = read(kind, body.format(frame("./Object 1")), CATCH)
    assert texts[-1] == TEXT
    assert extent.found[Found.CHARTS] == 1
    assert Found.PICTURES not in extent.found
    assert not extent.left_out


def test_a_chart_without_titles_is_named_after_what_it_shows() -> None:
    """By the columns of its figures."""
    part = chart(("", "North"), ("Cod", "12.5"), titled=False)
    [_, text] = read("text", f"<text:p>Words.{frame('Object 1')}</text:p>", part)[0]
    assert text == "Chart: North\nCategory | North\n--- | ---\nCod | 12.5"


@pytest.mark.parametrize("part", [chart(("", "North")), chart(("", "North"), ("Cod", ""))])
def test_a_chart_without_figures_is_counted_as_left_out(part: bytes) -> None:
    """So that the loss is seen."""
    texts, extent = read("text", f"<text:p>Words.{frame('./Object 1')}</text:p>", part)
    assert texts == ["Words."]
    assert extent.left_out == {Loss.CHARTS: 1}


@pytest.mark.parametrize("part", [b"<a", b"<a/>", CATCH[:200]])
def test_another_object_is_the_picture_that_shows_it(part: bytes) -> None:
    """A formula, a drawing, a part that is damaged."""
    texts, extent = read("text", f"<text:p>Words.{frame('./Object 1')}</text:p>", part)
    assert texts == ["Words."]
    assert extent.left_out == {Loss.PICTURES: 1}


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/a", "../../Object 1", "file:///etc", ""])
def test_an_object_elsewhere_is_never_looked_for(address: str) -> None:
    """The text is read without it."""
    assert read("text", f"<text:p>Words.{frame(address)}</text:p>", CATCH)[0] == ["Words."]
