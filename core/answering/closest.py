"""The passages that come closest to a question, each with the words that come closest in it. Pure."""

from collections.abc import Sequence

from core.citations.evidence import Evidence
from core.citations.verification import cite
from core.matching import SentenceMatch, Similarity, match
from core.text import sentences
from core.types import Citation, Passage

MOST = 3  # passages: more would be a list of results, and nobody reads on
RANK_DISCOUNT = 0.04  # of a sentence's score, per rank of its passage, as where answers are chosen
NEAR = 0.75  # of the best sentence's score: a neighbour that has as much is quoted with it
FEWEST_WORDS = 6  # of a quote; a heading or the beginning of a list says nothing without what follows
LONGEST = 500  # characters of a quote to which a neighbour is still put


def closest_passages(question: str, passages: Sequence[Passage], similarity: Similarity) -> tuple[Citation, ...]:
    """At most MOST of the passages, best first and numbered from 1, each as the citation of its best sentences.

    passages: in the order of their ranks, all of them visible to the audience. One of each section goes before the
    second of any.
    """
    found = match(question, [(passage.source, passage.content) for passage in passages], similarity)
    scored: dict[int, list[SentenceMatch]] = {}
    for sentence in sorted(found.sentences, key=_score, reverse=True):
        scored.setdefault(sentence.passage, []).append(sentence)
    chosen = [_quoted(passages[place], of_it) for place, of_it in scored.items()]
    return tuple(cite(words, number=number) for number, words in enumerate(_varied(chosen)[:MOST], 1))


def _score(sentence: SentenceMatch) -> float:
    return sentence.score * (1 - RANK_DISCOUNT * sentence.passage)


def _quoted(passage: Passage, scored: Sequence[SentenceMatch]) -> Evidence:
    """The best sentence with the neighbours that are nearly as good, or without which it says too little."""
    best = scored[0]
    near = {sentence.start for sentence in scored if sentence.score >= NEAR * best.score}
    spans = sentences(passage.content)
    first = last = max((i for i, (start, _) in enumerate(spans) if start <= best.start), default=0)
    while last + 1 < len(spans) and _may_join(passage.content[spans[first][0] : spans[last][1]], spans[last + 1], near):
        last += 1
    if first and spans[first - 1][0] in near and spans[last][1] - spans[first - 1][0] <= LONGEST:
        first -= 1
    return Evidence(passage=passage, start=spans[first][0], end=spans[last][1])


def _may_join(quoted: str, following: tuple[int, int], near: set[int]) -> bool:
    """Whether the sentence that follows is quoted too."""
    start, end = following
    if len(quoted) + end - start > LONGEST:
        return False
    return start in near or len(quoted.split()) < FEWEST_WORDS


def _varied(chosen: Sequence[Evidence]) -> list[Evidence]:
    """The first of each section before the second of any."""
    first: list[Evidence] = []
    later: list[Evidence] = []
    for one in chosen:
        place = (one.passage.document_id, one.passage.chapter, one.passage.section)
        known = {(other.passage.document_id, other.passage.chapter, other.passage.section) for other in first}
        (later if place in known else first).append(one)
    return first + later
