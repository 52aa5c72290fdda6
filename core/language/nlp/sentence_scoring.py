"""Match sentences of passages with a question: by its words, by meaning, and by the kind of thing asked for. Pure.

The extractive model chooses sentences by it, and confidence is computed from it.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.language.nlp.answer_types import find_kind_asked, holds_new
from core.language.nlp.dates import is_of_another_month
from core.language.nlp.layout import BlockKind, is_field, is_form
from core.language.nlp.outcomes import is_outcome_asked, says_outcome
from core.language.nlp.scripts import add_singles
from core.language.nlp.seasons import Season, find_season
from core.language.nlp.siblings import SiblingsAsked
from core.language.nlp.structure import TextUnit, introduces, units, write_with_leads
from core.language.nlp.table_rows import RowsAsked, TableRow
from core.language.nlp.text import content_stems, is_data, is_of_a_date, repeats_question, split_questions

# Takes a question and sentences, gives the cosine similarity of each with the question.
Similarity = Callable[[str, Sequence[str]], Sequence[float]]
# Takes the index of a passage and two offsets into its text; tells how surely, 0..1, the passage answers the question
# and does so between them, as a reader says.
Held = Callable[[int, int, int], float]

# The weight of a question's word that is not in the sentence but in the heading of its passage, or elsewhere in the
# passage. On 900 questions of SQuAD 2.0 the best three sentences held the answer for 90.1 % (89.4 % when the rest of
# the passage counts nothing).
HEADING_WEIGHT = 0.4
PASSAGE_WEIGHT = 0.25
LEAD_WEIGHT = 0.8  # of a word in what introduces an item or a row, which all of its list or table have
EARLIER_WEIGHT = 0.5  # of the words of questions before the last, which only say what the last one is about
MOST_COMPARED = 16  # sentences whose meaning is compared, which takes 4 to 10 ms for each: those with the most words
MOST_COMPARED_OF_READ = 8  # the same where passages were read, which shows more of a sentence than its meaning
KIND_BONUS = 0.25  # of a sentence that holds the kind of thing asked for; found like the weights
RANK_DISCOUNT = 0.03  # of the coverage by which they are found, per rank of the passage
READING_WEIGHT = 1.0  # of what a reader says of a sentence
SMOOTHING = 5  # sentences that hold none of the words, added so that few sentences do not make every word a rare one

# A form's label goes without: "Phone: 4471", "Spare part: seal ring".
_STEMS_OF_KINDS = frozenset(content_stems("number name date time need have require"))
_STEMS_OF_CLAUSES = frozenset(content_stems("clause section paragraph rule point item state"))
_CLAUSE = re.compile(r"\W{0,3}(?P<number>\d{1,3}(?:\.\d{1,3})+)\.?\s")
_QUESTION_ABOVE = re.compile(r"(?:\A|[,>]\s)(?P<question>[^,>?]{3,200}\?)(?:,\spage\s\d{1,6})?\Z")
# The last part of a heading, where it is an occasion: "If the power fails". Other headings promise less.
_SECTION = re.compile(
    r"(?:\A|, )(?:\d[\d.]{0,10} )?(?P<name>(?:if|when|in case|before|after|during|how to)\b[^,]{3,200})"
    r"(?:, page \d{1,6})?\Z",
    re.IGNORECASE,
)
_STEMS_OF_FRAMES = frozenset(content_stems("happen do done need get know tell say mean rule situation"))
_FEWEST_OF_SECTION = 2  # words of a heading that says what a section is about
# The end of a letter says who wrote it, and what they are.
_CLOSING = re.compile(
    r"(?:(?:kind|best|warm|many|with kind)\s)?(?:regards|wishes)\b|yours\s(?:sincerely|faithfully|truly)\b|sincerely,",
    re.IGNORECASE,
)
_ASKS_WRITER = re.compile(
    r"\bwho(?:m|se)?\b.{0,80}\b(?:is|are|wrote|writes?|signed|sent|sends?)\b|\bfrom whom\b", re.IGNORECASE
)
_EVENT_ASKED = re.compile(r"\bwhat happened\b", re.IGNORECASE)


def ignore_meaning(_question: str, texts: Sequence[str]) -> Sequence[float]:
    """Return the similarity of who has no embedding model: none of anything."""
    return [0.0] * len(texts)


def hold_nothing(_passage: int, _start: int, _end: int) -> float:
    """Return 0, as without a reader."""
    return 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class SentenceMatch:
    """One sentence of a passage beside a question."""

    passage: int  # index of the passage, from 0
    start: int  # offsets into the passage's text, in characters
    end: int
    text: str
    leads: tuple[str, ...]  # what introduces an item or a row, the outermost first, as they are written
    group: int | None  # which list or table of the passage it belongs to
    coverage: float  # 0..1: share of the question's weight that the sentence and its surroundings hold
    best_coverage: float  # of the sentence that holds most
    similarity: float  # cosine similarity with the question
    asks_for_kind: bool  # the question asks for a number, a date or a name
    holds_kind: bool  # it does not, or the sentence holds such a thing that the question does not name
    held: float = 0.0  # 0..1: how surely it holds the answer, as a reader says
    columns: tuple[str, ...] = ()  # of a row that the question names, where none of them is what it asks for
    is_named: bool = False  # a table's row, a form's field or a clause, and the question names it and nothing else

    @property
    def score(self) -> float:
        """Rate how well the sentence answers by words, meaning, kind and reading: about 0..2, 0..3 where it was read.

        Where no sentence holds much of the question it is asked in other words, and the words that are shared by
        chance decide less. Of questions in other words (benchmarks/in_other_words.jsonl) whose passage was found, the
        best three sentences so hold the answer of 60 % in place of 57; of SQuAD's and of natural ones of as many.
        """
        tells = self.asks_for_kind and self.holds_kind
        worded = self.coverage * math.sqrt(self.best_coverage) + self.similarity + (KIND_BONUS if tells else 0.0)
        return worded + READING_WEIGHT * max(self.held, float(self.is_named))


@dataclass(frozen=True, kw_only=True, slots=True)
class Matches:
    """All sentences beside a question, in the order of the passages, and the weights of the question's words."""

    sentences: tuple[SentenceMatch, ...]
    weights: dict[str, float]  # by stem, in the order of the question: the rarer among the sentences, the heavier
    stems: tuple[frozenset[str], ...]  # of each passage, with its heading

    def measure_missing(self, passage: int) -> float:
        """Share of the question's weight that a passage, with its heading, does not hold: 0..1."""
        total = sum(self.weights.values())
        held = sum(weight for stem, weight in self.weights.items() if stem in self.stems[passage])
        return 1.0 - held / total if total else 0.0


