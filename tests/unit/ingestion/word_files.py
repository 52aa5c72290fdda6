"""Word documents made for the tests from the XML of their parts."""

from core.library.ingestion.parsers import parse
from tests.unit.ingestion.files import zip_of

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml"
NAMESPACES = " ".join(
    f'xmlns:{prefix}="{address}"'
    for prefix, address in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "m": f"{_OFFICE}/math",
        "r": f"{_OFFICE}/relationships",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "v": "urn:schemas-microsoft-com:vml",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    }.items()
)
_ROOTS = {"numbering": "numbering", "styles": "styles", "footnotes": "footnotes", "endnotes": "endnotes"}
# Of each the id and the name, and what else it says.
STYLES = "".join(
    f'<w:style w:type="{kind}" {extra} w:styleId="{identifier}"><w:name w:val="{name}"/></w:style>'
    for kind, identifier, name, extra in (
        ("paragraph", "Normal", "Normal", 'w:default="1"'),
        ("paragraph", "Titel", "Title", ""),
        ("paragraph", "H1", "heading 1", ""),
        ("paragraph", "H2", "heading 2", ""),
        ("character", "Platzhalter", "Placeholder Text", ""),
    )
)


def word_parts(body: str, **parts: str) -> dict[str, bytes]:
    """The parts of a Word document: the inside of its body, and of its numbering, styles, footnotes and endnotes."""
    parts = {"styles": STYLES} | parts
    overrides = "".join(f'<Override PartName="/word/{kind}.xml" ContentType="{_MAIN}.{kind}+xml"/>' for kind in parts)
    relations = "".join(
        f'<Relationship Id="r{number}" Type="{_OFFICE}/relationships/{kind}" Target="{kind}.xml"/>'
        for number, kind in enumerate(parts)
    )
    made = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType='
        f'"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml"'
        f' ContentType="{_MAIN}.document.main+xml"/>{overrides}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1"'
        f' Type="{_OFFICE}/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{relations}</Relationships>',
        "word/document.xml": f"<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>",
    } | {f"word/{kind}.xml": f"<w:{_ROOTS[kind]} {NAMESPACES}>{xml}</w:{_ROOTS[kind]}>" for kind, xml in parts.items()}
    return {name: xml.encode() for name, xml in made.items()}


def word_texts(body: str, **parts: str) -> list[str]:
    """The texts of a Word document's blocks. body, parts: as for word_parts."""
    [document] = parse(zip_of(word_parts(body, **parts)), "made.docx").documents
    return [block.text for block in document.blocks]


def run(text: str, properties: str = "") -> str:
    """A run of words."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def par(*content: str, properties: str = "") -> str:
    """A paragraph of runs, given as XML or as bare words."""
    runs = "".join(one if one.startswith("<") else run(one) for one in content)
    return f"<w:p><w:pPr>{properties}</w:pPr>{runs}</w:p>"


def styled(style: str, *content: str) -> str:
    """A paragraph in a style."""
    return par(*content, properties=f'<w:pStyle w:val="{style}"/>')


def control(content: str, properties: str = "") -> str:
    """A content control."""
    return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"


def cell(content: str, properties: str = "") -> str:
    """A cell of a table: bare words or blocks."""
    inside = content if content.startswith("<") else par(content)
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inside}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    """A row of cells, given as XML or as bare words."""
    inside = "".join(one if one.startswith(("<w:tc>", "<w:sdt>")) else cell(one) for one in cells)
    return f"<w:tr><w:trPr>{properties}</w:trPr>{inside}</w:tr>"


def tbl(*rows: str) -> str:
    """A table of rows."""
    return f"<w:tbl><w:tblPr/><w:tblGrid/>{''.join(rows)}</w:tbl>"


HEADER = "<w:tblHeader/>"


def reference_to_note(kind: str = "footnote") -> str:
    """A reference to the note 3."""
    return f'<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:{kind}Reference w:id="3"/></w:r>'
