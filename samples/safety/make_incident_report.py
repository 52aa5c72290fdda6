"""Make incident-report-2025-03-21.docx from incident_text.md: `python samples/safety/make_incident_report.py [FOLDER]`.

The same text gives the same members: the dates inside are fixed, and so are those of the zip archive around them.
"""

import datetime as dt
import io
import sys
import zipfile
from pathlib import Path

import docx

TITLE = "Incident Report IR-2025-017: Eye-Wash Station in Bay 3"
DATE = dt.datetime(2025, 3, 21, 9, 0)  # noqa: DTZ001 - python-docx takes a time without zone and calls it UTC
TEXT = Path(__file__).with_name("incident_text.md")
FILE_NAME = "incident-report-2025-03-21.docx"
ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest date that a zip archive can hold


def document() -> bytes:
    """The report as DOCX."""
    report = docx.Document()
    properties = report.core_properties
    properties.title, properties.author, properties.language = TITLE, "Safety officer", "en-GB"
    properties.created = properties.modified = DATE
    report.add_heading(TITLE, level=0)
    report.add_paragraph("Open to safety officers only. People, places and figures are invented for a sample library.")
    for block in TEXT.read_text(encoding="utf-8").strip().split("\n\n"):
        if block.startswith("# "):
            report.add_heading(block[2:], level=1)
        else:
            report.add_paragraph(block)
    buffer = io.BytesIO()
    report.save(buffer)
    return buffer.getvalue()


def with_fixed_dates(archive: bytes) -> bytes:
    """The same archive with every member dated alike."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as source, zipfile.ZipFile(buffer, "w") as target:
        for member in source.infolist():
            fixed = zipfile.ZipInfo(member.filename, date_time=ZIP_EPOCH)
            fixed.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(fixed, source.read(member))
    return buffer.getvalue()


def make(folder: Path) -> Path:
    """Write the report into a folder and return its path."""
    path = folder / FILE_NAME
    path.write_bytes(with_fixed_dates(document()))
    return path


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else TEXT.parent)
