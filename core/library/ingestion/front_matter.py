"""Add a file's own details of its document as a section: authors, date, citation.

Answers quote passages only. So that "who wrote this?" has a passage to quote, the details in a file's header are
written down as one, in the header's own words. Pure.
"""

from dataclasses import replace

from core.language.nlp.headings import FRONT_MATTER
from core.library.ingestion.cleaning import one_line
from core.library.ingestion.document import Block, ParsedDocument
from core.library.ingestion.parsers.written import item
from core.values.document_names import name_authors

_NO_WORD = frozenset(("", "page", "other"))  # types that nobody calls a document by
_MOST_CHARACTERS = 1500  # of the names, and of the citation; some papers have thousands of authors


def add_front_matter(parsed: ParsedDocument) -> ParsedDocument:
    """The document with that section behind its text; as it is where the file names no author and no citation."""
    cited = one_line(parsed.full_citation)
    authors = name_authors(parsed.metadata.get("authors") or parsed.metadata.get("author")) or _find_authors(parsed)
    if not authors and not cited:
        return parsed
    kind = f"the {parsed.document_type} " if parsed.document_type not in _NO_WORD else ""
    name = f"{kind}“{one_line(parsed.title)}”"
    lines = [f"Authors who wrote {name}: {_shorten_names(authors)}"] if authors else []
    if parsed.document_date:
        lines.append(f"Date of {name}: {parsed.document_date.day} {parsed.document_date:%B %Y}")
    if cited:
        lines.append(f"Full citation of {name}: {_shorten_names(cited)}")
    chapter = parsed.blocks[-1].chapter if parsed.blocks else ""
    section = Block(text="\n".join(map(item, lines)), chapter=chapter, section=FRONT_MATTER)
    return replace(parsed, blocks=(*parsed.blocks, section))


def _find_authors(parsed: ParsedDocument) -> str:
    """Take the authors from a citation: the text before the year and the title. For files that name none otherwise."""
    before, title, _ = one_line(parsed.full_citation).partition(one_line(parsed.title))
    if not title:
        return ""
    names = before.rstrip(" .:,;“\"'")
    year = names[-6:]
    is_dated = year.startswith("(") and year.endswith(")") and year[1:5].isdigit()
    return (names[:-6] if is_dated else names).strip()


def _shorten_names(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS].rpartition(" ")[0] + " …"
