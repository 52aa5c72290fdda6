"""The formats that are read, one row each: whatever detects, lists, loads or parses a format reads its row.

Parsers are named and not imported: their libraries are large, and load in the sandboxed process alone. The lists of
formats in the documentation are made of the rows too: `python -m tests.formats`.
"""

import importlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from core.library.ingestion import recognition

MOST_CELLS = 1_000_000  # of one file, empty ones between others included; each row becomes text that is embedded
MOST_PIXELS = 100_000_000  # of one picture: A3 at 600 dpi has 70 million
MOST_PICTURES = 500  # the pages of a TIFF

_BYTE_ORDER_MARK = rb"(?:\xc3\xaf\xc2\xbb\xc2\xbf|\xef\xbb\xbf)?"  # once or twice encoded
_HTML = re.compile(
    rb"\s*+" + _BYTE_ORDER_MARK + rb"\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--(?>.*?-->)\s*+)*+<(?:!doctype\s++html|html)\b",
    re.IGNORECASE | re.DOTALL,
)
_BEGINNING = 4096  # bytes, in which markup begins
_OFFICE = "application/vnd.openxmlformats-officedocument."
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument."


def _begins_page(content: bytes) -> bool:
    return bool(_HTML.match(content[:_BEGINNING]))


class Given(Enum):
    """The input of a parser, before the name of the file."""

    TEXT = auto()  # the decoded text
    BYTES = auto()
    BYTES_AND_RECOGNISER = auto()  # the bytes, and after the name a Recogniser or None


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """Bytes near the start of a file."""

    content: bytes
    within: int = 0  # bytes from the start in which the mark may be; 0 if the file starts with it
    after_space: bool = False  # white space may come before it
    media_type: str = ""  # of the files with this mark, where the format's files have several
    needs_name: bool = False  # a file whose name has another format's ending is not read by this mark

    def is_in(self, content: bytes) -> bool:
        """Return True if a file has the mark."""
        if self.within:
            return self.content in content[: self.within]
        return (content.lstrip() if self.after_space else content).startswith(self.content)


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """The beginning of the name of a part of a ZIP archive."""

    path: str


@dataclass(frozen=True, kw_only=True, slots=True)
class StatedType:
    """The media type that a ZIP archive states in its part "mimetype", without the ending of a template."""

    media_type: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Stream:
    """The name of a stream of a compound file, as Outlook and Office before 2007 write them."""

    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Markup:
    """The beginning of a text."""

    begins: Callable[[bytes], bool]  # returns True if these bytes begin such a text


Signature = Mark | Part | StatedType | Stream | Markup


@dataclass(frozen=True, kw_only=True, slots=True)
class Format:
    """A format that is read."""

    article_name: str  # one of its files, within a sentence
    listed: str  # its name in lists
    endings: dict[str, str]  # the media type by the ending of a file's name, the usual ending first
    more_media_types: tuple[str, ...] = ()  # that servers say, too; such files get the usual ending
    signatures: tuple[Signature, ...] = ()  # a file with one of them is of the format, whatever its name says
    parser: str  # its module and function
    given: Given = Given.BYTES
    libraries: tuple[str, ...] = ()  # modules that the parser's libraries import when they first need them
    needs_recognition: bool = False  # read only where text recognition is installed
    may_hold_markup: bool = False  # a file of this name is read as the format whose Markup its text has
    taken: str  # from a file, for the documentation
    limits: str = ""  # the most that a file may have, for the documentation; files with more are refused

    @property
    def ending(self) -> str:
        """The usual ending of its files' names."""
        return next(iter(self.endings))

    @property
    def media_type(self) -> str:
        """The media type of a file with the usual ending."""
        return self.endings[self.ending]

    @property
    def media_types(self) -> Mapping[str, str]:
        """The ending for a file without one, by the media type that its server says."""
        stated = dict.fromkeys(self.more_media_types, self.ending)
        return stated | {media_type: ending for ending, media_type in reversed(self.endings.items())}

    @property
    def is_archive(self) -> bool:
        """Return True if the format's files are ZIP archives."""
        return any(isinstance(signature, Part | StatedType) for signature in self.signatures)

    @property
    def is_marked(self) -> bool:
        """Return True if each file of the format has one of its signatures."""
        return any(not isinstance(signature, Markup) for signature in self.signatures)

    @property
    def parser_module(self) -> str:
        """The name of the module with the parser."""
        return self.parser.partition(":")[0]

    def load_parser(self) -> Callable[..., Any]:
        """Import the parser and its libraries."""
        module, _, name = self.parser.partition(":")
        parser: Callable[..., Any] = getattr(importlib.import_module(module), name)
        return parser


