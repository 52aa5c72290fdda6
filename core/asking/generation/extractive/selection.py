"""Choose the sentences that answer a question. Pure and deterministic.

Every sentence is scored by how much of the question it holds, by its similarity in meaning, and by whether it holds
the kind of thing that is asked for. With sub-questions each gets sentences, and a question for a list or
for steps gets the whole list in its order. What holds today goes before what has ended, or is to come.
"""

import datetime as dt
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from core.asking.generation.extractive.context import (
    add_exception,
    in_context,
    name_sections,
    name_thing,
    tell_apart,
    tell_outcome,
)
from core.asking.generation.extractive.selected import (
    Selected,
    can_stand,
    ends_as_question,
    is_imprint,
    only_names,
    select_unit,
)
from core.asking.generation.extractive.table_rows import find_extreme, keep_columns_asked
from core.asking.generation.markup import MarkedPassage
from core.asking.reading.readings import Read, hold, read_nothing
from core.language.nlp.answer_types import asks_for_figure
from core.language.nlp.changed_rules import find_change, is_older, says_change
from core.language.nlp.dates import asks_about_past, find_validity
from core.language.nlp.layout import BAR, BlockKind, cells
from core.language.nlp.sentence_scoring import SentenceMatch, Similarity, match
from core.language.nlp.structure import find_beside, units
from core.language.nlp.text import content_stems
from core.language.query_understanding.dates import name_years
from core.language.query_understanding.reading import read
from core.language.query_understanding.values import Kind, Reading

MOST_STATEMENTS = 3
MOST_OF_WIDE = 6  # for an overview, a list, or a question of several sub-questions
MOST_OF_SIDE = 2
MOST_OF_LIST = 12  # items or rows; no draft has more statements
# Found on 900 questions of SQuAD 2.0: the best sentence alone held the answer for 78 % of them, with words alone 75 %,
# with meaning alone 67 %; the further sentences that are kept raise it to 88 %, at 1.9 sentences an answer.
RANK_DISCOUNT = 0.04  # of the score, per rank of the passage
KEEP_WITHIN = 0.75  # further sentences must score this share of the best one's score
KEEP_WITHIN_SIDE = 0.9
SURELY_HELD = 0.5  # how surely it answers from which a sentence needs none of the kind asked for beside it
LIKELY_WITHIN = 0.5  # of how surely the best one answers, where it was read
# Below the first a sentence does not hold the answer where another one is likely to, from the second on: then its words
# and meaning count for less. Of the 308 questions of five build sets it changes no verdict, but what is said beside the
# answer; a penalty of .5 for all below .1 costs two answers.
UNLIKELY, LIKELY, PENALTY = 0.05, 0.3, 0.25
LIST_WITHIN = 0.6  # a list is given whole when its best item scores this share of the best sentence

# Asked for one thing, whatever else is said.
_WANTS_ONE = re.compile(
    r"\W*(?:at (?:most|least)\s|up to\s|until\s)?"
    r"(?:how (?!do|to|can|should|must|could|would|shall)\w+|when|who|whose|where"
    r"|which \w*[^\Ws] (?:is|was|does|has)|what (?:do|does|did|will|would) .{1,60} (?:cost|weigh|measure)\W*\Z)"
    r"(?:\s|\Z)",
    re.IGNORECASE,
)
# Asked for more than one of something, or for the way to do it.
_WANTS_LIST = re.compile(
    r"\bhow\s(?:do|does|did|can|could|should|must|would|shall|to)\b|\b(?:what|which)\s(?:all\s)?(?:are|were)\b"
    r"|\b(?:steps?|procedures?|protocols?|instructions?|checklist|list|sequence|order of)\b"
    r"|\bwhat\s(?:must|should|shall|do|can|may|have)\s(?:\w+(?:-\w+)?\s){1,4}(?:do|get|need|bring|include)\b"
    r"|\b(?:what|which)\s\w+s\s(?:must|should|shall|do|does|can|may|has|have|need|are|were)\b|\bwhat\s(?:to|all)\b",
    re.IGNORECASE,
)
NEARBY = 2  # sentences between a rule and the one that takes its place
SHARED = 0.5  # of the question's words in a rule, that the one in its place elsewhere has


