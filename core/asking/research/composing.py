"""Compose the page of a research from stored results: sentences that were verified, once each, with their citations."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.serialization import split_statements
from core.types import Answer, Citation, Refusal
from core.values.research import (
    Disagreement,
    Outcome,
    Paragraph,
    ProvenSentence,
    ResearchPage,
    ResearchQuestion,
    Section,
    Unproven,
)

CLOSEST = 2  # citations that are named for what is not proven


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """Holds a question of a plan and its result, as far as it may be shown."""

    question: ResearchQuestion
    result: Answer | Refusal | None


@dataclass
class _Citations:
    """Numbers the citations of a page from 1, in the order in which they are named; the same place once."""

    numbers: dict[object, int] = field(default_factory=dict)
    listed: list[Citation] = field(default_factory=list)

    def number(self, citation: Citation) -> int:
        words = " ".join(citation.quoted_excerpt.split())  # of overlapping passages the same
        place = (citation.edition or citation.chunk_id, citation.section, citation.page_number, words)
        if place not in self.numbers:
            self.numbers[place] = len(self.listed) + 1
            self.listed.append(replace(citation, number=len(self.listed) + 1))
        return self.numbers[place]


def compose_page(answered: Sequence[Answered], *, has_ended: bool) -> ResearchPage:
    """Compose a page. has_ended: what was not asked by now never will be, and is listed as not proven."""
    citations = _Citations()
    sections: dict[str, list[Paragraph]] = {}
    disagreements: list[Disagreement] = []
    said: set[str] = set()
    for one in answered:
        if isinstance(one.result, Answer):
            paragraph = _write_paragraph(one.question, one.result, citations, said)
            if paragraph.sentences:
                sections.setdefault(one.question.heading, []).append(paragraph)
            if one.result.contradiction:
                first, second = (citations.number(quote) for quote in one.result.contradiction.quotes)
                disagreements.append(Disagreement(question=one.question.text, citations=(first, second)))
    unproven = _list_unproven(answered, citations, has_ended=has_ended)
    return ResearchPage(
        sections=tuple(Section(heading=heading, paragraphs=tuple(parts)) for heading, parts in sections.items()),
        unproven=unproven,
        disagreements=tuple(_drop_repeated(disagreements)),
        citations=tuple(citations.listed),
    )


def _write_paragraph(question: ResearchQuestion, answer: Answer, citations: _Citations, said: set[str]) -> Paragraph:
    """Write what a result brings: its sentences that have citations. said: what is quoted already, and not again.

    An answer is whole, whatever else the page says.
    """
    by_number = {citation.number: citation for citation in answer.citations}
    sentences: list[ProvenSentence] = []
    documents: dict[tuple[str, dt.date | None], None] = {}
    for text, numbers in split_statements(answer.text):
        cited = [by_number[number] for number in dict.fromkeys(numbers) if number in by_number]
        folded = " ".join(text.casefold().split())
        is_quoted = question.outcome is Outcome.QUOTED
        if not cited or (is_quoted and folded in said):
            continue
        if is_quoted:
            said.add(folded)
        documents |= {(citation.document_name, citation.document_date): None for citation in cited}
        sentences.append(ProvenSentence(text=text, citations=tuple(citations.number(one) for one in cited)))
    name, date = next(iter(documents)) if len(documents) == 1 else ("", None)
    return Paragraph(
        question=question.text,
        outcome=question.outcome,
        sentences=tuple(sentences),
        level=answer.confidence_level,
        document_name=name,
        document_date=date,
        request_id=answer.request_id,
        note=answer.message,
    )


def _list_unproven(answered: Sequence[Answered], citations: _Citations, *, has_ended: bool) -> tuple[Unproven, ...]:
    listed: list[Unproven] = []
    for one in answered:
        outcome = one.question.outcome
        if outcome in (Outcome.ANSWERED, Outcome.QUOTED) or (outcome is Outcome.OPEN and not has_ended):
            continue
        closest = one.result.closest[:CLOSEST] if isinstance(one.result, Refusal) else ()
        listed.append(
            Unproven(
                question=one.question.text,
                was_asked=outcome is not Outcome.OPEN,
                closest=tuple(citations.number(citation) for citation in closest),
            )
        )
    return tuple(listed)


def _drop_repeated(found: Sequence[Disagreement]) -> list[Disagreement]:
    """Return the disagreements, each pair of citations once."""
    return list({frozenset(one.citations): one for one in reversed(found)}.values())[::-1]
