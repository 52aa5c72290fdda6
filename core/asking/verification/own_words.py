"""Replace draft statements that fail verification with the cited documents' own sentences. Pure.

A small model often reads rightly and words it so that no rule can verify it: "The money arrives on the 25th" of "Claims
handed in by the 10th of a month are paid on the 25th". The sentence that it cites needs no further proof.
"""

from collections.abc import Iterator, Sequence

from core.asking.verification.attribution import Sentences, find_quotes, measure_share_held
from core.asking.verification.found_quotes import FoundQuote
from core.asking.verification.support import assess
from core.language.nlp.structure import TextUnit, units, write_with_leads
from core.types import Passage, Quote, Statement

MOST = 3  # sentences, items or rows of one statement: more would be a page of the document
# Of a statement's words and numbers, the question's left out, more than this has to be in sentences that the model
# does not quote.
LEAST_HELD = 0.5


def say_in_own_words(
    statement: Statement, passages: Sequence[Passage], *, read: Sentences, question: str = ""
) -> tuple[Statement, ...]:
    """Return the sentences that a statement quotes, or that say the same, each as a statement, word for word.

    passages: those the model was shown, in the order of their numbers; read: their sentences. At most MOST, in their
    order. What the model quotes counts whatever it made of it; what only the code found must contradict nothing that
    is sharp.
    """
    found: dict[tuple[int, int], Statement] = {}
    for evidence in _find_evidence(statement, passages, read, question):
        number = next(place for place, passage in enumerate(passages, 1) if passage is evidence.passage)
        for unit in _find_units(evidence):
            found.setdefault((number, unit.start), _make_statement(evidence.passage.content, unit, number))
    return tuple(found.values())[:MOST]


def _find_evidence(
    statement: Statement, passages: Sequence[Passage], read: Sentences, question: str
) -> list[FoundQuote]:
    own = [one for one in find_quotes(statement.quotes, passages) if one.is_long_enough]
    if own:
        return own
    evidence = read.find_carrying(statement.text, ())
    if not evidence or measure_share_held(statement.text, evidence, question=question) <= LEAST_HELD:
        return []
    return [] if assess(statement.text, evidence, question=question).veto else evidence


def _find_units(evidence: FoundQuote) -> Iterator[TextUnit]:
    for unit in units(evidence.passage.content):
        if unit.start < evidence.end and evidence.start < unit.end:
            yield unit


def _make_statement(content: str, unit: TextUnit, number: int) -> Statement:
    leads = tuple(content[start:end] for start, end in unit.leads)
    text = content[unit.start : unit.end]
    quotes = tuple(Quote(passage=number, text=quoted) for quoted in (*leads, text))
    return Statement(text=write_with_leads(leads, text), quotes=quotes)