@dataclass(frozen=True, slots=True)
class _Scoring:
    """Scores sentences by their words, by meaning, and by what a reader says of them."""

    similarity: Similarity
    read: Read

    def score_sentences(
        self, question: str, passages: Sequence[MarkedPassage], *, words: str, discount: float
    ) -> list[Selected]:
        """Return the sentences of passages, best first. words: those of the question that count."""
        texts = [(passage.source, passage.text) for passage in passages]
        may_ask = _asks_for_questions(question)
        found = match(words, texts, self.similarity, held=hold(self.read(question, texts)))
        is_likely = max((sentence.held for sentence in found.sentences), default=0.0) >= LIKELY

        def rate(sentence: SentenceMatch) -> float:
            is_best_row = sentence.group is not None and sentence.coverage == sentence.best_coverage
            is_unlikely = is_likely and sentence.held < UNLIKELY and not (sentence.is_named or is_best_row)
            return (sentence.score - (PENALTY if is_unlikely else 0.0)) * (1 - discount * sentence.passage)

        scored = [
            Selected(
                passage=passages[sentence.passage],
                text=sentence.text,
                score=rate(sentence),
                leads=sentence.leads,
                group=sentence.group,
                of_kind=sentence.holds_kind,
                held=sentence.held,
            )
            for sentence in found.sentences
            if (sentence.group is not None and (may_ask or not ends_as_question(sentence.text)))
            or can_stand(sentence.text)
        ]
        scored = [one for one in scored if not is_imprint(one.text, question)]
        return sorted(map(_say_more, scored), key=lambda selected: -selected.score)


def _say_more(one: Selected) -> Selected:
    """Return the next sentence of the paragraph in the place of one that only names what is asked about."""
    after = find_beside(one.passage.text, one.text)[1] if only_names(one.text) else ""
    return replace(one, text=after) if after else one


def select(
    question: str,
    passages: Sequence[MarkedPassage],
    similarity: Similarity,
    *,
    today: dt.date,
    read_passages: Read = read_nothing,
) -> tuple[Reading, list[Selected]]:
    """Return how the question is read, and the sentences that answer best: best first, or part by part in order."""
    reading = read(question, today=today)
    if not content_stems(question):
        return reading, []
    chosen = _choose_sentences(question, reading, passages, _Scoring(similarity, read_passages), today=today)
    named = name_sections(tell_apart(chosen), passages)
    with_years = name_years(question, today=today)  # which columns are called by
    return reading, [keep_columns_asked(with_years, one) for one in named]


def _choose_sentences(
    question: str, reading: Reading, passages: Sequence[MarkedPassage], scoring: _Scoring, *, today: dt.date
) -> list[Selected]:
    if reading.sub_questions:
        return _choose_of_sides(reading, passages, scoring)
    wide = reading.kind in {Kind.BROAD, Kind.LIST}
    words = reading.topic or reading.remaining
    scored = scoring.score_sentences(question, passages, words=words, discount=RANK_DISCOUNT)
    if extreme := find_extreme(question, passages):
        return extreme
    if listed := _find_list_asked(question, reading, scored):
        return listed
    most = MOST_OF_WIDE if reading.kind == Kind.BROAD else MOST_STATEMENTS
    scored = _keep_of_subject(question, scored)
    best = _add_of_kind(_choose_best(scored, most=most, within=KEEP_WITHIN), scored)
    best = put_current_first(question, best, scored, today=today)
    is_single = _WANTS_ONE.match(question) or asks_for_figure(question)
    return name_thing(tell_outcome(add_exception(question, best) if wide or is_single else in_context(best)))


def _choose_of_sides(reading: Reading, passages: Sequence[MarkedPassage], scoring: _Scoring) -> list[Selected]:
    chosen: list[Selected] = []
    for part in reading.sub_questions:
        scored = scoring.score_sentences(part.query, passages, words=part.query, discount=0.0)
        scored = [one for one in scored if part.is_of_its_time(one.passage.date, one.text)]
        known = {selected.text for selected in chosen}
        # What was chosen for another part may answer this one too; then it needs nothing that is much worse.
        best = _choose_best(scored, most=MOST_OF_SIDE, within=KEEP_WITHIN_SIDE)
        likely = [one for one in best if one.held >= LIKELY_WITHIN * best[0].held]
        chosen += [selected for selected in likely if selected.text not in known]
    return chosen[:MOST_OF_WIDE]


def _find_list_asked(question: str, reading: Reading, scored: Sequence[Selected]) -> list[Selected]:
    """Return the list or table that a question asks for, whole and in its order.

    Nothing where it asks for something else.
    """
    asks = bool(_WANTS_LIST.search(question))
    if not scored or _WANTS_ONE.match(question) or not (asks or reading.kind == Kind.LIST):
        return []
    best, wanted = scored[0], set(content_stems(question))
    for first in scored:
        if first.group is None or first.score < best.score * LIST_WITHIN:
            continue
        members = _list_members(first)
        if not 1 < len(members) <= MOST_OF_LIST or not (asks or _are_named(wanted, members)):
            continue
        if 2 * sum(ends_as_question(one.text) for one in members) > len(members) and not _asks_for_questions(question):
            continue
        if _names_one_row(wanted, members):
            return []
        if _count_held_words(wanted, members) >= _count_held_words(wanted, [best]):
            return members
        if best.passage == first.passage and best.group is None and len(members) < MOST_OF_LIST:
            return [best, *members]
    return []


def _asks_for_questions(question: str) -> bool:
    return "question" in content_stems(question)


