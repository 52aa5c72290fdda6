"""Quote the answer to a question from texts in memory, word for word.

For texts that may be read once and not be kept: none is stored, logged, cached or sent to a model of somebody else.
"""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from core.asking.confidence.endings import is_sure
from core.asking.confidence.estimate import probability
from core.asking.confidence.evidence import evidence_of
from core.asking.generation.extractive.selected import Selected
from core.asking.generation.extractive.selection import select
from core.asking.generation.markup import MarkedPassage
from core.asking.verification.quote_normalisation import find_quote
from core.library import embedding
from core.types import Passage


@dataclass(frozen=True, kw_only=True, slots=True)
class Quoted:
    """Words of a text that answer a question."""

    text: int  # index of the text among those that were given, from 0
    words: str  # as written in the text; an item of a list on a line behind its lead-in


def quote_texts(question: str, texts: Sequence[str], *, most: int) -> list[Quoted]:
    """Choose at most `most` quotes that answer a question from some texts, the best first.

    texts: in the order in which somebody found them, the best first. A text counts only where the key-free model would
    answer from it alone, by the figures and the limit that hold for passages (ANSWER_FROM). Each quote is then looked
    for in its text; one that does not occur there word for word is left out.
    """
    similarity = _make_similarity()
    sure = [
        MarkedPassage(number=number, source="", text=text)
        for number, text in enumerate(texts)
        if text.strip() and _is_answered_by(question, text, similarity)
    ]
    _, chosen = select(question, sure, similarity, today=dt.datetime.now(dt.UTC).date())
    quoted = [
        Quoted(text=one.passage.number, words="\n".join((*one.leads, one.text))) for one in chosen if _is_verbatim(one)
    ]
    return quoted[:most]


def _is_answered_by(question: str, text: str, similarity: Callable[[str, Sequence[str]], list[float]]) -> bool:
    (nearness,) = similarity(question, [text])
    evidence = evidence_of(question, [_make_passage(text, nearness)], similarity)
    return evidence is not None and is_sure(probability(evidence))


def _is_verbatim(selected: Selected) -> bool:
    return all(find_quote(part, selected.passage.text) for part in (*selected.leads, selected.text))


def _make_similarity() -> Callable[[str, Sequence[str]], list[float]]:
    """Return a measure of nearness in meaning that keeps the vectors of texts no longer than it lives itself."""
    model = embedding.provider()
    if isinstance(model, embedding.LiteLLMProvider):  # it would send the texts away
        model = embedding.load_provider(embedding.PACKAGED)
    known: dict[str, Any] = {}

    def measure(question: str, texts: Sequence[str]) -> list[float]:
        new = [text for text in dict.fromkeys((question, *texts)) if text not in known]
        if new:
            known.update(zip(new, model.embed(new), strict=True))
        return [float(known[text] @ known[question]) for text in texts]

    return measure


def _make_passage(text: str, nearness: float) -> Passage:
    return Passage(
        chunk_id=None,
        document_id=None,
        document_name="",
        document_type="",
        document_date=None,
        source_url="",
        page_number=None,
        chapter="",
        section="",
        content=text,
        similarity=nearness,
        score=nearness,
        rank=1,
    )