def match(
    question: str, passages: Sequence[tuple[str, str]], similarity: Similarity, *, held: Held = hold_nothing
) -> Matches:
    """Match the sentences of the passages, each given as (heading, text) and the best first, with the question.

    Words are weighted by their rarity among the sentences (inverse document frequency, Spärck Jones 1972). Of many
    sentences only those are matched that hold most of the question's weight, or the answer as a reader says.
    """
    headings = [_stems_of(heading) for heading, _ in passages]
    season = find_season(question)
    found, answers = _keep_of_season(season, passages, _find_candidates(question, passages, headings), held)
    texts = [passages[i][1][unit.start : unit.end] for i, unit in found]
    leads = [_read_leads(unit, passages[i][1]) for i, unit in found]
    named = frozenset(content_stems(" ".join(season.names)))  # which "October to March" says too
    own = [_stems_of(text) | (named if season.is_told_by(text) else frozenset()) for text in texts]
    asked_above = [_find_question(heading) for heading, _ in passages]
    introduced = [_stems_of(" ".join((asked_above[i], *lead))) for (i, _), lead in zip(found, leads, strict=True)]
    stems = [
        heading.union(*(own[k] | introduced[k] for k, (i, _) in enumerate(found) if i == n))
        for n, heading in enumerate(headings)
    ]
    weights = _weigh_stems(question, own)
    coverage = [
        _measure_coverage(weights, _Words(own=own[k], leads=introduced[k], heading=headings[i], passage=stems[i]))
        for k, (i, _) in enumerate(found)
    ]
    best_coverage = max(coverage, default=0.0)
    compared = _choose_compared([i for i, _ in found], coverage, answers)
    meant = [_write_meant(asked_above[found[n][0]], leads[n], texts[n]) for n in compared]
    similarities = similarity(question, meant) if compared else ()
    places = [(n, found[n][0]) for n in compared if found[n][1].kind is BlockKind.ROW]
    rows = {n: TableRow(text=texts[n], leads=leads[n], heading=headings[i], passage=stems[i]) for n, i in places}
    *_, asked = split_questions(question)
    kind = find_kind_asked(asked)
    return Matches(
        sentences=tuple(
            SentenceMatch(
                passage=found[n][0],
                start=found[n][1].start,
                end=found[n][1].end,
                text=texts[n],
                leads=leads[n],
                group=found[n][1].group,
                coverage=coverage[n],
                best_coverage=best_coverage,
                similarity=float(cosine),
                asks_for_kind=kind is not None,
                # The figure of a row is of the kind that the name of its column says, or the table's caption.
                holds_kind=holds_new(kind, told if found[n][1].kind is BlockKind.ROW else texts[n], question),
                held=answers[n],
                columns=rows[n].lacks_column_for(question) if n in rows else (),
                is_named=_is_named(question, rows.get(n), texts[n], headings[found[n][0]], stems[found[n][0]])
                or (found[n][1].start == 0 and _is_section_named(question, passages[found[n][0]][0]))
                or (says_outcome(texts[n]) and is_outcome_asked(question, passages[found[n][0]][0])),
            )
            for n, told, cosine in zip(compared, meant, similarities, strict=True)
        ),
        weights=weights,
        stems=tuple(stems),
    )


