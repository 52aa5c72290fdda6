"""Replace the statements of a draft that fail verification with the cited documents' own sentences. Pure.

A small model often reads rightly and words it so that no rule can verify it: "The money arrives on the 25th" of "Claims
handed in by the 10th of a month are paid on the 25th". The sentence that it cites needs no further proof.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.asking.verification.attribution import Sentences, find_quotes, measure_share_held
from core.asking.verification.found_quotes import FoundQuote
from core.asking.verification.statements import Claim, Judge, Verified
from core.asking.verification.support import assess
from core.language.nlp.answer_types import find_kind_asked, holds_new
from core.language.nlp.sentence_scoring import Similarity
from core.language.nlp.structure import TextUnit, units, write_with_leads
from core.language.nlp.text import one_line
from core.types import Passage, Quote, Statement

LEAST_SIMILAR = 0.3  # of a sentence that is shown in place of a model's words, with the question

MOST_SENTENCES = 3  # sentences, items or rows of one statement: more would be a page of the document
# Of a statement's words and numbers, the question's left out, more than this has to be in sentences that the model
# does not quote.
LEAST_HELD = 0.5


def fit_all(_question: str, texts: Sequence[str]) -> Sequence[float]:
    """Return the nearness of sentences to a question about a document as a whole: each of its sentences fits."""
    return [1.0] * len(texts)


@dataclass(frozen=True, slots=True)
class Mended:
    """A draft with sentences of the documents in the place of statements that fail verification."""

    statements: tuple[Statement, ...]
    own: frozenset[str]  # the texts of those sentences

    def judge(self, judge: Judge | None) -> Judge | None:
        """Return the judge, not asked about what stands word for word."""
        if judge is None:
            return None

        def verdicts(claims: Sequence[Claim]) -> list[bool | None]:
            asked = [claim for claim in claims if claim.statement not in self.own]
            said = iter(judge(asked) if asked else ())
            return [True if claim.statement in self.own else next(said, None) for claim in claims]

        return verdicts


def with_own_words(
    statements: Sequence[Statement],
    verified: Verified,
    passages: Sequence[Passage],
    *,
    question: str,
    near: Similarity,
) -> Mended:
    """Return the statements, those that were dropped replaced by what they point to, where that fits the question.

    verified: what came of them. It fits where it is near to the question in meaning, holds a thing of the kind that is
    asked for, if one is, and is not shown by a verified statement.
    """
    read = Sentences(passages, question)
    pointed_to = {
        place: say_in_own_words(statements[place], passages, read=read, question=question) for place in verified.places
    }
    texts = [own.text for found in pointed_to.values() for own in found]
    kind = find_kind_asked(question)
    fitting = {
        text
        for text, similarity in zip(texts, near(question, texts), strict=True)
        if similarity >= LEAST_SIMILAR and holds_new(kind, text, question) and not _is_shown(text, verified)
    }
    mended: dict[str, Statement] = {}
    for place, statement in enumerate(statements):
        for one in pointed_to.get(place, (statement,)):
            if place not in pointed_to or one.text in fitting:
                mended.setdefault(one.text, one)
    return Mended(statements=tuple(mended.values()), own=frozenset(fitting))


def _is_shown(text: str, verified: Verified) -> bool:
    """Return True if a verified statement quotes these words already, or a part of them."""
    quoted = (one_line(citation.quoted_excerpt) for citation in verified.citations)
    return any(words in text or text in words for words in quoted)


def say_in_own_words(
    statement: Statement, passages: Sequence[Passage], *, read: Sentences, question: str = ""
) -> tuple[Statement, ...]:
    """Return the sentences that a statement quotes, or that say the same, each as a statement, word for word.

    passages: those the model was shown, in the order of their numbers; read: their sentences. Return at most
    MOST_SENTENCES, in their order. What the model quotes counts whatever it made of it; what only the code found must
    contradict nothing that is sharp.
    """
    found: dict[tuple[int, int], Statement] = {}
    for evidence in _find_evidence(statement, passages, read, question):
        number = next(place for place, passage in enumerate(passages, 1) if passage is evidence.passage)
        for unit in units(evidence.passage.content):
            if unit.start < evidence.end and evidence.start < unit.end:
                found.setdefault((number, unit.start), _make_statement(evidence.passage.content, unit, number))
    return tuple(found.values())[:MOST_SENTENCES]


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


def _make_statement(content: str, unit: TextUnit, number: int) -> Statement:
    leads = tuple(content[start:end] for start, end in unit.leads)
    text = content[unit.start : unit.end]
    quotes = tuple(Quote(passage=number, text=quoted) for quoted in (*leads, text))
    return Statement(text=write_with_leads(leads, text), quotes=quotes)
