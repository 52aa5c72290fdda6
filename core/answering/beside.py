"""Set what a model says beside what the documents say by themselves: an answer with a model is never a worse one.

A statement that is verified is true, and may still be about something else than the question. The reader says whether
a text answers, of both alike.
"""

import re
from collections.abc import Callable, Sequence

from core.nlp.text import one_line
from core.query_understanding.languages import is_foreign
from core.reading.reader import read
from core.types import Statement

# Logits, by 25 of benchmarks/strong_replies.jsonl and by benchmarks/scripted_models.py. True answers in words of their
# own read up to 1.6 less than the documents' words, true sentences about something else at least 3.0 less.
CLEARLY_LESS = 2.0
# Where the documents answer nothing surely, true answers read 0.2 and more, sentences about something else up to -1.4.
ANSWERS = -0.5
# A large model may conclude, which is not read as an answer as surely as a sentence that states it.
IS_ABOUT_SOMETHING_ELSE = -3.0
_BUDGET_S = 0.5

_MOST_ORDERED = 8  # sentences of a draft

_MARKS = re.compile(r"\[\d{1,2}\]")
_IN_ORDER = re.compile(r"\s*(?:[-*•|]|\(?\d{1,2}[.)] |[^\n]{0,400}:\s*\Z)")
_SPEAKS_OF_ANOTHER = re.compile(
    r"\W*(?:it|its|they|their|them|this|that|these|those|he|she|his|her|there|then|also|however|therefore|thus|so|but|"
    r"and|or|otherwise|in addition|for example|for this|because of this|after that|next|finally)\b",
    re.IGNORECASE,
)


def read_answer(question: str, text: str) -> float | None:
    """Return the logit that a text answers a question; None where the reader does not know, as in other languages."""
    said = _without_marks(text)
    if not said or is_foreign(question) or is_foreign(said):
        return None
    [reading] = read(question, [("", said)], budget_s=_BUDGET_S)
    return reading.answers if reading else None


def put_answer_first(question: str, statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return the sentences of a draft, the one first that answers what was asked where a later one does.

    Lists and tables keep their order, and so do sentences that speak of what another one names.
    """
    said = tuple(statements)
    if not 1 < len(said) <= _MOST_ORDERED or any(_IN_ORDER.match(one.text) for one in said):
        return said
    if is_foreign(question) or any(is_foreign(one.text) for one in said):
        return said
    readings = read(question, [("", _without_marks(one.text)) for one in said], budget_s=_BUDGET_S)
    logits = [reading.answers if reading else None for reading in readings]
    known = [logit for logit in logits if logit is not None]
    if len(known) < len(said) or max(known) <= ANSWERS or max(known) < known[0] + CLEARLY_LESS:
        return said
    best = known.index(max(known))
    if any(_SPEAKS_OF_ANOTHER.match(one.text) for one in said[best : best + 2]):
        return said
    return (said[best], *said[:best], *said[best + 1 :])


def _without_marks(text: str) -> str:
    """Return a text on one line, without the marks of its citations."""
    return one_line(_MARKS.sub("", text))


class Beside:
    """The documents' own answer to one question, beside which a model's texts are set. Written once it is needed."""

    def __init__(self, question: str, *, quote: Callable[[], str]) -> None:
        """quote: gives the documents' own answer; "" where there is none."""
        self._question, self._quote = question, quote
        self._quoted: tuple[float | None] | None = None
        self._passed = False

    def is_outdone(self, text: str) -> bool:
        """Return True if the documents' own words answer the question, and this text clearly less.

        Once the beginning of an answer was good enough to be shown, so is the rest.
        """
        said = None if self._passed else read_answer(self._question, text)
        if said is None:
            return False
        quoted = self._read_quoted()
        is_outdone = quoted is not None and quoted > ANSWERS and said < quoted - CLEARLY_LESS
        self._passed = not is_outdone
        return is_outdone

    def _read_quoted(self) -> float | None:
        if self._quoted is None:
            quoted = self._quote()
            self._quoted = (read_answer(self._question, quoted) if quoted else None,)
        return self._quoted[0]
