"""A draft whose statements do not all stand, mended with the documents' own words."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.asking.verification.attribution import Sentences
from core.asking.verification.judge import Claim, Judge
from core.asking.verification.own_words import say_in_own_words
from core.asking.verification.statements import Verified
from core.language.nlp.answer_types import find_kind_asked, holds_new
from core.language.nlp.sentence_scoring import Similarity
from core.language.nlp.text import one_line
from core.types import Passage, Statement

LEAST_SIMILAR = 0.3  # of a sentence that is shown in place of a model's words, with the question


def fit_all(_question: str, texts: Sequence[str]) -> Sequence[float]:
    """The nearness of sentences to a question about a document as a whole: each of its sentences fits."""
    return [1.0] * len(texts)


@dataclass(frozen=True, slots=True)
class Mended:
    """A draft with sentences of the documents in the place of statements that do not stand."""

    statements: tuple[Statement, ...]
    own: frozenset[str]  # the texts of those sentences

    def judge(self, judge: Judge | None) -> Judge | None:
        """The judge, not asked about what stands word for word."""
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
    """The statements, those that were dropped replaced by what they point to, where that fits the question.

    verified: what came of them. It fits where it is near to the question in meaning, holds a thing of the kind that is
    asked for, if one is, and is not shown by a statement that stands.
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
