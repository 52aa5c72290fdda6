"""A document's text as its page shows it: headings where they change, and the quote apart from what is around it."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.values.document_views import OpenedPart


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownPart:
    """A stretch of text with its heading; text alone, of which the template makes HTML."""

    chapter: str  # empty where it is that of the part before
    section: str
    page_number: int | None
    before: str  # all of the text, where nothing in it is marked
    marked: str
    after: str


def show_text(parts: Iterable[OpenedPart]) -> list[ShownPart]:
    """The parts in their order."""
    shown: list[ShownPart] = []
    chapter, section, page = "", "", None
    for part in parts:
        start, end = part.mark or (len(part.text), len(part.text))
        is_same = (part.chapter, part.section) == (chapter, section)
        shown.append(
            ShownPart(
                chapter="" if part.chapter == chapter else part.chapter,
                section="" if is_same or part.section == part.chapter else part.section,
                page_number=None if part.page_number == page else part.page_number,
                before=part.text[:start],
                marked=part.text[start:end],
                after=part.text[end:],
            )
        )
        chapter, section, page = part.chapter, part.section, part.page_number
    return shown