def _choose_compared(passages: Sequence[int], coverage: Sequence[float], answers: Sequence[float]) -> list[int]:
    """Return the numbers of the sentences whose meaning is compared, in their order."""
    most = MOST_COMPARED_OF_READ if any(answers) else MOST_COMPARED
    best = sorted(range(len(passages)), key=lambda n: RANK_DISCOUNT * passages[n] - coverage[n] - answers[n])
    return sorted(best[:most])


def _find_candidates(
    question: str, passages: Sequence[tuple[str, str]], headings: Sequence[frozenset[str]]
) -> list[tuple[int, TextUnit]]:
    """Return what may answer, without rows and sentences about something else and the captions of tables."""
    found = [
        (i, unit)
        for i, (_, text) in enumerate(passages)
        for unit in units(text)
        if unit.kind is not BlockKind.HEADER and not _is_apart(text[unit.start : unit.end], question)
    ]
    asked = RowsAsked(question, headings)
    stems = [heading | set(content_stems(text)) for heading, (_, text) in zip(headings, passages, strict=True)]
    siblings = SiblingsAsked(question, passages)
    captions = {(i, span) for i, unit in found if unit.kind is BlockKind.ROW for span in unit.leads}
    kept = []
    for i, unit in found:
        text, own = passages[i][1], passages[i][1][unit.start : unit.end]
        if unit.kind is not BlockKind.ROW:
            is_apart = (i, (unit.start, unit.end)) in captions and not introduces(own)
        else:
            row = TableRow(text=own, leads=_read_leads(unit, text), heading=headings[i], passage=stems[i])
            is_apart = asked.is_about_another(row)
        if not is_apart and not siblings.is_of_another(i, own):
            kept.append((i, unit))
    return kept


def _keep_of_season(
    season: Season, passages: Sequence[tuple[str, str]], found: Sequence[tuple[int, TextUnit]], held: Held
) -> tuple[list[tuple[int, TextUnit]], list[float]]:
    """Return what may answer, without rows for another time of the year, and how surely each holds the answer.

    A reader finds the table with the opening hours, and not which of its rows is for "over winter". What it says of
    rows for other months counts for those of the same table that are for the months asked about.
    """
    answers = [held(i, unit.start, unit.end) for i, unit in found]
    tables = [(i, unit.group) if unit.kind is BlockKind.ROW else None for i, unit in found]
    texts = [passages[i][1][unit.start : unit.end] for i, unit in found]
    told = [n for n, text in enumerate(texts) if tables[n] and season.is_told_by(text)]
    fits = {tables[n] for n in told}
    others = {n for n, text in enumerate(texts) if tables[n] in fits and season.is_missed_by(text)}
    for n in told:
        given = sum(answers[other] for other in others if tables[other] == tables[n])
        answers[n] = min(answers[n] + given + KIND_BONUS, 1.0)
    kept = [n for n in range(len(found)) if n not in others]
    return [found[n] for n in kept], [answers[n] for n in kept]


