"""Write the page of a research as a document: Markdown or Word, with links that open each citation at its words."""

import datetime as dt
import io
import re
from collections.abc import Iterable
from typing import Any

from core.language.i18n.translation import day, say, translatable
from core.types import Citation, ConfidenceLevel
from core.values.document_names import reference_of
from core.values.research import Outcome, Paragraph, ProvenSentence, Research, ResearchPage, Unproven

MARKDOWN, DOCX = "markdown", "docx"

DISAGREEING = translatable("Your sources disagree")
NOT_PROVEN = translatable("What could not be proven")
NOT_ASKED = translatable("not asked: the research ended before")
COMES_NEAREST = translatable("closest: {places}")
SOURCES = translatable("Sources")
NOTHING = translatable("Nothing was proven.")
LOW_CONFIDENCE = translatable("Low confidence: please check the source.")
MADE_ON = translatable(
    "Made by Footnote on {day}. Each sentence was checked word for word against the sources named behind it, and shows "
    "what its reader could read on that day."
)

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")
_ITEM_MARK = re.compile(r"\A(\s*)([-+]|\d{1,9}[.)])(?=\s)")


def write_research(research: Research, *, form: str) -> bytes:
    """Write a research; see core.api.write_research."""
    if form == MARKDOWN:
        return write_markdown(research).encode()
    if form == DOCX:
        return write_docx(research)
    raise ValueError(f"no such form: {form}")


def describe_source(citation: Citation) -> str:
    """Name the place of a citation: its document with its date, and the place in it."""
    chapter = citation.chapter if citation.chapter != citation.document_name else ""
    place = reference_of(chapter, citation.section, citation.page_number)
    return ", ".join(part for part in (name_document(citation.document_name, citation.document_date), place) if part)


def name_document(name: str, date: dt.date | None) -> str:
    """Name a document with its date."""
    return f"{name}, {day(date)}" if date else name


def write_markdown(research: Research) -> str:
    """Write a research as Markdown. A citation links to its page; where there is none, to its place in the list."""
    page = research.page
    lines = [f"# {_escape(research.topic)}", ""]
    if not page.sections:
        lines += [say(NOTHING), ""]
    for section in page.sections:
        lines += [f"## {_escape(section.heading)}", ""] if section.heading else []
        for part in section.paragraphs:
            lines += [*_write_part(part, page.citations), ""]
    if page.disagreements:
        lines += [f"## {say(DISAGREEING)}", ""]
        for one in page.disagreements:
            lines += [f"- {_escape(one.question)}"]
            lines += [f"    - {_quote(page.citations[number - 1])}" for number in one.citations]
        lines += [""]
    if page.unproven:
        lines += [f"## {say(NOT_PROVEN)}", ""]
        lines += [f"- {_escape(one.question)}{_escape(describe_unproven(one))}" for one in page.unproven] + [""]
    if page.citations:
        lines += [f"## {say(SOURCES)}", ""]
        lines += [f"{one.number}. {_quote(one)}" for one in page.citations] + [""]
    return "\n".join([*lines, f"*{_escape(say_made_on(research))}*", ""])


def describe_unproven(one: Unproven) -> str:
    """Say of what is not proven why, and which citations come nearest; empty where there is nothing to say."""
    said = [] if one.was_asked else [say(NOT_ASKED)]
    if one.closest:
        said.append(say(COMES_NEAREST, places="".join(f"[{number}]" for number in one.closest)))
    return f" ({'; '.join(said)})" if said else ""


def say_made_on(research: Research) -> str:
    """Say when the page was made, and what holds of its sentences."""
    return say(MADE_ON, day=day((research.finished_at or research.created_at).date()))


def _write_part(part: Paragraph, citations: tuple[Citation, ...]) -> list[str]:
    """Write what one question brought, on lines of their own where it is quoted."""
    said = [
        _escape(one.text) + "".join(_link(citations[number - 1]) for number in one.citations) for one in part.sentences
    ]
    lead = [f"*{_escape(name_document(part.document_name, part.document_date))}*", ""] if part.document_name else []
    notes = [line for note in list_notes(part) for line in ("", f"*{_escape(note)}*")]
    if part.outcome is Outcome.ANSWERED:
        return [*lead, *((f"- {one}" for one in said) if len(said) > 1 else said), *notes]
    return [*lead, *_join_lines(f"> {one}" for one in said), *notes]


