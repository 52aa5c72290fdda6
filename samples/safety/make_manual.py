"""Make safety-manual.pdf from manual_text.md: `python samples/safety/make_manual.py [FOLDER]`.

The same text gives the same bytes: reportlab's invariant mode leaves random ids out, and the date is the edition's.
Needs reportlab, which is a development requirement.
"""

import datetime as dt
import os
import sys
from pathlib import Path
from typing import Any

from reportlab import rl_config
from reportlab.lib.enums import TA_CENTER
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageBreak, PageTemplate, Paragraph, Spacer
from reportlab.platypus.tableofcontents import TableOfContents

TITLE = "Workshop and Laboratory Safety Manual"
EDITION = "Harbour City Institute, edition 4, January 2025"
TEXT = Path(__file__).with_name("manual_text.md")
FILE_NAME = "safety-manual.pdf"
VALID_FROM = dt.datetime(2025, 1, 1, tzinfo=dt.UTC)

BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=10.5, leading=15, spaceBefore=8, spaceAfter=7)
BULLET = ParagraphStyle("bullet", parent=BODY, leftIndent=14, bulletIndent=2, spaceBefore=0, spaceAfter=4)
CHAPTER = ParagraphStyle("chapter", fontName="Helvetica-Bold", fontSize=20, leading=26, spaceAfter=10)
SECTION = ParagraphStyle("section", fontName="Helvetica-Bold", fontSize=14, leading=19, spaceBefore=8, spaceAfter=5)
COVER = ParagraphStyle("cover", fontName="Helvetica-Bold", fontSize=28, leading=36, alignment=TA_CENTER)
SUBTITLE = ParagraphStyle("subtitle", parent=BODY, fontSize=13, leading=18, alignment=TA_CENTER)
CONTENTS = ParagraphStyle("contents", fontName="Helvetica-Bold", fontSize=20, leading=26, spaceAfter=10)


class Manual(BaseDocTemplate):
    """Tells the table of contents and the PDF's outline about every chapter and section that is set."""

    def afterFlowable(self, flowable: Flowable) -> None:  # noqa: N802 - reportlab's name for the hook
        """Record a heading with the page on which it was set."""
        level = {"chapter": 0, "section": 1}.get(getattr(flowable, "style", BODY).name)
        if level is None or not isinstance(flowable, Paragraph):
            return
        key = f"heading-{self.seq.nextf('heading')}"
        self.canv.bookmarkPage(key)
        self.canv.addOutlineEntry(flowable.getPlainText(), key, level, closed=level == 0)
        self.notify("TOCEntry", (level, flowable.getPlainText(), self.page, key))


def page_number(canvas: Canvas, document: Any) -> None:
    """Print the running footer; the cover has none."""
    if document.page > 1:
        canvas.setFont("Helvetica", 9)
        canvas.drawString(25 * mm, 15 * mm, TITLE)
        canvas.drawRightString(A4[0] - 25 * mm, 15 * mm, f"Page {document.page}")


def story(text: str) -> list[Flowable]:
    """The manual as flowables: cover, table of contents, then a page for each chapter."""
    contents = TableOfContents()
    contents.levelStyles = [
        ParagraphStyle("contents1", parent=BODY, fontName="Helvetica-Bold", spaceBefore=0, spaceAfter=1, leading=14),
        ParagraphStyle("contents2", parent=BODY, leftIndent=14, spaceBefore=0, spaceAfter=0, leading=13, fontSize=9.5),
    ]
    parts: list[Flowable] = [
        Spacer(1, 80 * mm),
        Paragraph(TITLE, COVER),
        Spacer(1, 8 * mm),
        Paragraph(EDITION, SUBTITLE),
        PageBreak(),
        Paragraph("Contents", CONTENTS),
        contents,
    ]
    chapter = section = 0
    for block in text.split("\n\n"):
        if block.startswith("# "):
            chapter, section = chapter + 1, 0
            parts += [PageBreak(), Paragraph(f"{chapter}. {block[2:]}", CHAPTER)]
        elif block.startswith("## "):
            section += 1
            parts.append(Paragraph(f"{chapter}.{section} {block[3:]}", SECTION))
        elif block.startswith("- "):
            parts += [Paragraph(line[2:], BULLET, bulletText="•") for line in block.splitlines()]
        else:
            parts.append(Paragraph(block, BODY))
    return parts


def make(folder: Path) -> Path:
    """Write the manual into a folder and return its path."""
    rl_config.invariant = 1
    rl_config.pageCompression = 0  # another zlib would give other bytes
    os.environ["SOURCE_DATE_EPOCH"] = str(int(VALID_FROM.timestamp()))  # where reportlab looks for the file's date
    path = folder / FILE_NAME
    frame = Frame(25 * mm, 25 * mm, A4[0] - 50 * mm, A4[1] - 50 * mm, id="page")
    manual = Manual(str(path), pagesize=A4, title=TITLE, author="Harbour City Institute", lang="en-GB")
    manual.addPageTemplates(PageTemplate(id="page", frames=[frame], onPage=page_number))
    manual.multiBuild(story(TEXT.read_text(encoding="utf-8").strip()))
    return path


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else TEXT.parent)