_PARSERS = "core.library.ingestion.parsers"
_MAIL = (
    "subject as title, sender, date; the newest message; each message that it quotes or forwards as a section named "
    "after its writer and time; signatures and disclaimers as sections that say so; attached messages are read, other "
    "attachments named and not read; an encrypted message is refused"
)
_JSON = (
    "one or many documents with `title`, `text` or `sections`, and `id`, `source_url`, `date`, `authors` where present"
)
_SHEETS = (
    "each visible sheet as a section, its tables with the row that names their columns, without hidden rows and "
    "columns, then its charts, shapes with text and described pictures; title and author"
)
_SLIDES = (
    "a page for each slide, whose title is the section: text boxes from top to bottom, lists, tables, charts, "
    "diagrams, described pictures, the speaker's notes; no hidden slides; title and author"
)
_CELLS = f"{MOST_CELLS:,} cells"


class FileKind(Enum):
    """A format that a parser reads. Signatures are tried in this order, and lists have it."""

    MARKDOWN = Format(
        article_name="a Markdown file",
        listed="Markdown",
        endings={".md": "text/markdown", ".mdx": "text/markdown", ".markdown": "text/markdown"},
        parser=f"{_PARSERS}.markdown:parse_markdown",
        given=Given.TEXT,
        libraries=("frontmatter.default_handlers", "markdown_it.tree", "yaml"),
        may_hold_markup=True,
        taken=(
            "front matter (title, date, type, address, citation, authors); otherwise the first heading as title; "
            "headings as chapters and sections"
        ),
    )
    HTML = Format(
        article_name="an HTML page",
        listed="HTML",
        endings={".html": "text/html", ".htm": "text/html", ".xhtml": "text/html"},
        more_media_types=("application/xhtml+xml",),
        signatures=(Markup(begins=_begins_page),),
        parser=f"{_PARSERS}.html:parse_html",
        given=Given.TEXT,
        # By htmldate: dateparser for dates in words, and _strptime when it first reads a date in figures.
        libraries=("_strptime", "bs4.element", "dateparser", "lxml.etree", "trafilatura"),
        taken=(
            "the main text without navigation; title, date and authors from the page's tags; the address that it says "
            "it has (`rel=canonical`, its card, the browser that saved it), to be shown; headings, lists, tables, "
            "described pictures"
        ),
    )
    PDF = Format(
        article_name="a PDF",
        listed="PDF",
        endings={".pdf": "application/pdf"},
        signatures=(Mark(content=b"%PDF-", within=1024),),  # readers accept the mark that late
        parser=f"{_PARSERS}.pdf:parse_pdf",
        given=Given.BYTES_AND_RECOGNISER,
        libraries=("numpy.ma", "pdftext.extraction", "pypdfium2"),  # the first one by numpy, for a page of one letter
        taken=(
            "pages; headings recognised by their appearance, without running headers, footers and the table of "
            "contents; tables that are ruled, or hold figures; what was filled into its form or typed onto its pages, "
            "without comments; title; of scanned pages the text that is [recognised](#scans-and-pictures)"
        ),
    )
    TEXT = Format(
        article_name="a text file",
        listed="text",
        endings={".txt": "text/plain", ".text": "text/plain"},
        parser=f"{_PARSERS}.text:parse_text",
        given=Given.TEXT,
        may_hold_markup=True,
        taken="paragraphs; pages where form feeds separate them; the file's name as title",
    )
    RTF = Format(
        article_name="an RTF text",
        listed="RTF",
        endings={".rtf": "application/rtf"},
        more_media_types=("text/rtf",),
        signatures=(Mark(content=b"{\\rtf", after_space=True),),
        parser=f"{_PARSERS}.rtf:parse_rtf",
        taken=(
            "headings by their style or as short bold lines, lists, tables, footnotes; title and author; no hidden "
            "text, pictures or objects"
        ),
    )
    DOCX = Format(
        article_name="a Word document",
        listed="DOCX",
        endings=dict.fromkeys((".docx", ".docm", ".dotx", ".dotm"), f"{_OFFICE}wordprocessingml.document"),
        signatures=(Part(path="word/"),),
        parser=f"{_PARSERS}.docx:parse_docx",
        libraries=("docx.opc.exceptions", "docx.oxml.parser"),
        taken=(
            "heading styles and outline levels with their numbers, lists with the numbers that Word sets, tables, also "
            "within cells, text boxes, footnotes, endnotes, equations, content controls; charts, diagrams and "
            "described pictures; tracked changes as accepted; no tables of contents, nothing hidden or struck "
            "out; title and author"
        ),
    )
    PPTX = Format(
        article_name="a PowerPoint presentation",
        listed="PPTX",
        endings=dict.fromkeys(
            (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"), f"{_OFFICE}presentationml.presentation"
        ),
        signatures=(Part(path="ppt/"),),
        parser=f"{_PARSERS}.pptx:parse_pptx",
        libraries=(
            "pptx.exc",
            "pptx.presentation",
            "pptx.shapes.autoshape",
            "pptx.shapes.graphfrm",
            "pptx.shapes.group",
        ),
        taken=_SLIDES,
    )
    XLSX = Format(
        article_name="an Excel workbook",
        listed="XLSX",
        endings=dict.fromkeys((".xlsx", ".xlsm", ".xltx", ".xltm"), f"{_OFFICE}spreadsheetml.sheet"),
        signatures=(Part(path="xl/"),),
        parser=f"{_PARSERS}.xlsx:parse_xlsx",
        libraries=("openpyxl.cell.read_only", "openpyxl.utils.exceptions", "openpyxl.worksheet._reader"),
        taken=_SHEETS,
        limits=_CELLS,
    )
    ODT = Format(
        article_name="an OpenDocument text",
        listed="ODT",
        endings={".odt": f"{_OPEN_DOCUMENT}text", ".ott": f"{_OPEN_DOCUMENT}text"},
        signatures=(StatedType(media_type=f"{_OPEN_DOCUMENT}text"),),
        parser=f"{_PARSERS}.odf:parse_odt",
        taken=(
            "heading styles, lists, tables, footnotes, text boxes, charts, described pictures; nothing hidden or "
            "deleted; title and author"
        ),
    )
    ODS = Format(
        article_name="an OpenDocument spreadsheet",
        listed="ODS",
        endings={".ods": f"{_OPEN_DOCUMENT}spreadsheet", ".ots": f"{_OPEN_DOCUMENT}spreadsheet"},
        signatures=(StatedType(media_type=f"{_OPEN_DOCUMENT}spreadsheet"),),
        parser=f"{_PARSERS}.odf:parse_ods",
        taken=_SHEETS,
        limits=_CELLS,
    )
    ODP = Format(
        article_name="an OpenDocument presentation",
        listed="ODP",
        endings={".odp": f"{_OPEN_DOCUMENT}presentation", ".otp": f"{_OPEN_DOCUMENT}presentation"},
        signatures=(StatedType(media_type=f"{_OPEN_DOCUMENT}presentation"),),
        parser=f"{_PARSERS}.odf:parse_odp",
        taken=_SLIDES,
    )
    EPUB = Format(
        article_name="an EPUB book",
        listed="EPUB",
        endings={".epub": "application/epub+zip"},
        signatures=(Part(path="META-INF/container.xml"),),
        parser=f"{_PARSERS}.epub:parse_epub",
        taken=(
            "the book's pages in their order, with the chapters of its contents; title, authors and date; books that "
            "are locked (DRM) are refused"
        ),
    )
    CSV = Format(
        article_name="a CSV file",
        listed="CSV, TSV",
        endings={".csv": "text/csv", ".tsv": "text/tab-separated-values", ".tab": "text/tab-separated-values"},
        parser=f"{_PARSERS}.csv_files:parse_csv",
        given=Given.TEXT,
        may_hold_markup=True,
        taken="one table, whatever separates its cells; the file's name as title",
        limits=_CELLS,
    )
    MAIL = Format(
        article_name="an e-mail",
        listed="e-mail",
        endings={".eml": "message/rfc822"},
        parser=f"{_PARSERS}.mail:parse_mail",
        libraries=("email.contentmanager", "email.iterators"),  # and what they turn bytes into text with
        taken=_MAIL,
    )
    MSG = Format(
        article_name="an Outlook message",
        listed="Outlook messages",
        endings={".msg": "application/vnd.ms-outlook"},
        signatures=(Stream(name="__properties_version1.0"),),
        parser=f"{_PARSERS}.msg:parse_msg",
        libraries=("olefile",),
        taken=_MAIL,
    )
    JSON = Format(
        article_name="a JSON file",
        listed="JSON",
        endings={".json": "application/json"},
        parser=f"{_PARSERS}.json_files:parse_json",
        given=Given.TEXT,
        taken=_JSON,
    )
    JSONL = Format(
        article_name="a JSONL file",
        listed="JSONL",
        endings={".jsonl": "application/jsonl", ".ndjson": "application/jsonl"},
        parser=f"{_PARSERS}.json_files:parse_jsonl",
        given=Given.TEXT,
        taken=_JSON,
    )
    PICTURE = Format(
        article_name="a picture",
        listed="pictures of text",
        endings={
            ".png": "image/png",
            ".jpg": "image/jpeg",
            ".jpeg": "image/jpeg",
            ".tiff": "image/tiff",
            ".tif": "image/tiff",
        },
        signatures=(
            Mark(content=b"\x89PNG\r\n\x1a\n", media_type="image/png", needs_name=True),
            Mark(content=b"\xff\xd8\xff", media_type="image/jpeg", needs_name=True),
            Mark(content=b"II*\0", media_type="image/tiff", needs_name=True),
            Mark(content=b"MM\0*", media_type="image/tiff", needs_name=True),  # the other order of bytes
        ),
        parser=f"{_PARSERS}.pictures:parse_picture",
        given=Given.BYTES_AND_RECOGNISER,
        needs_recognition=True,
        taken="the text that is [recognised](#scans-and-pictures)",
        limits=f"{MOST_PIXELS // 1_000_000} million pixels, {MOST_PICTURES} pages of a TIFF",
    )


BY_SUFFIX = {ending: kind for kind in FileKind for ending in kind.value.endings}
ENDING_BY_MEDIA_TYPE = {
    media_type: ending for kind in FileKind for media_type, ending in kind.value.media_types.items()
}


def list_readable_endings() -> tuple[str, ...]:
    """Return the endings of files that can be read here: of pictures only where text recognition is installed."""
    is_installed = recognition.is_installed()
    return tuple(ending for ending, kind in BY_SUFFIX.items() if is_installed or not kind.value.needs_recognition)


def list_formats(kinds: Iterable[FileKind]) -> str:
    """Return the names of formats as a list within a sentence."""
    *names, last = [kind.value.listed for kind in kinds]
    return f"{', '.join(names)} and {last}" if names else last


# Made before a process is shut in, which then cannot look for what is installed.
SUPPORTED = list_formats(kind for kind in FileKind if recognition.is_installed() or not kind.value.needs_recognition)