def list_notes(part: Paragraph) -> list[str]:
    """Return what is said below a paragraph: how sure an answer is where it is not sure, and what it lacks."""
    is_unsure = part.outcome is Outcome.ANSWERED and part.level in (ConfidenceLevel.LOW, ConfidenceLevel.INSUFFICIENT)
    return [*([say(LOW_CONFIDENCE)] if is_unsure else []), *([part.note] if part.note else [])]


def _join_lines(lines: Iterable[str]) -> list[str]:
    """Put quoted lines below each other, as paragraphs of one quote."""
    joined = [line for one in lines for line in (one, ">")]
    return joined[:-1]


def _link(citation: Citation) -> str:
    return f" [[{citation.number}]]({citation.opens_at})" if citation.opens_at else f" \\[{citation.number}\\]"


def _quote(citation: Citation) -> str:
    place = _escape(describe_source(citation))
    named = f"[{place}]({citation.opens_at})" if citation.opens_at else place
    return f"{named}: “{_escape(' '.join(citation.quoted_excerpt.split()))}”"


def _escape(text: str) -> str:
    """Return text that Markdown shows as it is: nothing in it is a link, a mark or a heading."""
    return _ITEM_MARK.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", " ".join(text.split())))


def write_docx(research: Research) -> bytes:
    """Write a research as a Word document."""
    import docx  # loads templates, which no other call needs

    document = docx.Document()
    document.core_properties.title = _plain(research.topic)
    document.core_properties.author = "Footnote"
    document.core_properties.comments = ""
    document.core_properties.created = dt.datetime.now(dt.UTC)
    document.add_heading(_plain(research.topic), level=0)
    _add_sections(document, research.page)
    _add_what_is_left(document, research.page)
    document.add_paragraph().add_run(say_made_on(research)).italic = True
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def _add_sections(document: Any, page: ResearchPage) -> None:
    if not page.sections:
        document.add_paragraph(say(NOTHING))
    for section in page.sections:
        if section.heading:
            document.add_heading(_plain(section.heading), level=1)
        for part in section.paragraphs:
            _add_part(document, part, page.citations)


def _add_what_is_left(document: Any, page: ResearchPage) -> None:
    """Add the disagreements, what could not be proven, and the sources."""
    if page.disagreements:
        document.add_heading(say(DISAGREEING), level=1)
    for one in page.disagreements:
        document.add_paragraph(_plain(one.question))
        for number in one.citations:
            _add_quote(document, page.citations[number - 1], style="List Bullet")
    if page.unproven:
        document.add_heading(say(NOT_PROVEN), level=1)
    for left in page.unproven:
        document.add_paragraph(_plain(left.question + describe_unproven(left)), style="List Bullet")
    if page.citations:
        document.add_heading(say(SOURCES), level=1)
    for citation in page.citations:
        _add_quote(document, citation, style="Normal")


def _add_part(document: Any, part: Paragraph, citations: tuple[Citation, ...]) -> None:
    if part.document_name:
        named = name_document(part.document_name, part.document_date)
        document.add_paragraph().add_run(_plain(named)).italic = True
    style = "List Bullet" if part.outcome is Outcome.ANSWERED else "Quote"
    for one in part.sentences:
        _add_sentence(document, one, citations, style=style)
    for note in list_notes(part):
        document.add_paragraph().add_run(_plain(note)).italic = True


def _add_sentence(document: Any, one: ProvenSentence, citations: tuple[Citation, ...], *, style: str) -> None:
    paragraph = document.add_paragraph(style=style)
    paragraph.add_run(_plain(one.text))
    for number in one.citations:
        paragraph.add_run(" ")
        _add_link(paragraph, f"[{number}]", citations[number - 1].opens_at)


def _add_quote(document: Any, citation: Citation, *, style: str) -> None:
    paragraph = document.add_paragraph(style=style)
    paragraph.add_run(f"[{citation.number}] ")
    _add_link(paragraph, _plain(describe_source(citation)), citation.opens_at)
    paragraph.add_run(f": “{_plain(citation.quoted_excerpt)}”")


def _add_link(paragraph: Any, text: str, address: str) -> None:
    """Add text that opens an address; python-docx has no call for it (its FAQ shows this way)."""
    if not address:
        paragraph.add_run(text)
        return
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), paragraph.part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
    run = paragraph.add_run(text)
    run.font.underline = True
    link.append(run._r)
    paragraph._p.append(link)


def _plain(text: str) -> str:
    """Return text on one line without what XML cannot hold."""
    return "".join(character for character in " ".join(text.split()) if character.isprintable() or character == " ")
