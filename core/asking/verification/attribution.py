"""Find the sentences that support a statement, wherever the model said that they are. Pure.

A model may quote wrongly or not at all and still be right, so the code looks for itself: the smallest set of sentences
of one passage with everything that the statement says. It only proposes. core.asking.verification.support decides if
the sentences support the statement, as of any quotes.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.asking.verification import dates, numbers
from core.asking.verification.clauses import split_clauses
from core.asking.verification.cleaning import clean
from core.asking.verification.found_quotes import FoundQuote, split_pieces
from core.asking.verification.quote_normalisation import find_quote
from core.asking.verification.wording import list_known
from core.language.nlp.labels import find_marks
from core.language.nlp.text import content_stems, words_of
from core.types import Passage, Quote

MOST_SENTENCES = 4  # of one statement
MOST_QUOTES = 8  # of one statement; further ones are not looked at
LONGEST_QUOTE = 4_000  # characters; a chunk is shorter
LEAST_GAIN = 0.06  # of a statement's weight that a further sentence has to add
LEAST_SHARED = 0.26  # of its words and numbers that the sentences must have together, else they are off the subject
CLEARLY_MORE = 0.1  # of it that another passage has to hold more than the one that the model names
NEARBY = 1.25  # the gain of a sentence counts so much more beside one that is taken, or where it introduces it
ASKED_WEIGHT = 0.05  # of the share of the question's words, which settles what the statement's own leave open
NUMBER_WEIGHT = 2.0  # of a number, beside a word that is as rare

# Behind a conjunction, what begins like this names what it speaks of; "and closes at five" does not.
_NAMES_ITS_SUBJECT = re.compile(
    r"[,;:\s]*(?:(?:but|while|whereas|although|though|and|or)\s+)?(?:(?:the|an?|each|every|all|no)\s+\w|[A-Z])"
)

Feature = str | tuple[str, object]


def find_quotes(quotes: Sequence[Quote], passages: Sequence[Passage]) -> list[FoundQuote]:
    """Find the quotes that occur word for word in a passage: the one that they name, or else the first with them."""
    found: list[FoundQuote] = []
    for quote in quotes[:MOST_QUOTES]:
        if not quote.text.strip() or len(quote.text) > LONGEST_QUOTE:
            continue
        named = [passages[quote.passage - 1]] if 1 <= quote.passage <= len(passages) else []
        for passage in [*named, *passages]:
            span = find_quote(quote.text, passage.content)
            if span:
                found.append(FoundQuote(passage=passage, start=span[0], end=span[1]))
                break
    return list(dict.fromkeys(found))


def measure_share_held(statement: str, evidence: Sequence[FoundQuote], *, question: str = "") -> float:
    """Measure the share of a statement's words and numbers that its evidence or the names of its sources have.

    question: words of it are not counted where they are given.
    """
    said = _find_features(statement) - set(content_stems(question))
    held = _collect_held(evidence).union(*(_find_features(one.passage.source) for one in evidence))
    return len(said & held) / len(said) if said else 1.0


@dataclass(frozen=True)
class _Sentence:
    """A sentence of a passage."""

    place: int  # index among the sentences of its passage, from 0
    start: int  # offsets into the passage's content, in characters
    end: int
    text: str
    introduction: str  # of the list or table that it is an item of

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(content_stems(self.text))

    @cached_property
    def values(self) -> frozenset[Feature]:
        return frozenset(_find_values(self.text))

    @cached_property
    def labels(self) -> frozenset[tuple[str, str]]:
        return frozenset(_find_labels(f"{self.introduction} {self.text}"))


class Sentences:
    """The sentences of the passages that one draft was written from. Read once, for all of its statements.

    passages: all that the model was shown, in the order of their numbers. question: what was asked; of sentences that
    hold as much, the one that holds more of it is taken.
    """

    def __init__(self, passages: Sequence[Passage], question: str = "") -> None:
        self._passages = passages
        self._asked = frozenset(content_stems(question))

    @cached_property
    def words(self) -> set[str]:
        """Return the stems of all passages and of the names of their sources."""
        return list_known(" ".join(f"{one.source} {one.content}" for one in self._passages))

    def find_carrying(self, statement: str, own_quotes: Sequence[Quote]) -> list[FoundQuote]:
        """Find the smallest set of the passages' sentences with everything that a statement says.

        None if there is none.

        own_quotes: the model's own, which come first where they occur in a passage, whatever number they name; one
        without words only names a passage.
        """
        own = [one for one in find_quotes(own_quotes, self._passages) if one.is_long_enough]
        if own and own[0].passage == own[-1].passage and _find_features(statement) <= _collect_held(own):
            return own
        named = {quote.passage - 1 for quote in own_quotes}
        whole = self._find_best_proof(statement, own, named)
        if whole and whole.share >= 1 - LEAST_GAIN:
            return whole.evidence
        apart = self._clause_by_clause(statement, own, named)
        return apart or (whole.evidence if whole else own)

    def _clause_by_clause(self, statement: str, own: Sequence[FoundQuote], named: set[int]) -> list[FoundQuote]:
        """Find the quotes that support each clause of a statement; none unless each names its subject and is supported.

        A clause that does not name its subject could be supported by a passage about another one.
        """
        parts = [part.text for part in split_clauses(statement)]
        if len(parts) < 2 or not all(_NAMES_ITS_SUBJECT.match(part) for part in parts):
            return []
        found: list[FoundQuote] = []
        for part in parts:
            best = self._find_best_proof(part, own, named)
            if best is None or best.share < 1 - LEAST_GAIN:
                return []
            found += best.evidence
        found = list(dict.fromkeys(found))
        return found if len(found) <= MOST_SENTENCES else []

    def _find_best_proof(self, statement: str, own: Sequence[FoundQuote], named: set[int]) -> "_Proof | None":
        """Find the passage that holds most of a statement: the one that the model names, unless another has more.

        None where no passage holds enough of it.
        """
        wanted = self._weigh_features(statement)
        if not any(wanted.values()):
            return None
        labels = _find_labels(statement)
        proofs: list[tuple[float, _Proof]] = []
        for place, passage in enumerate(self._passages):
            quoted = [one for one in own if one.passage is passage]
            proof = _Proof.of(passage, self._read[place], quoted, wanted, labels, self._asked)
            if proof.evidence:
                favour = CLEARLY_MORE if quoted else CLEARLY_MORE / 2 if place in named else 0.0
                favour += self._compute_question_share(proof) * ASKED_WEIGHT
                proofs.append((proof.share + favour, proof))
        if len({id(one.passage) for one in own}) > 1:
            together = _Proof(evidence=list(own), share=measure_share(_collect_held(own), wanted))
            proofs.insert(0, (together.share + CLEARLY_MORE, together))
        enough = [(score, proof) for score, proof in proofs if _count_share(proof, wanted) >= LEAST_SHARED]
        return max(enough, key=lambda scored: scored[0])[1] if enough else None

    def _compute_question_share(self, proof: "_Proof") -> float:
        """Return the share of the question's words that a proof's sentences or their source hold."""
        known = _collect_held(proof.evidence) | _find_features(proof.evidence[0].passage.source)
        return len(known.intersection(self._asked)) / len(self._asked) if self._asked else 0.0

    @cached_property
    def _read(self) -> list[list[_Sentence]]:
        return [_read_sentences(passage) for passage in self._passages]

    @cached_property
    def _counts(self) -> Counter[Feature]:
        """Count the sentences with each word and each number; the names of the sources count as one each."""
        read = [sentence.stems | sentence.values for part in self._read for sentence in part]
        named = [_find_features(passage.source) for passage in self._passages]
        return Counter(feature for features in (*read, *named) for feature in features)

    def _weigh_features(self, statement: str) -> dict[Feature, float]:
        """Weigh the features of a statement: the rarer among the sentences, the heavier.

        A feature in none of the sentences weighs nothing, since no choice among them can support it. Weights are
        summed with math.fsum, whose result does not depend on the order of a set, which differs between processes.
        """
        count = sum(map(len, self._read))
        rarity = {one: math.log(2 + count / (1 + self._counts[one])) for one in _find_features(statement)}
        return {
            one: 0.0 if not self._counts[one] else rare if isinstance(one, str) else rare * NUMBER_WEIGHT
            for one, rare in rarity.items()
        }


@dataclass(frozen=True, slots=True)
class _Proof:
    """Sentences of one passage, and the share of a statement's weight that they hold."""

    evidence: list[FoundQuote]
    share: float

    @classmethod
    def of(
        cls,
        passage: Passage,
        read: Sequence[_Sentence],
        quoted: Sequence[FoundQuote],
        wanted: dict[Feature, float],
        labels: set[tuple[str, str]],
        asked: frozenset[str],
    ) -> "_Proof":
        """Choose the quotes of a passage, and the sentences that add most, one after the other."""
        held = _collect_held(quoted) | {one for one in _find_features(passage.source) if isinstance(one, str)}
        taken: list[_Sentence] = []
        free = [one for one in read if not any(q.start <= one.start and one.end <= q.end for q in quoted)]
        # What is said of Class A is looked for in the sentences of Class A, where there are any; what these lack, in
        # those next to them.
        of_label = [one.place for one in read if labels and labels <= one.labels]
        beside = _find_next_to(of_label, read, free)
        free = [one for one in free if not of_label or one.place in of_label]
        total = math.fsum(wanted.values())
        while len(quoted) + len(taken) < MOST_SENTENCES:
            if quoted or taken:
                free, beside = [*free, *beside], []
            if not free:
                break
            gained = [
                (_measure_gain(one, wanted, held, taken), len(asked & one.stems), -one.place, one) for one in free
            ]
            gain, _, _, best = max(gained, key=lambda scored: scored[:3])
            least = 0.0 if not quoted and not taken else LEAST_GAIN * total
            if gain <= least:
                break
            taken.append(best)
            held |= best.stems | best.values
            free.remove(best)
        evidence = [FoundQuote(passage=passage, start=one.start, end=one.end) for one in taken]
        kept = [one for one in quoted if not any(e.start <= one.start and one.end <= e.end for e in evidence)]
        ordered = sorted([*kept, *evidence], key=lambda one: one.start)
        return cls(evidence=ordered, share=measure_share(held, wanted))


