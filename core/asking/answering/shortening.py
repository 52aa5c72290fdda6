"""Put the sentence of a draft that answers first, and leave out those that do not belong to the answer."""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.asking.answering.beside import ANSWERS, BUDGET_S, CLEARLY_LESS, write_uncited
from core.asking.answering.ordering import SURE
from core.asking.reading.reader import read
from core.language.query_understanding.languages import is_foreign
from core.types import Statement

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