def _weigh_stems(question: str, held: Sequence[frozenset[str]]) -> dict[str, float]:
    """Return the weight of each of the question's stems; of several questions, the earlier ones only set the scene."""
    count = len(held) + SMOOTHING
    *earlier, last = split_questions(question)
    weights: dict[str, float] = {}
    for text, share in (*((text, EARLIER_WEIGHT) for text in earlier), (last, 1.0)):
        for stem in content_stems(text):
            weight = share * math.log(1 + count / (1 + sum(stem in own for own in held)))
            weights[stem] = max(weight, weights.get(stem, 0.0))
    return weights


def _stems_of(text: str) -> frozenset[str]:
    """Return the stems that a text holds, which a question's may be among."""
    stems = content_stems(text)
    return frozenset(stems) if text.isascii() else add_singles(stems)


def _is_apart(text: str, question: str) -> bool:
    """Return True if a sentence cannot be an answer: a piece of JSON, or an example that repeats the question.

    Nor is a line of a form an answer to what happened, the end of a letter to anything but who wrote it, or September's
    figure to what it was in November.
    """
    is_no_event = bool(_EVENT_ASKED.search(question)) and is_form(text)
    is_closing = bool(_CLOSING.match(text)) and not _ASKS_WRITER.search(question)
    return (
        is_no_event
        or is_closing
        or is_of_another_month(question, text)
        or is_data(text)
        or repeats_question(text, question)
    )


def _is_named(question: str, row: TableRow | None, text: str, heading: frozenset[str], passage: frozenset[str]) -> bool:
    """Return True if a question names a row, a field of a form or a clause, and nothing else."""
    if row:
        return row.is_named_by(question)
    return _is_field_named(question, text, passage) or _is_clause_named(question, text, heading)


def _is_section_named(question: str, heading: str) -> bool:
    """Return True if a question names a section by its whole heading, which is an occasion, and nothing else.

    "What happens if the power fails?" is answered by what the section "If the power fails" begins with. A question with
    a further word is not: "who voted for the pool" is not answered by who voted against it.
    """
    section = _SECTION.search(heading)
    named = set(content_stems(section["name"])) if section else set()
    return len(named) >= _FEWEST_OF_SECTION and named == set(content_stems(question)) - _STEMS_OF_FRAMES


def _is_field_named(question: str, text: str, passage: frozenset[str]) -> bool:
    """Return True if a question names a field's label, and nothing that its form does not hold."""
    label = set(content_stems(text.partition(":")[0])) if is_field(text) else set()
    asked = set(content_stems(question)) - _STEMS_OF_KINDS
    return bool(label) and label <= asked <= passage


def _is_clause_named(question: str, text: str, heading: frozenset[str]) -> bool:
    """Return True if a question names a clause by its number, and else nothing but its document."""
    number = _CLAUSE.match(text)
    asked = set(content_stems(question)) - _STEMS_OF_CLAUSES
    return number is not None and number["number"] in asked <= heading | {number["number"]}


def _write_meant(asked_above: str, leads: tuple[str, ...], text: str) -> str:
    """Return what a sentence says behind the question above it and what introduces it."""
    written = write_with_leads(leads, text) if leads else text
    return f"{asked_above} {written}" if asked_above else written


def _find_question(heading: str) -> str:
    """Return the question that a passage stands below, as in lists of questions and answers; "" where it is none."""
    found = _QUESTION_ABOVE.search(heading)
    return found["question"] if found else ""


def _read_leads(unit: TextUnit, text: str) -> tuple[str, ...]:
    return tuple(text[start:end] for start, end in unit.leads)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Words:
    """The stems of a sentence, and of what is around it."""

    own: frozenset[str]
    leads: frozenset[str]
    heading: frozenset[str]
    passage: frozenset[str]

    def share(self, stem: str) -> float:
        """Return the weight of the place in which a word of the question occurs.

        A date in the heading holds for all under it.
        """
        if stem in self.own or (stem in self.heading and is_of_a_date(stem)):
            return 1.0
        if stem in self.leads:
            return LEAD_WEIGHT
        if stem in self.heading:
            return HEADING_WEIGHT
        return PASSAGE_WEIGHT if stem in self.passage else 0.0


def _measure_coverage(weights: dict[str, float], words: _Words) -> float:
    total = sum(weights.values())
    if not total:
        return 0.0
    return sum(weight * words.share(stem) for stem, weight in weights.items()) / total
