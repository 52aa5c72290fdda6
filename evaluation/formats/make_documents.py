# ruff: noqa: E501 - sentences of documents are not wrapped
"""Make the documents that are no text: `python -m evaluation.formats.make_documents [FOLDER]`.

People, organisations, places and figures are invented. The same script gives the same texts.
"""

import datetime as dt
import io
import sys
from pathlib import Path

from openpyxl import Workbook
from openpyxl.styles import Font
from PIL import Image, ImageDraw, ImageFont
from pptx import Presentation
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from samples.safety.make_incident_report import with_fixed_dates
from tests.unit.ingestion.files import epub, msg, open_document

MADE = dt.datetime(2025, 1, 15)  # noqa: DTZ001 - the libraries take times without zone
FEES = [
    ["Berth fees of Lantern Bay Sailing Club, 2025"],
    [],
    ["Length of boat", "Summer (crowns)", "Winter (crowns)", "Electricity"],
    ["up to 6 m", 310, 140, "not included"],
    ["6 to 9 m", 460, 205, "included"],
    ["9 to 12 m", 690, 300, "included"],
    ["over 12 m", 1150, 520, "by meter"],
]
BUDGET = [
    ["Thousand crowns", 2022, 2023, 2024],
    ["Membership fees", 84, 91, 97],
    ["Berth fees", 152, 149, 163],
    ["Repairs of jetties", 60, 118, 41],
    ["Surplus", 22, -14, 37],
]
WAITING = [
    ["Name", "Boat", "Length", "Waiting since"],
    ["Oda Brenner", "Sanderling", "8.2 m", dt.date(2023, 4, 18)],
    ["Matthew Igwe", "Blue Dot", "5.6 m", dt.date(2024, 2, 2)],
    ["Yun Park", "Tern", "10.4 m", dt.date(2024, 9, 30)],
]
SLIDES = [
    ("Induction for new crew", ["Ferry company Ardle Crossing"], ""),
    (
        "Before the first shift",
        [
            "Collect your radio at the gatehouse",
            "Sign the fire list in the mess",
            "Try on a life jacket, size M to XXL",
        ],
        "Radios are numbered; note yours in the blue book.",
    ),
    (
        "Emergency signals",
        [
            "Seven short blasts and one long: go to your muster station",
            "Continuous bell: fire in the engine room",
            "Three long blasts: man overboard",
        ],
        "",
    ),
    (
        "Meals and breaks",
        [
            "The mess serves hot food from 11:30 to 13:30",
            "A break of 40 minutes after five hours",
            "No food on the car deck",
        ],
        "Vegetarian meals have to be ordered by ten.",
    ),
]
CLUB = {
    "Opening hours": [
        ["Day", "Reading room", "Map room", "Archive"],
        ["Monday", "closed", "closed", "closed"],
        ["Tuesday", "10:00-18:00", "10:00-16:00", "by appointment"],
        ["Thursday", "12:00-20:00", "12:00-18:00", "14:00-17:00"],
        ["Saturday", "10:00-14:00", "closed", "closed"],
    ],
    "Volunteers": [
        ["Shift", "Volunteer", "Telephone", "Key"],
        ["Tuesday morning", "Anselm Reyes", "555-0142", "yes"],
        ["Thursday evening", "Birgit Solberg", "555-0177", "yes"],
        ["Saturday", "Conor Flynn", "555-0119", "no"],
    ],
}


def workbook() -> bytes:
    """Berth fees, a budget by years, and a waiting list."""
    book = Workbook()
    book.properties.creator, book.properties.title = "Lantern Bay Sailing Club", "Lantern Bay fees and budget"
    book.properties.created = book.properties.modified = MADE
    book.remove(book.active)
    for name, rows in (("Berth fees", FEES), ("Budget", BUDGET), ("Waiting list", WAITING)):
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    for cell in book["Berth fees"][3]:
        cell.font = Font(bold=True)
    out = io.BytesIO()
    book.save(out)
    return with_fixed_dates(out.getvalue())


def slides() -> bytes:
    """An induction with lists and notes of the speaker."""
    made = Presentation()
    made.core_properties.author, made.core_properties.title = "Ardle Crossing", "Crew induction"
    made.core_properties.modified = MADE
    for number, (title, points, notes) in enumerate(SLIDES):
        slide = made.slides.add_slide(made.slide_layouts[1 if number else 0])
        slide.shapes.title.text, slide.placeholders[1].text = title, "\n".join(points)
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
    out = io.BytesIO()
    made.save(out)
    return with_fixed_dates(out.getvalue())


def said(text: str) -> str:
    """A paragraph of an OpenDocument file."""
    return f"<text:p>{text}</text:p>"


def sheets() -> bytes:
    """Opening hours and volunteers of a library."""
    body = ""
    for name, rows in CLUB.items():
        lines = (
            "<table:table-row>"
            + "".join(f"<table:table-cell>{said(cell)}</table:table-cell>" for cell in row)
            + "</table:table-row>"
            for row in rows
        )
        body += f'<table:table table:name="{name}">{"".join(lines)}</table:table>'
    return with_fixed_dates(open_document("spreadsheet", body, meta="<dc:title>Quillmere Library plan</dc:title>"))


