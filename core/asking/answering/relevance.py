"""Judge by reading what a draft says: if it answers the question, and which of its sentences belong to the answer.

A statement that is verified is true, and may still be about something else than the question. The reader says whether
a text answers, of what a model says and of what the documents say by themselves alike: so that an answer with a model
is never a worse one.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from core.asking.answering.ordering import SURE
from core.asking.reading.reader import read
from core.asking.verification.statements import Verified
from core.language.nlp.text import drop_citations, one_line
from core.language.query_understanding.languages import is_foreign
from core.types import Statement

# Logits, by 25 of benchmarks/strong_replies.jsonl and by benchmarks/scripted_models.py. True answers in words of their
# own read up to 1.6 less than the documents' words, true sentences about something else at least 3.0 less.
CLEARLY_LESS = 2.0
# Where the documents answer nothing surely, true answers read 0.2 and more, sentences about something else up to -1.4.
ANSWERS = -0.5
# A large model may conclude, which is not read as an answer as surely as a sentence that states it.
IS_ABOUT_SOMETHING_ELSE = -3.0
BUDGET_S = 0.5  # seconds for reading the sentences of one draft

# Small models add what else the passages say. Sentences that belong to an answer read -1.4 and more by themselves, what
# is added -1.5 and less, of 54 answers of a model of 1.5 billion parameters (decision 0105).
NEEDLESS = -1.5
# Of the documents' own sentences those that read less: of 566 in six sets about the samples 48 go, from 39 answers, and
# every verdict stays; of -2.5 a right answer goes with them.
NEEDLESS_OF_DOCUMENTS = -3.0

_MOST_ORDERED = 8  # sentences of a draft
_BULLET = re.compile(r"\A\s*[-*•]\s+")
_OF_A_WHOLE = re.compile(r"\s*(?:\||\(?\d{1,2}[.)] |[^\n]{0,400}:\s*\Z)")
_SPEAKS_OF_ANOTHER = re.compile(
    r"\W*(?:it|its|they|their|them|this|that|these|those|he|she|his|her|there|then|also|however|therefore|thus|so|but|"
    r"and|or|otherwise|in addition|for example|for this|because of this|after that|next|finally)\b",
    re.IGNORECASE,
)


def read_answer(question: str, text: str) -> float | None:
    """Return the logit that a text answers a question; None where the reader does not know, as in other languages."""
    said = write_uncited(text)
    if not said or is_foreign(question) or is_foreign(said):
        return None
    [reading] = read(question, [("", said)], budget_s=BUDGET_S)
    return reading.answers if reading else None


def write_uncited(text: str) -> str:
    """Return a text on one line, without the marks of its citations."""
    return one_line(drop_citations(text))


class Beside:
    """The documents' own answer to one question, beside which a model's texts are set. Written once it is needed."""

    def __init__(self, question: str, *, quote: Callable[[], Verified | None], is_small: bool) -> None:
        """quote: gives the documents' own answer; None where there is none. is_small: of the model."""
        self._question, self._quote, self._is_small = question, quote, is_small
        self._quoted: tuple[float | None] | None = None
        self._passed = False

    def is_outdone(self, verified: Verified) -> bool:
        """Return True if the documents' own words answer the question, and this text clearly less.

        Of a small model that rests on other words than those, less is enough: it says what it has read last. Once the
        beginning of an answer was good enough to be shown, so is the rest.
        """
        said = None if self._passed else read_answer(self._question, verified.text)
        if said is None:
            return False
        quoted = self._read_quoted()
        least = 0.0 if self._is_small and not self._rests_on_quoted(verified) else CLEARLY_LESS
        is_outdone = quoted is not None and quoted > ANSWERS and said < quoted - least
        self._passed = not is_outdone
        return is_outdone

    def _read_quoted(self) -> float | None:
        if self._quoted is None:
            quoted = self._quote()
            self._quoted = (read_answer(self._question, quoted.text) if quoted else None,)
        return self._quoted[0]

    def _rests_on_quoted(self, verified: Verified) -> bool:
        """Return True if a text cites words of the sentence that begins the documents' own answer."""
        quoted = self._quote()
        if not quoted:
            return False
        line = quoted.text.partition("\n")[0]
        first = [one for one in quoted.citations if f"[{one.number}]" in line]
        return any(
            one.chunk_id == other.chunk_id and one.start < other.end and other.start < one.end
            for one in verified.citations
            for other in first
        )


def put_answer_first(question: str, statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return the sentences of a draft, the one first that answers what was asked where a later one does.

    Lists and tables keep their order, and so do sentences that speak of what another one names.
    """
    said = tuple(statements)
    if not 1 < len(said) <= _MOST_ORDERED:
        return said
    if any(_BULLET.match(one.text) or _OF_A_WHOLE.match(one.text) for one in said):
        return said
    if is_foreign(question) or any(is_foreign(one.text) for one in said):
        return said
    readings = read(question, [("", write_uncited(one.text)) for one in said], budget_s=BUDGET_S)
    logits = [reading.answers if reading else None for reading in readings]
    known = [logit for logit in logits if logit is not None]
    if len(known) < len(said) or max(known) <= ANSWERS or max(known) < known[0] + CLEARLY_LESS:
        return said
    best = known.index(max(known))
    if any(_SPEAKS_OF_ANOTHER.match(one.text) for one in said[best : best + 2]):
        return said
    return (said[best], *said[:best], *said[best + 1 :])


def leave_out_needless(question: str, statements: Sequence[Statement], *, least: float) -> tuple[Statement, ...]:
    """Return the sentences and bullets of a draft that belong to its answer; all where none of them surely answers.

    least: the logit that a sentence has to be read with by itself, more than that.
    Steps, tables and what a line introduces stay whole. A sentence that speaks of what the one before it names stays or
    goes with that one, and what is not read stays. A bullet that is left alone becomes a sentence.
    """
    said = tuple(statements)
    if len(said) < 2 or is_foreign(question) or any(_OF_A_WHOLE.match(one.text) for one in said):
        return said
    bare = [_BULLET.sub("", write_uncited(one.text)) for one in said]
    readings = read(question, [("", text) for text in bare], budget_s=BUDGET_S)
    if not any(reading and reading.answers > SURE for reading in readings):
        return said
    kept: list[Statement] = []
    stays = False
    for one, text, reading in zip(said, bare, readings, strict=True):
        if not (stays and _SPEAKS_OF_ANOTHER.match(text)):
            stays = reading is None or reading.answers > least
        if stays:
            kept.append(one)
    return (replace(kept[0], text=_BULLET.sub("", kept[0].text)),) if len(kept) == 1 else tuple(kept)
