"""Show the page of a research: each sentence and each quotation with the citations that it names."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from core.types import Citation
from core.values.research import Disagreement, Outcome, Paragraph, ResearchPage, Unproven

LEAST_SECTIONS = 4  # from which a page has a table of contents


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownSentence:
    """Holds a sentence with its citations."""

    text: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownParagraph:
    """Holds a paragraph with its sentences."""

    paragraph: Paragraph
    sentences: tuple[ShownSentence, ...]
    is_quoted: bool

    @property
    def documents(self) -> list[tuple[str, dt.date | None]]:
        """Return the names and dates of the documents that it is from."""
        cited = (one for sentence in self.sentences for one in sentence.citations)
        return list(dict.fromkeys((one.document_name, one.document_date) for one in cited))


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownSection:
    """Holds a section, and the place in the page at which it stands."""

    anchor: str
    heading: str
    paragraphs: tuple[ShownParagraph, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownPage:
    """Holds a page, with citations in the places of their numbers."""

    sections: tuple[ShownSection, ...]
    disagreements: tuple[tuple[Disagreement, tuple[Citation, ...]], ...]
    unproven: tuple[tuple[Unproven, tuple[Citation, ...]], ...]
    sources: tuple[Citation, ...]

    @property
    def has_contents(self) -> bool:
        """Return True if it is long enough for a table of contents."""
        return len(self.sections) >= LEAST_SECTIONS


def show_page(page: ResearchPage) -> ShownPage:
    """Put the citations of a page where it names them."""

    def find(numbers: Iterable[int]) -> tuple[Citation, ...]:
        return tuple(page.citations[number - 1] for number in numbers)

    def show_paragraph(one: Paragraph) -> ShownParagraph:
        sentences = tuple(ShownSentence(text=said.text, citations=find(said.citations)) for said in one.sentences)
        return ShownParagraph(paragraph=one, sentences=sentences, is_quoted=one.outcome is Outcome.QUOTED)

    return ShownPage(
        sections=tuple(
            ShownSection(
                anchor=f"section-{number}",
                heading=section.heading,
                paragraphs=tuple(show_paragraph(one) for one in section.paragraphs),
            )
            for number, section in enumerate(page.sections, 1)
        ),
        disagreements=tuple((one, find(one.citations)) for one in page.disagreements),
        unproven=tuple((one, find(one.closest)) for one in page.unproven),
        sources=page.citations,
    )