def rules() -> bytes:
    """The rules of an allotment association."""
    items = (
        "bonfires, except on 5 November;",
        "cockerels; hens are welcome, up to six on a plot;",
        "sprinklers between 11:00 and 17:00 from June to August.",
    )
    listed = "".join(f"<text:list-item>{said(each)}</text:list-item>" for each in items)
    body = (
        '<text:h text:outline-level="1">Membership</text:h>'
        + said("A plot of 125 square metres costs 54 crowns a year, half a plot 30 crowns. Rent is due on 1 February.")
        + said(
            "Whoever does not work a plot for eight weeks in spring or summer gets a letter; after four more it is let anew."
        )
        + '<text:h text:outline-level="1">Keeping the peace</text:h>'
        + said("Not allowed on the plots are:")
        + f"<text:list>{listed}</text:list>"
        + said("The gate is locked at 21:30. The code changes on the first of each quarter and is sent by post.")
        + '<text:h text:outline-level="1">Committee</text:h>'
        + said(
            "The committee has five members. It meets on the second Tuesday of every other month, and decides with three."
        )
    )
    meta = "<dc:title>Rules of the Thornfield Allotments</dc:title>"
    return with_fixed_dates(open_document("text", body, meta=meta))


def book() -> bytes:
    """A small book about keeping bees."""
    pages = {
        "spring.xhtml": "<h1>Spring</h1><p>The first inspection takes place when the currants flower and the day has at least "
        "14 degrees. A colony that covers five frames is strong enough to be left alone.</p><h2>Feeding</h2><p>A colony "
        "with less than 4 kg of stores is fed with fondant, never with syrup, until the willows flower.</p>",
        "summer.xhtml": "<h1>Summer</h1><p>Queen cells are looked for every seven days from May to the middle of July.</p>"
        "<h2>Harvest</h2><p>Honey is ripe when two thirds of the cells are capped. Its water must be under 18 per cent, "
        "which the refractometer shows.</p>",
        "winter.xhtml": "<h1>Winter</h1><p>Hives are treated against mites once, in December, with 35 ml of oxalic acid "
        "solution, when there is no brood.</p><p>The entrance is narrowed to 8 mm to keep mice out.</p>",
    }
    nav = "".join(f'<li><a href="{name}">{name.partition(".")[0].capitalize()}</a></li>' for name in pages)
    stated = "<dc:title>A Year with Bees</dc:title><dc:creator>Wilma Aster</dc:creator><dc:date>2021</dc:date>"
    return with_fixed_dates(epub(pages, nav=nav, metadata=stated))


def message() -> bytes:
    """A message of Outlook's."""
    body = (
        "Dear skippers,\r\n\r\nthe autumn regatta is moved to Saturday, 27 September. The start is at 10:15 off the east "
        "buoy.\r\n\r\nEntries close on 19 September at noon; the fee is 25 crowns for each boat, and 40 crowns after "
        "that.\r\n\r\nBoats without a working radio on channel 72 may not start.\r\n\r\nHelene Marsh\r\nRace officer"
    )
    sent = 134015472000000000  # 4 September 2025, 08:00 UTC, in 100 nanoseconds since 1601
    return msg(subject="Autumn regatta", sender="Helene Marsh", body=body, attached=["course.pdf"], sent=sent)


def scanned(*lines: str, size: tuple[int, int] = (1240, 1754)) -> Image.Image:
    """A page as a scanner gives it: 150 dpi, grey, a little askew."""
    page = Image.new("L", size, 244)
    font = ImageFont.load_default(26)
    for number, line in enumerate(lines):
        ImageDraw.Draw(page).text((130, 150 + 46 * number), line, fill=40, font=font)
    return page.rotate(0.6, fillcolor=244, resample=Image.Resampling.BICUBIC)


def inspection() -> bytes:
    """A report of three pages, the second and third of which are scans."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=True)
    canvas.setTitle("Inspection of the Hollin Footbridge")
    text = canvas.beginText(70, 750)
    text.textLines(
        "This report was ordered by the parish of Hollin. The bridge was inspected on 6 May 2025.\n"
        "Pages 2 and 3 are the notes that the inspector wrote on site."
    )
    canvas.drawText(text)
    canvas.showPage()
    first = (
        "Deck: 14 of 96 planks are rotten and must be replaced",
        "before the winter. Bolts are sound.",
        "Handrail: loose at the third post on the north side.",
        "Load limit stays at 3.5 tonnes until repaired.",
    )
    second = (
        "Paint: flaking on 40 per cent of the steel.",
        "Cost of all repairs is put at 18,400 crowns.",
        "The next inspection is due in May 2027.",
        "Inspector: R. Quayle, licence 2281.",
    )
    for lines in (first, second):
        canvas.drawImage(ImageReader(scanned(*lines)), 0, 0, *A4)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def notice() -> bytes:
    """A photograph of a notice, lying on its side."""
    page = scanned(
        "WATER WILL BE CUT OFF",
        "in Tallow Street on Thursday, 12 June 2025,",
        "from 8:30 to 15:00.",
        "A tanker stands at the corner of Mill Lane.",
        "Brown water afterwards is harmless: let it run for ten minutes.",
        "Questions: 555-0163, Brindle Waterworks.",
        size=(1300, 800),
    )
    out = io.BytesIO()
    page.rotate(90, expand=True).save(out, "PNG", optimize=True)
    return out.getvalue()


def make(folder: Path) -> None:
    """Write all of them into the folders documents and scans."""
    made = {
        "documents/lantern-bay.xlsx": workbook(),
        "documents/crew-induction.pptx": slides(),
        "documents/quillmere-plan.ods": sheets(),
        "documents/allotment-rules.odt": rules(),
        "documents/a-year-with-bees.epub": book(),
        "documents/autumn-regatta.msg": message(),
        "scans/footbridge.pdf": inspection(),
        "scans/water-notice.png": notice(),
    }
    for name, content in made.items():
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
