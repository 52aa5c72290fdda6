# ruff: noqa: E501 - sentences of documents are not wrapped
"""Make the documents of unusual layouts: `python -m evaluation.formats.make_layouts [FOLDER]`.

People, organisations, places and figures are invented. The same script gives the same texts.
"""

import io
import sys
from pathlib import Path

from openpyxl import Workbook
from openpyxl.styles import Font
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from evaluation.formats.make_documents import MADE
from samples.safety.make_incident_report import with_fixed_dates
from tests.unit.ingestion.files import zip_of
from tests.unit.ingestion.word_files import (
    HEADER,
    cell,
    control,
    par,
    reference_to_note,
    row,
    run,
    styled,
    tbl,
    word_parts,
)

_STRUCK = "<w:strike/>"
_RAISED = '<w:vertAlign w:val="superscript"/>'


def _changed(kind: str, text: str) -> str:
    """A tracked change: "ins" or "del"."""
    tag = "delText" if kind == "del" else "t"
    return f'<w:{kind} w:id="1" w:author="Ilse"><w:r><w:{tag} xml:space="preserve">{text}</w:{tag}></w:r></w:{kind}>'


def _numbered(text: str, level: int) -> str:
    return par(text, properties=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr>')


def dairy() -> bytes:
    """Rules of a dairy: content controls, tracked changes, nested tables, numbering, a footnote, struck-out text."""
    levels = "".join(
        f'<w:lvl w:ilvl="{number}"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="{text}"/></w:lvl>'
        for number, text in enumerate(("%1.", "%1.%2"))
    )
    numbering = f'<w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    note = f'<w:footnote w:id="3">{par("On public holidays the cold store is locked from noon.")}</w:footnote>'
    inner = tbl(row("Alarm", "Called person"), row("Ammonia", "Ruben Achterberg"), row("Power", "Signe Lund"))
    body = "".join(
        (
            styled("Titel", "Fennmark Dairy: rules for the night shift"),
            styled("H1", "Cold store"),
            par("The cold store is open to drivers until 23:00.", reference_to_note()),
            par("The alarm of the cold store sounds at ", _changed("del", "6"), _changed("ins", "8"), " degrees."),
            par("A pallet of butter weighs ", run("640", _STRUCK), " 615 kg."),
            par("The floor of the cold store measures 420 m", run("2", _RAISED), "."),
            control(par("Spare keys for the cold store are kept by Wanda Elsener.")),
            styled("H1", "Silos"),
            tbl(
                row("Silo", "Capacity", "Milk", properties=HEADER),
                control(row("North", "60,000 litres", "organic")),
                row("South", control(cell("45,000 litres")), "conventional"),
            ),
            styled("H1", "Duties"),
            _numbered("Before the shift", 0),
            _numbered("Read the log of the day shift.", 1),
            _numbered("Test the emergency stop of the filler.", 1),
            _numbered("After the shift", 0),
            _numbered("Rinse the filler for twenty minutes.", 1),
            _numbered("Hand the radio to the gatekeeper.", 1),
            styled("H1", "Who is called"),
            tbl(row(cell(par("Calls by alarm") + inner + par("")), cell(par("Ring twice, then send a message.")))),
        )
    )
    return with_fixed_dates(zip_of(word_parts(body, numbering=numbering, footnotes=note)))


def harbour() -> bytes:
    """Slides with a chart, notes and a table."""
    made = Presentation()
    made.core_properties.author, made.core_properties.title = "Port of Ostrey", "Port of Ostrey: the year in figures"
    made.core_properties.modified = MADE
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = "Containers handled"
    data = CategoryChartData()
    data.categories = ["2022", "2023", "2024"]
    data.add_series("Import", (18400, 19750, 21300))
    data.add_series("Export", (15200, 14900, 16650))
    frame = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(7), Inches(4), data)
    frame.chart.has_title = True
    frame.chart.chart_title.text_frame.text = "Containers by year"
    slide.notes_slide.notes_text_frame.text = "The strike of March 2023 cost the port about 900 export containers."
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = "Cranes"
    rows = [("Crane", "Lifts", "Built"), ("Bertha", "45 t", "1998"), ("Klara", "65 t", "2016")]
    table = slide.shapes.add_table(3, 3, Inches(1), Inches(2), Inches(6), Inches(2)).table
    for place, texts in enumerate(rows):
        for column, text in enumerate(texts):
            table.cell(place, column).text = text
    slide.notes_slide.notes_text_frame.text = "Bertha will be taken down in autumn 2026."
    out = io.BytesIO()
    made.save(out)
    return with_fixed_dates(out.getvalue())


def turbines() -> bytes:
    """A workbook: a title, names on two lines, units in a row of their own, an empty row, a total."""
    book = Workbook()
    book.properties.creator, book.properties.title = "Saltmoor Energy", "Saltmoor wind farm"
    book.properties.created = book.properties.modified = MADE
    sheet = book.active
    sheet.title = "Turbines"
    for line in (
        ["Output of the turbines of Saltmoor"],
        [],
        [None, "2023", None, "2024", None],
        ["Turbine", "Energy", "Standstill", "Energy", "Standstill"],
        [None, "(MWh)", "(hours)", "(MWh)", "(hours)"],
        [],
        ["Alder", 6120, 210, 6480, 150],
        ["Birch", 5875, 340, 6010, 295],
        ["Cedar", 6330, 125, 6295, 180],
        ["Total", 18325, 675, 18785, 625],
    ):
        sheet.append(line)
    for number in (3, 4):
        for one in sheet[number]:
            one.font = Font(bold=True)
    sheet.merge_cells("B3:C3")
    sheet.merge_cells("D3:E3")
    out = io.BytesIO()
    book.save(out)
    return with_fixed_dates(out.getvalue())