def _are_named(wanted: set[str], members: Sequence[Selected]) -> bool:
    """Return True if a word of the question names the kind of most of the items, or of all of them together."""
    count = Counter(stem for one in members for stem in wanted & set(content_stems(" ".join((*one.leads, one.text)))))
    return any(times * 2 > len(members) for times in count.values())


def _names_one_row(wanted: set[str], members: Sequence[Selected]) -> bool:
    """Return True if the question matches one row's subject better than the others': net sales of a year."""
    if not all(BAR in one.text for one in members):
        return False
    named = sorted((wanted & set(content_stems(cells(one.text)[0])) for one in members), key=len, reverse=True)
    return bool(named[0]) and all(other < named[0] for other in named[1:])


def _list_members(of: Selected) -> list[Selected]:
    """Return all items or rows of the list or table that one of them belongs to, in their order."""
    return [
        select_unit(of.passage, unit, score=of.score)
        for unit in units(of.passage.text)
        if unit.group == of.group and unit.kind is not BlockKind.HEADER
    ]


def _count_held_words(wanted: set[str], chosen: Sequence[Selected]) -> int:
    """Count the question's words in some statements, their introductions and their passages' headings."""
    texts = (" ".join((one.passage.source, *one.leads, one.text)) for one in chosen)
    return len(wanted & {stem for text in texts for stem in content_stems(text)})


def _keep_of_subject(question: str, scored: Sequence[Selected]) -> list[Selected]:
    """Drop the items and rows about another thing than the best one of their list or table.

    Asked about Class A, the item about Class B says the same of another thing.
    """
    wanted = set(content_stems(question))
    best: dict[tuple[int, int], set[str]] = {}
    kept: list[Selected] = []
    for one in scored:
        own = wanted & set(content_stems(one.text))
        known = best.setdefault((one.passage.number, one.group), own) if one.group is not None else own
        if not own < known:
            kept.append(one)
    return kept


def _add_of_kind(chosen: Sequence[Selected], scored: Sequence[Selected]) -> list[Selected]:
    """Return the chosen sentences, with the best one of their passages of the kind asked for where none of them is.

    What is read to answer is enough, whatever its kind: a table's "9.50" is a price.
    """
    if any(one.of_kind or one.held >= SURELY_HELD for one in chosen):
        return list(chosen)
    places = {one.passage.number for one in chosen}
    return [*chosen, *[one for one in scored if one.of_kind and one.passage.number in places][:1]]


def _choose_best(scored: Sequence[Selected], *, most: int, within: float) -> list[Selected]:
    if not scored:
        return []
    least = max(selected.score for selected in scored) * within
    kept: dict[str, Selected] = {}
    for selected in scored:
        if selected.score >= least and len(kept) < most:
            kept.setdefault(" ".join(selected.text.split()), selected)
    return list(kept.values())


def put_current_first(
    question: str, chosen: Sequence[Selected], scored: Sequence[Selected], *, today: dt.date
) -> list[Selected]:
    """Return the chosen sentences, the first of them one that holds today, if any does.

    Where the best sentence holds until a day that is over, or from one that has not come, the sentence that holds now
    goes before it, also one that is not chosen. So does one of a document that is not older which says that the rule
    has changed. Not where the question is about another time.

    scored: all sentences, best first.
    """
    if not chosen or asks_about_past(question):
        return list(chosen)
    best, *others = chosen
    wanted = set(content_stems(question))
    if not _is_off(best, today):
        told = (one for one in others if says_change(one.text) and _takes_its_place(one, best, wanted))
        restated = (one for one in scored if find_change(best.text, one.text))
        changed = next((one for one in chain(told, restated) if _is_of_newer(one, best)), best)
        return [changed, *(one for one in chosen if one != changed)]
    found = (one for one in scored if find_validity(one.text).holds(today) and _takes_its_place(one, best, wanted))
    current = next(found, None) or next((one for one in chosen if not _is_off(one, today)), None)
    return [current, *(one for one in chosen if one != current)] if current else list(chosen)


def _is_off(one: Selected, today: dt.date) -> bool:
    validity = find_validity(one.text)
    return validity.has_ended(today) or validity.is_to_come(today)


def _is_of_newer(one: Selected, best: Selected) -> bool:
    """Return True for a sentence of another document that is not older, where the best one says no change itself."""
    if one.passage.source == best.passage.source or says_change(best.text):
        return False
    return not is_older(one.passage.date, best.passage.date)


def _takes_its_place(one: Selected, best: Selected, wanted: set[str]) -> bool:
    """Return True if a sentence is near another in its passage, or about the same."""
    if one.passage == best.passage:
        places = {one.passage.text[unit.start : unit.end]: n for n, unit in enumerate(units(one.passage.text))}
        if one.text in places and best.text in places:
            return abs(places[one.text] - places[best.text]) <= NEARBY
    about = wanted & set(content_stems(best.text))
    return bool(about) and len(about & set(content_stems(one.text))) >= SHARED * len(about)
