"""How likely an answer is supported by its passages, as a probability. Pure.

A logistic regression over two figures of retrieval and two of the answer. Its coefficients were fitted by
`python -m benchmarks.fit_confidence` on SQuAD 2.0's development questions, of which half could not be answered from
what was indexed. On the articles it was not fitted on (694 answers, 56 % of them right): AUROC 0.71, against 0.65 for
the best similarity and 0.58 for the mean one; calibration error 0.05; of what it lets pass, 69 % was right.
"""

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass

from core.text import content_stems, kind_asked
from core.types import Citation, ConfidenceLevel, Passage

REFUSE_BELOW = 0.5
HIGH_FROM, MEDIUM_FROM = 0.7, 0.6
BEST = 5  # passages of the mean similarity, by which the described systems decide


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What the probability is computed from, each 0..1."""

    top_similarity: float  # cosine similarity of the best passage
    mean_similarity: float  # of the five best passages, ones that are not there counting as 0
    quote_coverage: float  # share of the question's content words that the quotes, or the names of their sources, hold
    kind_held: float  # 1 when the question asks for no number, date or name, or the quotes hold one; else 0


# In the order of Evidence's fields, then the constant.
COEFFICIENTS = (3.941, -1.617, 1.754, 0.625)
INTERCEPT = -3.409


def evidence_of(question: str, passages: Sequence[Passage], citations: Sequence[Citation]) -> Evidence:
    """The evidence for an answer: its question, the passages that the model saw, and its citations."""
    similarities = sorted((passage.similarity for passage in passages), reverse=True)
    cited = {citation.chunk_id for citation in citations}
    sources = " ".join(passage.source for passage in passages if passage.chunk_id in cited)
    quotes = " ".join(citation.quoted_excerpt for citation in citations)
    asked, kind = set(content_stems(question)), kind_asked(question)
    return Evidence(
        top_similarity=similarities[0] if similarities else 0.0,
        mean_similarity=sum(similarities[:BEST]) / BEST,
        quote_coverage=_coverage(asked, f"{sources} {quotes}"),
        kind_held=float(kind is None or bool(kind.search(quotes))),
    )


def probability(evidence: Evidence) -> float:
    """The probability, 0..1, that an answer with this evidence is supported."""
    weighted = sum(c * x for c, x in zip(COEFFICIENTS, astuple(evidence), strict=True))
    return 1.0 / (1.0 + math.exp(-(weighted + INTERCEPT)))


def level_of(confidence: float) -> ConfidenceLevel:
    """A probability in words; under one half it is not enough to answer."""
    if confidence >= HIGH_FROM:
        return ConfidenceLevel.HIGH
    if confidence >= MEDIUM_FROM:
        return ConfidenceLevel.MEDIUM
    return ConfidenceLevel.LOW if confidence >= REFUSE_BELOW else ConfidenceLevel.INSUFFICIENT


def _coverage(asked: set[str], text: str) -> float:
    return len(asked & set(content_stems(text))) / len(asked) if asked else 0.0
