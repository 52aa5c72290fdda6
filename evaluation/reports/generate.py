"""Write the reports that evaluation/tables.jsonl asks about: PDFs of invented companies, each laid out differently.

    python evaluation/reports/generate.py

Needs reportlab (requirements-dev.txt). The files are the same each time.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, LETTER, landscape
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    FrameBreak,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Preformatted,
    Spacer,
    Table,
)

HERE = Path(__file__).parent
STYLES = getSampleStyleSheet()
BODY = ParagraphStyle("body", parent=STYLES["BodyText"], fontSize=9.5, leading=12.5, spaceAfter=6)
SMALL = ParagraphStyle("small", parent=BODY, fontSize=8, leading=10)
CAPTION = ParagraphStyle("caption", parent=BODY, fontName="Helvetica-Oblique", spaceAfter=2)
CELL = ParagraphStyle("cell", parent=BODY, fontSize=9, leading=11, spaceAfter=0)
H1, H2 = STYLES["Heading1"], STYLES["Heading2"]
TITLE = ParagraphStyle("title", parent=STYLES["Title"], fontSize=22, leading=26)

RULED = [("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 9)]
LINES = [("LINEBELOW", (0, 0), (-1, 0), 0.7, colors.black), ("LINEABOVE", (0, -1), (-1, -1), 0.4, colors.black)]
NUMBERS = [("ALIGN", (1, 0), (-1, -1), "RIGHT"), ("FONT", (0, 0), (-1, -1), "Helvetica", 9)]
TIGHT = [("TOPPADDING", (0, 0), (-1, -1), 1.5), ("BOTTOMPADDING", (0, 0), (-1, -1), 1.5)]
BOLD_HEAD = [("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 9)]

PROSE = (
    (
        "The year was a demanding one for the whole of our industry, and we are proud of what our colleagues have "
        "achieved in it. Orders grew in every region, and the new works was handed over in the spring without a day's "
        "interruption. We thank everybody who took part in it, our customers first of all."
    ),
    (
        "Looking ahead, the board expects that demand will stay firm, while the prices of energy and of transport "
        "remain hard to foresee. We shall go on to invest in people and in machines, and to keep a careful eye on what "
        "we spend. Nothing in this report is a promise, and results may differ from what is expected here."
    ),
    (
        "Our risks are described in a chapter of their own. The most important of them are the supply of copper, the "
        "exchange rate of the dollar, and the loss of people with rare skills. For each of them there is an owner on "
        "the board, a plan, and a date on which the plan is looked at again."
    ),
)


def table(rows: Sequence[Sequence[Any]], widths: Sequence[float], *styles: Sequence[Any], repeat: int = 0) -> Table:
    """A table of rows, set in the given styles."""
    return Table(
        [list(row) for row in rows],
        colWidths=list(widths),
        repeatRows=repeat,
        style=[*NUMBERS, *TIGHT, *(command for style in styles for command in style)],
    )


def prose(*numbers: int) -> list[Paragraph]:
    """Paragraphs of the kind that reports are full of."""
    return [Paragraph(PROSE[number], BODY) for number in numbers]


def write(name: str, title: str, story: Sequence[Flowable], *, columns: int = 1, size: Any = A4) -> None:
    """Write a report: its title across the page, the rest in so many columns, and a running line below."""
    width, height = size
    inner, gap = width - 110, 18.0
    document = BaseDocTemplate(str(HERE / name), pagesize=size, title=title, author="", invariant=1)

    def below(canvas: Any, _: Any) -> None:
        canvas.setFont("Helvetica", 7.5)
        canvas.drawString(55, 30, title)
        canvas.drawRightString(width - 55, 30, f"Page {canvas.getPageNumber()}")

    def frames(top: float) -> list[Frame]:
        each = (inner - gap * (columns - 1)) / columns
        return [Frame(55 + n * (each + gap), 50, each, height - top, 0, 0, 0, 0) for n in range(columns)]

    head = Frame(55, height - 115, inner, 60, 0, 0, 0, 0)
    document.addPageTemplates(
        [
            PageTemplate("first", [head, *frames(175)], onPage=below),
            PageTemplate("later", frames(105), onPage=below),
        ]
    )
    document.build([NextPageTemplate("later"), Paragraph(title, TITLE), FrameBreak(), *story])


def alder() -> None:
    """No rulings; currency signs in columns of their own; sections within the table; marks of footnotes."""
    rows = [
        ["", "2023", "", "2022", "", "2021", ""],
        ["Net sales", "$", "1,412.6", "$", "1,306.2", "$", "1,198.4"],
        ["Cost of sales", "", "(861.3)", "", "(802.7)", "", "(741.9)"],
        ["Gross profit", "", "551.3", "", "503.5", "", "456.5"],
        ["Operating expenses:"],
        ["   Research and development (1)", "", "96.4", "", "88.1", "", "79.5"],
        ["   Selling and marketing", "", "142.8", "", "139.0", "", "131.6"],
        ["   General and administrative", "", "87.2", "", "84.9", "", "80.3"],
        ["Operating income", "", "224.9", "", "191.5", "", "165.1"],
        ["Interest expense", "", "(18.7)", "", "(15.2)", "", "(14.8)"],
        ["Income taxes", "", "(47.3)", "", "(40.6)", "", "(35.0)"],
        ["Net income", "$", "158.9", "$", "135.7", "$", "115.3"],
        ["Earnings per share, diluted", "$", "3.12", "$", "2.64", "$", "2.21"],
    ]
    spans = [("SPAN", (n, 0), (n + 1, 0)) for n in (1, 3, 5)]
    story = [
        Paragraph("Letter to shareholders", H1),
        *prose(0, 1),
        PageBreak(),
        Paragraph("Consolidated Statements of Income", H2),
        Paragraph("(In millions of dollars, except per share data)", CAPTION),
        table(rows, [190, 12, 62, 12, 62, 12, 62], BOLD_HEAD, spans, [("ALIGN", (1, 0), (-1, 0), "CENTER")]),
        Spacer(1, 6),
        Paragraph("(1) Includes the cost of the laboratory in Trondheim.", SMALL),
        *prose(2),
    ]
    write("alder-instruments-2023.pdf", "Alder Instruments Annual Report 2023", story)


def birchwood() -> None:
    """Ruled all round; a balance sheet of two dates, and where the money comes from."""
    balance = [
        ["In thousands of euros", "31 December 2022", "31 December 2021"],
        ["Cash and cash equivalents", "24,310", "19,875"],
        ["Trade receivables", "41,206", "38,914"],
        ["Inventories", "33,480", "29,117"],
        ["Property, plant and equipment", "118,642", "112,030"],
        ["Total assets", "217,638", "199,936"],
        ["Bank loans", "52,000", "58,500"],
        ["Trade payables", "36,725", "33,208"],
        ["Shareholders' equity", "128,913", "108,228"],
    ]
    regions = [
        ["Region", "Revenue 2022", "Revenue 2021", "Employees"],
        ["Nordic countries", "88,214", "80,367", "412"],
        ["Iberia", "61,950", "57,481", "338"],
        ["Alps", "47,305", "49,226", "201"],
    ]
    story = [
        Paragraph("The year in brief", H1),
        *prose(0),
        Paragraph("Balance sheet", H2),
        table(balance, [200, 110, 110], RULED),
        Spacer(1, 10),
        *prose(1),
        Paragraph("Revenue by region, in thousands of euros", H2),
        table(regions, [150, 90, 90, 80], RULED),
        Spacer(1, 10),
        *prose(2),
    ]
    write("birchwood-foods-2022.pdf", "Birchwood Foods Annual Report 2022", story)


def corvid() -> None:
    """A quarterly report: periods over the years that stand above the columns."""
    rows = [
        ["", "Three months ended\nSeptember 30,", "", "Nine months ended\nSeptember 30,", ""],
        ["", "2023", "2022", "2023", "2022"],
        ["Subscription revenue", "84,117", "69,802", "241,306", "198,455"],
        ["Services revenue", "11,940", "13,265", "36,018", "40,172"],
        ["Total revenue", "96,057", "83,067", "277,324", "238,627"],
        ["Cost of revenue", "28,634", "25,910", "83,197", "74,008"],
        ["Research and development", "21,775", "18,460", "62,931", "53,284"],
        ["Sales and marketing", "30,218", "29,744", "90,650", "87,315"],
        ["Loss from operations", "(2,406)", "(6,118)", "(8,233)", "(21,507)"],
        ["Net loss", "(3,051)", "(6,894)", "(9,987)", "(23,640)"],
    ]
    spans = [("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (4, 0)), ("ALIGN", (1, 0), (-1, 0), "CENTER")]
    rules = [("LINEBELOW", (1, 0), (2, 0), 0.5, colors.black), ("LINEBELOW", (3, 0), (4, 0), 0.5, colors.black)]
    story = [
        Paragraph("Condensed consolidated statements of operations", H2),
        Paragraph("(unaudited, in thousands of dollars)", CAPTION),
        table(rows, [170, 75, 75, 75, 75], spans, rules),
        Spacer(1, 8),
        Paragraph("Discussion of the quarter", H2),
        *prose(0, 1, 2),
    ]
    write("corvid-systems-q3-2023.pdf", "Corvid Systems Report for the Third Quarter of 2023", story, size=LETTER)


def dunmore() -> None:
    """Prose in two columns, and a small table within one of them."""
    rows = [
        ["In $ million", "2019", "2018", "2017"],
        ["Freight revenue", "734.2", "701.8", "655.0"],
        ["Fuel", "(188.6)", "(203.4)", "(170.9)"],
        ["Crew", "(121.5)", "(117.7)", "(110.2)"],
        ["Net income", "61.8", "55.2", "47.6"],
        ["Dividend per share ($)", "1.35", "1.20", "1.10"],
    ]
    story = [
        Paragraph("From the bridge", H2),
        *prose(0, 1),
        Paragraph("Results of three years", H2),
        table(rows, [95, 43, 43, 43], BOLD_HEAD, LINES),
        Spacer(1, 8),
        *prose(2, 0, 1, 2, 0, 1, 2, 0),
    ]
    write("dunmore-shipping-2019.pdf", "Dunmore Shipping Annual Review 2019", story, columns=2)


def estuary() -> None:
    """A table that goes on on the next page, its head repeated there."""
    flows = [
        ("Net income for the year", "412", "377"),
        ("Depreciation of plant", "288", "271"),
        ("Amortisation of licences", "41", "39"),
        ("Impairment of the Selby turbine", "17", "–"),
        ("Change in inventories", "(23)", "12"),
        ("Change in trade receivables", "(36)", "(28)"),
        ("Change in trade payables", "31", "19"),
        ("Income taxes paid", "(94)", "(88)"),
        ("Interest received", "7", "5"),
        ("Cash flow from operating activities", "643", "607"),
        ("Purchase of plant and equipment", "(355)", "(318)"),
        ("Purchase of software", "(29)", "(33)"),
        ("Sale of the Morecambe pier", "14", "–"),
        ("Loans to associates", "(8)", "(6)"),
        ("Cash flow from investing activities", "(378)", "(357)"),
        ("Proceeds from borrowings", "150", "100"),
        ("Repayment of borrowings", "(210)", "(165)"),
        ("Lease payments", "(27)", "(25)"),
        ("Dividends paid", "(140)", "(132)"),
        ("Purchase of own shares", "(45)", "(20)"),
        ("Cash flow from financing activities", "(272)", "(242)"),
        ("Effect of exchange rates", "(3)", "2"),
        ("Net change in cash", "(10)", "10"),
        ("Cash at the end of the year", "118", "128"),
    ]
    rows = [["£ million", "2021", "2020"], *flows]
    story = [
        Paragraph("Review", H1),
        *prose(0, 1, 2, 0),
        Paragraph("Consolidated cash flow statement", H1),
        Paragraph("for the year ended 31 December, in millions of pounds", CAPTION),
        table(rows, [280, 80, 80], BOLD_HEAD, LINES, [("TOPPADDING", (0, 0), (-1, -1), 6)], repeat=1),
        Spacer(1, 8),
        *prose(1),
    ]
    write("estuary-energy-2021.pdf", "Estuary Energy Report and Accounts 2021", story)


def fernhill() -> None:
    """Labels that wrap, a column of notes, fiscal years; a formula and code beside it."""
    rows = [
        ["Amounts in CHF million", "Note", "FY2024", "FY2023", "FY2022"],
        ["Net product sales", "4", "2,318", "2,104", "1,967"],
        ["Research and development\nexpenses, of which a third\nfor rare diseases", "5", "(541)", "(498)", "(462)"],
        ["Royalties received from\npartners in Japan", "6", "73", "66", "58"],
        ["Restructuring of the works\nin Lugano", "7", "(112)", "–", "(4)"],
        ["Net income", "", "387", "405", "344"],
    ]
    products = [
        ["Product", "Use", "Sales FY2024", "Approved in"],
        ["Veradol", Paragraph("pain after operations, in adults and in children above twelve", CELL), "611", "2014"],
        ["Cortexin B", Paragraph("inflammation of the joints", CELL), "498", "2018"],
        ["Sylvanat", Paragraph("sleep, also in people who work in shifts or travel far", CELL), "220", "2021"],
    ]
    code = "def dose(weight, rate):\n    total = weight * rate   # mg\n    return min(total, 400)  # mg a day\n"
    story = [
        Paragraph("Financial summary", H1),
        *prose(0),
        Paragraph("Table 1. Income of the group", CAPTION),
        table(rows, [165, 40, 70, 70, 70], BOLD_HEAD, LINES, [("VALIGN", (0, 0), (-1, -1), "BOTTOM")]),
        Spacer(1, 8),
        *prose(1),
        Paragraph("Table 2. Products, sales in CHF million", CAPTION),
        table(
            products,
            [80, 190, 80, 70],
            RULED,
            [("ALIGN", (0, 0), (1, -1), "LEFT"), ("VALIGN", (0, 0), (-1, -1), "TOP")],
        ),
        Spacer(1, 8),
        Paragraph("How a dose is found", H2),
        Preformatted(code, STYLES["Code"]),
        Paragraph("The clearance follows CL = k · V, with k = ln 2 / t½ and V the volume of distribution.", BODY),
    ]
    write("fernhill-pharma-2024.pdf", "Fernhill Pharma Annual Report 2024", story)


def granite() -> None:
    """Across the page: quarters and the year, and segments in rows."""
    rows = [
        ["USD million", "Q1 2022", "Q2 2022", "Q3 2022", "Q4 2022", "Year 2022", "Year 2021"],
        ["Grain", "114.2", "98.7", "121.9", "140.3", "475.1", "451.6"],
        ["Coal", "77.5", "70.4", "68.8", "66.0", "282.7", "310.9"],
        ["Containers", "160.1", "171.6", "182.3", "175.4", "689.4", "640.2"],
        ["Total freight revenue", "351.8", "340.7", "373.0", "381.7", "1,447.2", "1,402.7"],
        ["Operating ratio (%)", "64.1", "62.8", "61.5", "63.0", "62.8", "65.4"],
        ["Carloads (thousands)", "92.6", "90.1", "97.8", "98.2", "378.7", "371.3"],
    ]
    story = [
        Paragraph("Quarterly figures", H2),
        Paragraph("Revenue by what was carried, in millions of US dollars", CAPTION),
        table(rows, [160, 80, 80, 80, 80, 80, 80], BOLD_HEAD, LINES),
        Spacer(1, 10),
        *prose(0, 1),
    ]
    write("granite-rail-2022.pdf", "Granite Rail Fact Book 2022", story, size=landscape(A4))


def hollis() -> None:
    """Years down the side; a table of contents in front; a chart whose axes are labelled."""
    history = [
        ["Year", "Premiums written (€m)", "Claims paid (€m)", "Combined ratio", "Offices"],
        ["2020", "903", "611", "96.2%", "148"],
        ["2019", "871", "575", "94.8%", "151"],
        ["2018", "842", "560", "95.1%", "150"],
        ["2017", "806", "587", "98.7%", "155"],
        ["2016", "779", "521", "94.0%", "157"],
    ]
    contents = [
        [f"{n}  {what} {'.' * (88 - len(what))}", str(1 + n)]
        for n, what in enumerate(("Our year", "Our people", "Our figures", "Five years", "Risks", "Auditors"), 1)
    ]
    story = [
        Paragraph("Contents", H1),
        table(contents, [350, 40], [("FONT", (0, 0), (-1, -1), "Helvetica", 8)]),
        PageBreak(),
        Paragraph("Our year", H1),
        *prose(0, 1, 2),
        Chart(),
        PageBreak(),
        Paragraph("Five years at a glance", H1),
        table(history, [60, 115, 100, 90, 60], BOLD_HEAD, [("ALIGN", (0, 0), (0, -1), "LEFT")]),
        Spacer(1, 8),
        *prose(1),
    ]
    write("hollis-insurance-2020.pdf", "Hollis Insurance Annual Report 2020", story)


class Chart(Flowable):
    """A chart with labels along its axes."""

    def wrap(self, *_: float) -> tuple[float, float]:
        """Return the width and height that it takes."""
        return 420, 190

    def draw(self) -> None:
        """Bars by month."""
        canvas = self.canv
        canvas.setFont("Helvetica", 7)
        for n, label in enumerate(("0", "50", "100", "150", "200")):
            canvas.drawRightString(30, 20 + n * 35, label)
        for n, month in enumerate(("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")):
            canvas.drawCentredString(50 + n * 30, 8, month)
            canvas.rect(42 + n * 30, 20, 16, 40 + (n * 37) % 100)
        canvas.drawCentredString(215, 180, "Claims reported each month")


def ironbridge() -> None:
    """Tables of words and prices, ruled; two tables beside prose; rows that hold several lines."""
    prices = [
        ["Tool", "Order number", "Price (EUR)", "Warranty"],
        ["Hand plane No. 4", "IB-1040", "89.00", "10 years"],
        ["Hand plane No. 5", "IB-1050", "104.00", "10 years"],
        ["Bench vice", "IB-2200", "139.50", "25 years"],
        ["Mortise gauge", "IB-3015", "42.75", "5 years"],
        ["Dovetail saw", "IB-4120", "67.20", "2 years"],
    ]
    people = [
        ["Works", "Manager", "What is made there", "Staff"],
        ["Coalport", "Una Brandt", Paragraph("planes, spokeshaves and all that is cast in iron", CELL), "184"],
        ["Madeley", "Piet Okafor", Paragraph("saws and scrapers", CELL), "97"],
        ["Broseley", "Ines Halloran", Paragraph("vices, clamps, and the benches they are sold with", CELL), "126"],
    ]
    left = [("ALIGN", (0, 0), (-1, -1), "LEFT"), ("VALIGN", (0, 0), (-1, -1), "TOP")]
    story = [
        Paragraph("Price list of May 2024", H2),
        *prose(0),
        table(prices, [140, 90, 80, 80], RULED, left),
        Spacer(1, 8),
        Paragraph("Our works", H2),
        table(people, [80, 90, 180, 50], RULED, left),
        Spacer(1, 8),
        *prose(1, 2),
    ]
    write("ironbridge-tools-2024.pdf", "Ironbridge Tools Catalogue and Review 2024", story)


def juniper() -> None:
    """Two statements on facing pages with the same lines for the group and for the bank; percentages."""
    head = ["in EUR thousand", "2018", "2017", "Change"]
    group = [
        head,
        ["Net interest income", "310,442", "298,105", "4.1%"],
        ["Fee and commission income", "88,371", "91,260", "(3.2%)"],
        ["Personnel expenses", "(142,905)", "(139,884)", "2.2%"],
        ["Loan losses", "(21,336)", "(34,719)", "(38.5%)"],
        ["Profit for the year", "126,508", "104,477", "21.1%"],
    ]
    bank = [
        head,
        ["Net interest income", "251,730", "243,918", "3.2%"],
        ["Personnel expenses", "(101,244)", "(99,602)", "1.6%"],
        ["Profit for the year", "98,117", "83,340", "17.7%"],
    ]
    ratios = [
        ["", "2018", "2017", "2016"],
        ["Core tier 1 ratio", "14.6%", "14.1%", "13.2%"],
        ["Return on equity", "9.8%", "8.4%", "7.9%"],
        ["Branches", "212", "219", "231"],
    ]
    story = [
        Paragraph("Income statement of the group", H1),
        *prose(0),
        table(group, [180, 80, 80, 70], BOLD_HEAD, LINES),
        Spacer(1, 8),
        *prose(2),
        PageBreak(),
        Paragraph("Income statement of the parent bank", H1),
        table(bank, [180, 80, 80, 70], BOLD_HEAD, LINES),
        Spacer(1, 8),
        *prose(1),
        Paragraph("Ratios", H1),
        table(ratios, [150, 70, 70, 70], BOLD_HEAD),
    ]
    write("juniper-bank-2018.pdf", "Juniper Bank Annual Report 2018", story)


if __name__ == "__main__":
    for report in (alder, birchwood, corvid, dunmore, estuary, fernhill, granite, hollis, ironbridge, juniper):
        report()