def _find_next_to(places: Sequence[int], read: Sequence[_Sentence], free: Sequence[_Sentence]) -> list[_Sentence]:
    """Return the free sentences next to some that name no such thing as "Class A".

    Not behind one that names another.
    """
    others = {one.place for one in read if one.labels} - set(places)
    near = {place + step for place in places for step in (-1, 1)}
    return [one for one in free if one.place in near and not one.labels and one.place - 1 not in others]


def _measure_gain(
    sentence: _Sentence, wanted: dict[Feature, float], held: set[Feature], taken: Sequence[_Sentence]
) -> float:
    new = (sentence.stems | sentence.values) - held
    gain = math.fsum(weight for feature, weight in wanted.items() if feature in new)
    nearby = any(abs(sentence.place - one.place) == 1 or sentence.text == one.introduction for one in taken)
    return gain * NEARBY if nearby else gain


def _collect_held(evidence: Iterable[FoundQuote]) -> set[Feature]:
    held: set[Feature] = set()
    for one in evidence:
        held |= _find_features(one.text)
    return held


def measure_share(held: set[Feature], wanted: dict[Feature, float]) -> float:
    """Return the share, 0..1, of the weights of wanted features that are held."""
    kept = math.fsum(weight for feature, weight in wanted.items() if feature in held)
    return kept / math.fsum(wanted.values())


def _count_share(proof: _Proof, wanted: dict[Feature, float]) -> float:
    """Return the share of what a statement says, of whatever weight, that a proof's sentences or their source hold."""
    held = _collect_held(proof.evidence) | _find_features(proof.evidence[0].passage.source)
    return sum(feature in held for feature in wanted) / len(wanted)


def _find_features(text: str) -> set[Feature]:
    return {*content_stems(text), *_find_values(text)}


def _find_values(text: str) -> set[Feature]:
    """Return the numbers of a text. "First" and "second" are words of it, and count once."""
    found = numbers.find_numbers(dates.split_dates(text)[1])
    return {("number", one.value) for one in found if not (numbers.is_counted(one) and isinstance(one.value, str))}


def _find_labels(text: str) -> set[tuple[str, str]]:
    """Find the labels in a text: "Class A". A claim about Section 3.2 is not looked for in all of Section 3."""
    return set(find_marks(text, whole=True))


def _read_sentences(passage: Passage) -> list[_Sentence]:
    content = passage.content
    return [
        _Sentence(place, piece.start, piece.end, clean(content[piece.start : piece.end]), piece.introduction)
        for place, piece in enumerate(split_pieces(content))
        if words_of(content[piece.start : piece.end])
    ]
