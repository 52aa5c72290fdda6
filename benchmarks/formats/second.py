"""Second readers, which know nothing of the product's parsers: programs where they are installed, else plain lxml.

They are no requirement of the product. Each runs as a process of its own, `python -m benchmarks.formats.second KIND
FILE`, since a file may make it hang, crash or take all memory. LibreOffice and poppler's pdftotext are not asked what
is hidden; neither is the markup, where only that is read.
"""

import csv
import email
import email.policy
import html
import io
import json
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from core.library.ingestion.formats import FileKind

_SECONDS = 120
_MEMORY = 2 * 1024**3  # bytes of address space of a reader in Python
_MOST_UNZIPPED = 256 * 1024**2  # bytes of one part
_OFFICE = {FileKind.DOCX, FileKind.PPTX, FileKind.XLSX, FileKind.ODT, FileKind.ODS, FileKind.ODP, FileKind.RTF}
_TEXT_PARTS = re.compile(
    r"word/(document|footnotes|endnotes)\.xml|ppt/slides/slide\d+\.xml|ppt/notesSlides/\w+\.xml|xl/sharedStrings\.xml"
    r"|xl/worksheets/\w+\.xml|content\.xml"
)
_PAGES = (".xhtml", ".html", ".htm")
_AROUND = "//script|//style|//template|//noscript|//head|//nav|//header|//footer|//aside|//form|//button|//comment()"
_LINK = re.compile(r"(?<=\])\([^()\s]{0,2000}\)")
_COMMENT = re.compile(r"<!--(?>.*?-->)", re.DOTALL)
_KEY = re.compile(r"^[ -]*\w+:", re.MULTILINE)
_FENCE = re.compile(r"^[ >]*(?:```|~~~)[^\n]*", re.MULTILINE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,2000}>")


def read_second(path: Path, kind: FileKind) -> tuple[str, str | None]:
    """Return the name of the second reader of a file and its text: "" and None without one, None where it failed."""
    if kind is FileKind.PDF and shutil.which("pdftotext"):
        name, read = "pdftotext", _read_pdf
    elif kind in _OFFICE and shutil.which("soffice") and shutil.which("pdftotext"):
        name, read = "LibreOffice", _read_office
    elif kind.name in _READERS:
        name, read = "lxml" if kind in _MARKED_UP else "Python", partial(_read_apart, kind=kind)
    else:
        return "", None
    try:
        return name, read(path)
    except (OSError, subprocess.SubprocessError):
        return name, None


def _read_pdf(path: Path) -> str:
    return _run(["pdftotext", "-enc", "UTF-8", str(path), "-"])


def _read_office(path: Path) -> str:
    """Have LibreOffice print the file, with a profile of its own, as a running one would take the order."""
    with tempfile.TemporaryDirectory() as folder:
        profile = f"-env:UserInstallation=file://{folder}/profile"
        _run(["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", folder, str(path)])
        return _read_pdf(Path(folder) / f"{path.stem}.pdf")


def _read_apart(path: Path, kind: FileKind) -> str:
    return _run([sys.executable, "-m", "benchmarks.formats.second", kind.name, str(path)])


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, check=True, timeout=_SECONDS, stdin=subprocess.DEVNULL)
    return done.stdout.decode("utf-8", "replace")


def _read_markup(content: bytes) -> str:
    """Return the text of a page, without what its tags say is around it."""
    from lxml.html import HTMLParser, document_fromstring

    try:
        encoding = "utf-8" if content.decode("utf-8") else None
    except UnicodeDecodeError:
        encoding = None  # as the page says
    page = document_fromstring(content, parser=HTMLParser(encoding=encoding))
    for element in page.xpath(_AROUND):
        if element.getparent() is not None:  # a comment before the page has none
            element.drop_tree()
    return "\n".join(text for text in page.itertext())


def _read_parts(content: bytes) -> str:
    """Return the text of the parts of an Office file."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    texts: list[str] = []
    for part in _read_archive(content, lambda name: bool(_TEXT_PARTS.fullmatch(name))):
        for element in etree.fromstring(part, parser).iter("{*}p", "{*}h", "{*}si", "{*}is"):
            inside = (each for each in element.iter() if isinstance(each.tag, str))
            if "openxmlformats" in element.tag:
                texts.append("".join(each.text or "" for each in inside if each.tag.endswith("}t")))
            else:
                texts.append("".join(element.itertext()))
    return "\n".join(texts)


def _read_book(content: bytes) -> str:
    return "\n".join(map(_read_markup, _read_archive(content, lambda name: name.lower().endswith(_PAGES))))


def _read_archive(content: bytes, is_wanted: Callable[[str], bool]) -> Iterator[bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for part in archive.infolist():
            if is_wanted(part.filename) and part.file_size < _MOST_UNZIPPED:
                yield archive.read(part)


def _read_text(content: bytes) -> str:
    """Return the text without addresses of links and tags, which are no words."""
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    return _TAG.sub(" ", _LINK.sub("", content.decode(encoding, "replace")))


def _read_markdown(content: bytes) -> str:
    """Return the text without what is no word of it: comments, the keys before it, the languages of code."""
    text = _COMMENT.sub("", content.decode("utf-8-sig", "replace"))
    before, mark, behind = text.partition("\n---") if text.startswith("---") else ("", "", text)
    return html.unescape(_read_text((_KEY.sub("", before) + mark + _FENCE.sub("", behind)).encode()))


def _read_cells(content: bytes) -> str:
    text = _read_text(content)
    dialect = csv.Sniffer().sniff(text[:4096], ",;\t|") if text.count("\n") > 1 else csv.excel
    return "\n".join(" ".join(row) for row in csv.reader(io.StringIO(text), dialect))


def _read_values(content: bytes) -> str:
    try:
        values = [json.loads(content)]
    except ValueError:
        values = [json.loads(line) for line in content.splitlines() if line.strip()]
    return "\n".join(_strings(values))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)


def _read_mail(content: bytes) -> str:
    message = email.message_from_bytes(content, policy=email.policy.default)
    body = message.get_body(("plain", "html"))
    text = str(body.get_content()) if body else ""
    is_page = body is not None and body.get_content_subtype() == "html"
    return "\n".join([str(message["subject"] or ""), _read_markup(text.encode()) if is_page else text])


_MARKED_UP = {FileKind.HTML, FileKind.EPUB, *_OFFICE}
_READERS: dict[str, Callable[[bytes], str]] = {
    "HTML": _read_markup,
    "EPUB": _read_book,
    "MARKDOWN": _read_markdown,
    "TEXT": _read_text,
    "CSV": _read_cells,
    "JSON": _read_values,
    "JSONL": _read_values,
    "MAIL": _read_mail,
    **{kind.name: _read_parts for kind in _OFFICE if kind.value.is_archive},
}


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    sys.stdout.buffer.write(_READERS[sys.argv[1]](Path(sys.argv[2]).read_bytes()).encode("utf-8", "replace"))