def balance() -> bytes:
    """A balance sheet without rules, in thousands, with groups and negative amounts."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1)
    canvas.setTitle("Korvat Instruments: annual report 2024")
    canvas.setFont("Helvetica-Bold", 13)
    canvas.drawString(60, 780, "Korvat Instruments: annual report 2024")
    canvas.setFont("Helvetica-Bold", 11)
    canvas.drawString(60, 750, "Consolidated balance sheets")
    canvas.setFont("Helvetica", 9)
    canvas.drawString(60, 736, "(in thousands of euros)")
    lines = (
        (0, "", "2024", "2023"),
        (0, "Current assets", "", ""),
        (1, "Cash and cash equivalents", "4,812", "3,990"),
        (1, "Trade receivables", "7,345", "6,871"),
        (1, "Inventories", "5,230", "5,644"),
        (0, "Total current assets", "17,387", "16,505"),
        (0, "Non-current assets", "", ""),
        (1, "Property and equipment", "9,120", "8,415"),
        (1, "Goodwill", "2,060", "2,060"),
        (0, "Total assets", "28,567", "26,980"),
        (0, "Equity", "", ""),
        (1, "Share capital", "1,500", "1,500"),
        (1, "Accumulated deficit", "(1,274)", "(2,018)"),
        (0, "Total equity and liabilities", "28,567", "26,980"),
    )
    for number, (depth, label, *figures) in enumerate(lines):
        y = 712 - 15 * number
        canvas.drawString(60 + 14 * depth, y, label)
        for place, figure in enumerate(figures):
            canvas.drawRightString(390 + 100 * place, y, figure)
    canvas.save()
    return out.getvalue()


def form() -> bytes:
    """An application whose answers are in the fields of a form."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1)
    canvas.setTitle("Application for a mooring at Pell Quay")
    canvas.setFont("Helvetica-Bold", 14)
    canvas.drawString(60, 780, "Application for a mooring at Pell Quay")
    canvas.setFont("Helvetica", 10)
    for number, (label, value) in enumerate(
        (
            ("Name of the boat", "Grey Plover"),
            ("Owner", "Tamsin Okafor"),
            ("Draught", "1.45 m"),
            ("Insurance policy", "NQ-33817"),
        )
    ):
        y = 730 - 40 * number
        canvas.drawString(60, y + 5, f"{label}:")
        canvas.acroForm.textfield(name=label, x=200, y=y, width=220, height=20, value=value, fontSize=10)
    canvas.save()
    return out.getvalue()


PAGE = """<!doctype html>
<html lang="en"><head><title>Courses of the Tern Hill kiln club</title></head><body>
<h1>Courses of the Tern Hill kiln club</h1>
<h2>Spring timetable</h2>
<table>
<tr><th>Day</th><th>Course</th><th>Room</th><th>Fee</th></tr>
<tr><td rowspan="2">Monday</td><td>Throwing for beginners</td><td>Barn</td><td>48 euros</td></tr>
<tr><td>Glazing</td><td>Loft</td><td>35 euros</td></tr>
<tr><td>Wednesday</td><td>Raku</td><td rowspan="2">Yard</td><td><del>60 euros</del> 66 euros</td></tr>
<tr><td>Friday</td><td>Pit firing</td><td>72 euros</td></tr>
</table>
<h2>Clay</h2>
<p>A bag of stoneware clay costs 14.50 euros and weighs 12.5 kg. The big kiln holds 0.8 m<sup>3</sup>.</p>
</body></html>
"""
MAIL = """From: Petra Quist <petra@orchard.example>
To: Board <board@orchard.example>
Subject: Fwd: cider press
Date: Tue, 11 Mar 2025 09:12:00 +0100
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="outer"

--outer
Content-Type: text/plain; charset=utf-8

The offer for the press is attached. I propose that we accept it before the end of April.

--outer
Content-Type: message/rfc822

From: Dov Marlin <dov@presses.example>
To: Petra Quist <petra@orchard.example>
Subject: Offer for a cider press
Date: Mon, 10 Mar 2025 16:40:00 +0100
Content-Type: text/plain; charset=utf-8

The hydraulic press of type HP-90 costs 11,600 euros including delivery. It presses 250 litres an hour. The warranty is three years.

--outer--
"""
STAFF = (
    "Name;Task;Room;Extension\r\nJürgen Großmann;caretaker;E 04;311\r\nZoë Lefèvre;translations;2.17;358\r\n"
    "Søren Ångström;stores;K 12;327\r\n"
)
NOTES = """# Tasting room of Blackthorn Cellars

The tasting room is open on ~~Thursdays~~ Fridays from 16:00 to 21:00.

The yeast count has to stay below 10<sup>4</sup> cells per millilitre before bottling.

| Wine | Price |
|---|---|
| Sloe red | ~~9.80~~ 10.40 euros |
| Quince white | 8.90 euros |
"""


def make(folder: Path) -> None:
    """Write all of them into the folder layouts."""
    made = {
        "night-shift.docx": dairy(),
        "port-figures.pptx": harbour(),
        "saltmoor.xlsx": turbines(),
        "korvat-2024.pdf": balance(),
        "mooring-application.pdf": form(),
        "kiln-club.html": PAGE.encode(),
        "cider-press.eml": MAIL.encode(),
        "telephone-list.csv": STAFF.encode("cp1252"),
        "tasting-room.md": NOTES.encode(),
    }
    for name, content in made.items():
        (folder / "layouts" / name).write_bytes(content)


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
