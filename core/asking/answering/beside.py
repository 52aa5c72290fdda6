"""Set what a model says beside what the documents say by themselves: an answer with a model is never a worse one.

A statement that is verified is true, and may still be about something else than the question. The reader says whether
a text answers, of both alike.
"""

from collections.abc import Callable

from core.asking.reading.reader import read
from core.asking.verification.statements import Verified
from core.language.nlp.text import drop_citations, one_line
from core.language.query_understanding.languages import is_foreign

# Logits, by 25 of benchmarks/strong_replies.jsonl and by benchmarks/scripted_models.py. True answers in words of their
# own read up to 1.6 less than the documents' words, true sentences about something else at least 3.0 less.
CLEARLY_LESS = 2.0
# Where the documents answer nothing surely, true answers read 0.2 and more, sentences about something else up to -1.4.
ANSWERS = -0.5
# A large model may conclude, which is not read as an answer as surely as a sentence that states it.
IS_ABOUT_SOMETHING_ELSE = -3.0
BUDGET_S = 0.5  # seconds for reading the sentences of one draft


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
