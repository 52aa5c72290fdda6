"""Find the passages that come closest to a question, each with the words in it that do. Pure."""

from collections.abc import Sequence

from core.asking.generation.extractive.selected import is_imprint
from core.asking.reading.readings import Read, find_most, hold, read_nothing
from core.asking.verification.found_quotes import FoundQuote
from core.asking.verification.statements import cite
from core.language.nlp.scripts import is_beyond_latin
from core.language.nlp.sentence_scoring import SentenceMatch, Similarity, match
from core.language.nlp.structure import units
from core.language.nlp.text import sentences
from core.types import Citation, Passage

MOST = 3  # passages: more would be a list of results, and nobody reads on
WITHIN = 4.0  # of the best logit: a passage that is read to answer that much less is not shown beside it
RANK_DISCOUNT = 0.04  # of a sentence's score, per rank of its passage, as where answers are chosen
WITHIN_WORDS = 0.5  # of the best coverage, for questions that are compared by words alone
# Characters of a quote with its neighbours. Of 152 ordinary questions the quotes so hold the answer of 124; those of
# sentences alone that are nearly as good held it for 110, and longer ones hold hardly more (decision 0042).
LONGEST = 300


def closest_passages(
    question: str, passages: Sequence[Passage], similarity: Similarity, *, read: Read = read_nothing
) -> tuple[Citation, ...]:
    """Return at most MOST of the passages, best first and numbered from 1, each as a citation of its best sentences.

    passages: in the order of their ranks, all of them visible to the audience. One of each section goes before the
    second of any.
    """
    texts = [(passage.source, passage.content) for passage in passages]
    readings = read(question, texts)
    found = match(question, texts, similarity, held=hold(readings))
    compared = tuple(one for one in found.sentences if not is_imprint(one.text, question))
    if is_beyond_latin(question):  # a sentence without any of its words is only near by chance
        compared = tuple(one for one in compared if one.coverage >= WITHIN_WORDS * one.best_coverage)
    least = (find_most(readings) or 0.0) - WITHIN
    best: dict[int, SentenceMatch] = {}
    for sentence in sorted(compared, key=_discount_by_rank, reverse=True):
        reading = readings[sentence.passage]
        if reading is None or reading.answers >= least:
            best.setdefault(sentence.passage, sentence)
    chosen = [_quote_sentences(passages[place], sentence) for place, sentence in best.items()]
    return tuple(cite(words, number=number) for number, words in enumerate(_vary_sections(chosen)[:MOST], 1))


def _discount_by_rank(sentence: SentenceMatch) -> float:
    return sentence.score * (1 - RANK_DISCOUNT * sentence.passage)


def _quote_sentences(passage: Passage, best: SentenceMatch) -> FoundQuote:
    """Return the best sentence with those that follow it and the one before, as far as they are short.

    An item or a row begins with its list or with the names of its columns, where what is between is short: steps are
    not told from the third on.
    """
    spans, found = sentences(passage.content), units(passage.content)
    last = max((i for i, (start, _) in enumerate(spans) if start <= best.start), default=0)
    group = next((unit.group for unit in found if unit.start <= best.start < unit.end), None)
    opens = next((unit.start for unit in found if group is not None and unit.group == group), best.start)
    first = max((i for i, (start, _) in enumerate(spans) if start <= opens), default=last)
    if spans[last][1] - spans[first][0] > LONGEST:
        first = last
    while last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= LONGEST:
        last += 1
    if first and spans[last][1] - spans[first - 1][0] <= LONGEST:
        first -= 1
    return FoundQuote(passage=passage, start=spans[first][0], end=spans[last][1])


def _vary_sections(chosen: Sequence[FoundQuote]) -> list[FoundQuote]:
    """Return the first of each section before the second of any."""
    first: list[FoundQuote] = []
    later: list[FoundQuote] = []
    for one in chosen:
        place = (one.passage.document_id, one.passage.chapter, one.passage.section)
        known = {(other.passage.document_id, other.passage.chapter, other.passage.section) for other in first}
        (later if place in known else first).append(one)
    return first + later
