"""Scores without a language model that judges: what the reader says, as a calibrated probability.

Context relevance is the probability that the best of the passages answers the question, answer relevance that the
answer does, read as a text of its own. core.asking.reading.readings makes probabilities of the reader's logits.

Groundedness is not measured: answers of the key-free model are quotes, and what verification lets through of another
model's occurs in its passages too, so that a comparison says 1 whatever happens. A judge (the setting
EVALUATION_MODEL) measures it.
"""

from collections.abc import Sequence

from core.asking.reading import NONE, reader
from core.asking.reading.readings import OF_ANSWER, OF_PASSAGE
from core.errors import EvaluationError
from core.language.nlp.scripts import is_beyond_latin
from core.language.nlp.text import content_stems, drop_citations, split_questions
from core.language.query_understanding.annotations import leave_out_current
from core.quality.evaluation.triad.metrics import ANSWER_RELEVANCE, RELEVANCE

VERSION = 4  # of what is computed and its constants; part of the method's name, so that reports can tell them apart

_READING_S = 30.0  # a worker has more time than an asker

_FEWEST = 2  # content words of a last part that says by itself what is asked


class LocalScorer:
    """Scores with the reader that Footnote runs anyway. Deterministic."""

    @property
    def method(self) -> str:
        """`local:VERSION:READER`."""
        return f"local:{VERSION}:{reader.name() or NONE}"

    def measures(self, question: str) -> tuple[str, ...]:
        """Context and answer relevance; nothing without a reader, or in writing that the packaged one does not know."""
        if not reader.is_on() or is_beyond_latin(question):
            return ()
        return RELEVANCE, ANSWER_RELEVANCE

    def relevance(self, question: str, passages: Sequence[str]) -> float:
        """Return how probably the best of the passages answers, in the reading of the question that fits best.

        passages: each under its heading, which is its first line.
        """
        split = [passage.partition("\n") for passage in passages]
        return OF_PASSAGE.probability(_read_best(question, [(heading, text) for heading, _, text in split]))

    def groundedness(self, question: str, answer: str, passages: Sequence[str]) -> float:
        """Raise EvaluationError: nothing here measures it."""
        raise EvaluationError("Groundedness is measured by a judging model only (EVALUATION_MODEL).")

    def answer_relevance(self, question: str, answer: str) -> float:
        """Return how probably the answer, without its citation marks, answers the question."""
        said = drop_citations(answer).strip()
        return OF_ANSWER.probability(_read_best(question, [("", said)])) if said else 0.0


def _read_best(question: str, passages: Sequence[tuple[str, str]]) -> float:
    """Return the highest logit of a passage. EvaluationError where the reader failed."""
    readings = [one for asked in list_readings(question) for one in reader.read(asked, passages, budget_s=_READING_S)]
    best = max((reading.answers for reading in readings if reading), default=None)
    if best is None:
        raise EvaluationError("The reader read nothing. The log has why: reading_failed or reader_not_loaded.")
    return best


def list_readings(question: str) -> tuple[str, ...]:
    """List the readings of a question to look for in a passage: itself, without words for now, and its last part.

    No passage says of itself that it is of now. Of several questions, as of a follow-up that was joined to the one
    before it, a passage answers the last, which the others set the scene for.
    """
    parts = split_questions(question)
    last = parts[-1] if len(parts) > 1 and len(set(content_stems(parts[-1]))) >= _FEWEST else question
    found = (question, leave_out_current(question), last, leave_out_current(last))
    return tuple(dict.fromkeys(reading for reading in found if content_stems(reading))) or (question,)
