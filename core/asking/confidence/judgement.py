"""Judge how sure an answer is, by sub-questions where there are several, and which of them it lacks.

Questions in writing that the packaged models do not know are judged by words alone. The embedding model and the reader
know English: what they say of Chinese is chance. So the key-free model answers such a question only with a sentence
that has all of its words and the kind of thing asked for, and else shows what comes closest. The bounds of that are
set, not fitted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.asking.confidence.estimate import probability
from core.asking.confidence.evidence import evidence_of
from core.asking.confidence.threshold import answer_from
from core.asking.reading.readings import Read, Reading, read_nothing
from core.language.i18n.translation import say
from core.language.nlp.answer_types import may_answer
from core.language.nlp.scripts import is_beyond_latin
from core.language.nlp.sentence_scoring import Similarity, ignore_meaning, match
from core.language.query_understanding.synonyms import reword
from core.language.query_understanding.values import SubQuestion, Understood
from core.types import Passage

# A sub-question under this is left out. From it to one half about half of what is asked can be answered, and one that
# is sure enough is shown beside it.
LACKING_BELOW = 0.35
# How sure it is that a document whose title has the words of a question's name is the one that was meant. Set, not
# measured: "medium" in words, and what ANSWER_FROM may ask at most for an overview by the key-free model.
SURE_OF_NAME = 0.7
_LONGEST_LABEL = 120  # characters of a sub-question's name in a message

ALL_WORDS = 0.99  # share of the question's weight that the answer's own sentence holds
FEWEST_WORDS = 2  # of a question that is answered: by one word anything is found
SURE_BY_WORDS = 0.7  # "medium" in words
_MOST_CLOSE = 0.4  # under any ANSWER_FROM that is worth setting


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """Holds how well passages answer a question."""

    confidence: float  # 0..1, over the sub-questions that can be answered
    lacking: tuple[str, ...] = ()  # names of the sub-questions that cannot, when others can
    found: tuple[SubQuestion, ...] = ()  # the sub-questions that can, when others cannot

    @property
    def message(self) -> str:
        """Say what was not found; empty if nothing is lacking."""
        if not self.lacking:
            return ""
        return say("I found nothing certain enough about: {what}.", what="; ".join(self.lacking))


def are_of_whole(passages: Sequence[Passage]) -> bool:
    """Return True if passages are the parts of a document that was asked about as a whole."""
    return any(passage.opens for passage in passages)


def judge(
    understood: Understood, passages: Sequence[Passage], similarity: Similarity, *, read: Read = read_nothing
) -> Judgement:
    """Judge how sure an answer from these passages is. Without sub-questions, for the question as it was searched for.

    An overview rests on no nearness: "summarise the safety manual" has no words of what the manual says, and the
    estimate, which compares words and meaning, would say nothing. What it rests on is that the name in the question
    is that of one document which the audience may read, and that these are its parts. The estimate counts where it is
    higher. Where no document was found by the name, everything is as for any other question.
    """

    def sure(query: str, asked: str = "", among: Sequence[Passage] = passages) -> float:
        if is_beyond_latin(query):
            return estimate_by_words(query, among)
        evidence = evidence_of(query, among, similarity, read=read, asked=asked) if among else None
        if not evidence:
            return 0.0
        estimated = probability(evidence)
        readings = read(asked or query, [(one.source, one.content) for one in among])
        if (reworded := _reword_as_passage(query, among, readings)) == query:
            return estimated
        said = evidence_of(reworded, among, similarity, read=read, asked=asked or query)
        # What the answer's writer looks for is named in the asker's words.
        return max(estimated, probability(replace(said, is_named=evidence.is_named))) if said else estimated

    sub_questions = understood.reading.sub_questions
    if understood.whole and are_of_whole(passages):
        return Judgement(confidence=max(sure(understood.sub_queries[-1].query), SURE_OF_NAME))
    if not sub_questions:
        return Judgement(confidence=sure(understood.sub_queries[-1].query, understood.bare))
    each = [(part, sure(part.query, among=_list_of_time(part, passages))) for part in sub_questions]
    best = max(confidence for _, confidence in each)
    if best < answer_from():
        # Questions that are joined may say only together what they are about.
        joined = all(part.is_question for part in sub_questions)
        return Judgement(confidence=max(best, sure(understood.bare)) if joined else best)
    least = min(LACKING_BELOW, answer_from())
    found = [(part, confidence) for part, confidence in each if confidence >= least]
    lacking = tuple(part.label[:_LONGEST_LABEL] for part, confidence in each if confidence < least)
    return Judgement(
        confidence=max(sum(confidence for _, confidence in found) / len(found), answer_from()),
        lacking=lacking,
        found=tuple(part for part, _ in found) if lacking else (),
    )


def _list_of_time(part: SubQuestion, passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages that may be about the time that a sub-question asks about."""
    return [passage for passage in passages if part.is_of_its_time(passage.document_date, passage.content)]


def _reword_as_passage(query: str, passages: Sequence[Passage], readings: Sequence[Reading | None]) -> str:
    """Return a question in the words of the passage that answers it best, as a reader says; as it is without one."""
    read = [(reading.answers, passage) for reading, passage in zip(readings, passages, strict=True) if reading]
    if not read:
        return query
    _, best = max(read, key=lambda one: one[0])
    return reword(query, f"{best.source}\n{best.content}", heading=best.source)


def estimate_by_words(question: str, passages: Sequence[Passage]) -> float:
    """Return how sure it is that these passages answer a question, 0..1; over _MOST_CLOSE only for all of its words."""
    found = match(question, [(passage.source, passage.content) for passage in passages], ignore_meaning)
    if not found.sentences or not found.weights:
        return 0.0
    best = max(found.sentences, key=lambda sentence: sentence.coverage)
    is_whole = best.coverage >= ALL_WORDS and len(found.weights) >= FEWEST_WORDS
    return SURE_BY_WORDS if is_whole and may_answer(question, best.text) else _MOST_CLOSE * best.coverage
