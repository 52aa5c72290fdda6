"""Find a document that answers a question otherwise than the one that is cited: another value of the same kind.

Careful rather than complete: whoever is told that a source may be wrong has to be able to rely on it. Both passages
have to be read as answers, each with one value where the reader sees the answer, and nothing may say that they speak of
different things: another year, place, company, class or person.
"""

import datetime as dt
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from core.asking.answering.series import family
from core.asking.reading.reader import read
from core.asking.reading.readings import Reading
from core.asking.verification.found_quotes import FoundQuote
from core.asking.verification.names import find_names
from core.asking.verification.quantifiers import find_bounded
from core.asking.verification.statements import cite
from core.asking.verification.values import Value, find_values
from core.language.nlp.dates import MONTHS, WEEKDAYS
from core.language.nlp.known_words import is_english_word
from core.language.nlp.labels import find_labels
from core.language.nlp.structure import find_unit_at
from core.language.nlp.text import content_stems
from core.language.query_understanding.synonyms import find_synonyms, list_synonyms
from core.library.retrieval.catalogue import OF_MEETINGS
from core.models import Document
from core.types import Citation, Contradiction, Passage

MOST_READ = 3  # passages of other documents that are read for this, where they were not read before
BUDGET_S = 0.4  # for reading them
# Logits from which a passage is taken for an answer; from the second on, whatever its words. Passages about another
# kind of leave, or a buoy in the place of a berth, have 0 to 3.5.
_ANSWERS, _SURELY_ANSWERS = 2.5, 4.0
# Probability from which the answer is in the sentence, item or row of the best span, given that its passage answers.
# That span's own is no measure: "21:30" and "21:30 on working days" share it.
_IN_UNIT = 0.5
# What happened once, or was found once, is another thing in each document.
OF_ONE_TIME = frozenset({*OF_MEETINGS, Document.Type.PAPER, Document.Type.REPORT})
_CAPITALISED = re.compile(r"\b[A-Z][\w'’-]+")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_KINDS_OF_DOCUMENTS = frozenset(
    content_stems(
        "answers article book booklet brochure bulletin document faq file flyer guide guideline handbook information "
        "instruction leaflet list manual memo news note notice overview page plan policy procedure questions "
        "regulation rule sheet standard summary terms update version wiki"
    )
)
# What an organisation calls itself in its own papers.
_SPEAKER = frozenset(
    [
        "association",
        "board",
        "centre",
        "charity",
        "club",
        "college",
        "committee",
        "company",
        "council",
        "department",
        "firm",
        "foundation",
        "institute",
        "office",
        "school",
        "society",
        "trust",
        "union",
        "university",
    ]
)
_WHEN = frozenset({"month", "weekday"})
_SAID_WHEN = re.compile(
    r"\b(?:on|in|during|from|to|until|till|every|each|between|and|for|by|since|after|before)\s(?:the\s)?"
    rf"(?P<when>{'|'.join((*MONTHS, *WEEKDAYS))})",
    re.IGNORECASE,
)
_ANYBODY = frozenset({"employee", "employer"})  # whom a rule is for that names nobody


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """Holds the answer that a passage gives."""

    passage: Passage
    values: tuple[Value, ...]  # of one kind, with offsets into the passage's content
    start: int  # of the sentence, item or row that holds them
    end: int
    lead: str  # what introduces that
    given: tuple[Value, ...]  # all values of the passage
    answers: float  # logit that the passage answers

    @property
    def sentence(self) -> str:
        return self.passage.content[self.start : self.end]

    @property
    def place(self) -> str:
        """Describe the sentence's place, without the document's date."""
        passage = self.passage
        return ". ".join(filter(None, (passage.document_name, passage.chapter, passage.section, self.lead)))

    @property
    def around(self) -> str:
        """Return the sentence without its values, and its place."""
        return f"{self.place}. {self.without_values}"

    @property
    def without_values(self) -> str:
        """Return the sentence without its values."""
        text = self.sentence
        for value in reversed(self.values):
            text = text[: value.start - self.start] + " … " + text[value.end - self.start :]
        return text


def find_contradiction(
    question: str, citations: Sequence[Citation], passages: Sequence[Passage]
) -> Contradiction | None:
    """Return a cited document that another passage's document contradicts, with what that one says; the oldest first.

    passages: of one audience, which alone decides what can be found here. The reader reads those of other documents
    that hold a value of the kind of the answer; without a reader nothing is found.
    """
    for citation, cited in _list_cited(question, citations, passages):
        others = [
            passage
            for passage in passages
            if passage.edition
            and passage.document_id != cited.passage.document_id
            and passage.document_type not in OF_ONE_TIME
            and any(value.is_of_kind(cited.values[0]) for value in find_values(passage.content))
        ][:MOST_READ]
        readings = read(question, [(each.source, each.content) for each in others], budget_s=BUDGET_S)
        for passage, reading in zip(others, readings, strict=True):
            told = _read_told(passage, reading)
            if told and _contradicts(cited, told, question):
                return _build_contradiction(citation, cited, told)
    return None


def _build_contradiction(citation: Citation, cited: Told, told: Told) -> Contradiction | None:
    """Quote the sentences, items or rows that contradict each other; of the cited one no more than the citation."""
    if cited.passage.edition is None:
        return None
    start, end = max(cited.start, citation.start), min(cited.end, citation.end)
    return Contradiction(
        cited=cited.passage.edition,
        by=told.passage,
        says=(told.values[0].start, told.values[-1].end),
        quotes=(
            cite(FoundQuote(passage=cited.passage, start=start, end=end), number=citation.number),
            cite(FoundQuote(passage=told.passage, start=told.start, end=told.end), number=0),
        ),
    )


def _list_cited(
    question: str, citations: Sequence[Citation], passages: Sequence[Passage]
) -> Iterator[tuple[Citation, Told]]:
    """Yield each citation with what its passage gives as the answer, where the quote holds it, the oldest first."""
    quoted = [
        (citation, passage)
        for citation in citations
        for passage in passages
        if passage.chunk_id and passage.chunk_id == citation.chunk_id and passage.document_type not in OF_ONE_TIME
    ]
    quoted.sort(key=lambda each: each[1].document_date or dt.date.max)
    readings = read(question, [(each.source, each.content) for _, each in quoted], budget_s=BUDGET_S)
    for (citation, passage), reading in zip(quoted, readings, strict=True):
        told = _read_told(passage, reading)
        if told and citation.start <= told.values[0].start and told.values[-1].end <= citation.end:
            yield citation, told


def _read_told(passage: Passage, reading: Reading | None) -> Told | None:
    """Return what a passage gives as the answer, where that is one value, or two such as the ends of a range."""
    if reading is None or reading.answers < _ANSWERS or not reading.best:
        return None
    span = reading.best[0]
    unit = find_unit_at(passage.content, span.start)
    if unit is None or reading.spans.probability_within(unit.start, unit.end) < _IN_UNIT:
        return None
    given = find_values(passage.content)
    values = [value for value in given if value.start < span.end and span.start < value.end]
    kinds = [value for value in values if value.is_of_kind(values[0])]
    if not 1 <= len(kinds) <= 2 or len(kinds) < len(values):
        return None
    if values[-1].end > unit.end:
        return None
    return Told(
        passage=passage,
        values=tuple(kinds),
        start=unit.start,
        end=unit.end,
        lead=" ".join(passage.content[start:end] for start, end in unit.leads),
        given=tuple(given),
        answers=reading.answers,
    )


def _contradicts(cited: Told, other: Told, question: str) -> bool:
    return (
        have_other_values(cited, other)
        and not _have_parallel_titles(question, cited, other)
        and speak_of_the_same(cited, other)
        and (min(cited.answers, other.answers) >= _SURELY_ANSWERS or _cover_alike(question, cited, other))
    )


def speak_of_the_same(cited: Told, other: Told, *, whoever: bool = False) -> bool:
    """Return True if nothing says that two answers are about different years, places, companies, classes or people.

    whoever: the roles that they name do not matter, as for a telephone number, which is the same for all who ring.
    """
    return (
        not _are_of_different_years(cited, other)
        and not _are_of_one_series(cited.passage, other.passage)
        and not _name_different_things(cited, other, whoever=whoever)
        and _are_bounded_alike(cited, other)
    )


def have_other_values(cited: Told, other: Told) -> bool:
    """Return True if the values differ, and neither passage has the other's value anywhere."""
    if len(cited.values) != len(other.values):
        return False
    pairs = [
        (mine, theirs)
        for mine, theirs in zip(cited.values, other.values, strict=True)
        if not (mine.is_of_kind(theirs) and mine.agrees(theirs))
    ]
    return bool(pairs) and all(
        mine.is_of_kind(theirs) and not _gives(other, mine) and not _gives(cited, theirs) for mine, theirs in pairs
    )


def _gives(told: Told, value: Value) -> bool:
    return any(value.is_of_kind(given) and value.agrees(given) for given in told.given)


def _are_of_different_years(cited: Told, other: Told) -> bool:
    mine, theirs = (set(_YEAR.findall(told.around)) for told in (cited, other))
    return bool(mine and theirs) and mine.isdisjoint(theirs)


def _are_of_one_series(cited: Passage, other: Passage) -> bool:
    """Return True for two documents whose names differ in nothing but numbers and months."""
    return cited.document_name != other.document_name and family(cited.document_name) == family(other.document_name)


def _name_different_things(cited: Told, other: Told, *, whoever: bool) -> bool:
    """Return True if one speaks of a class, a role, a place or a company of which the other does not."""
    mine, theirs = (find_labels(told.around) for told in (cited, other))
    for kind in (mine.keys() | theirs.keys()) - ({"role"} if whoever else set()):
        one, two = (labels.get(kind, frozenset()) - _ANYBODY for labels in (mine, theirs))
        is_said = bool(one and two) or kind not in _WHEN or _is_when(one | two, f"{cited.around} {other.around}")
        if one.isdisjoint(two) and (one or two) and is_said:
            return True
    (in_mine, of_mine), (in_theirs, of_theirs) = _find_own_names(cited), _find_own_names(other)
    known, known_there = _list_words(other), _list_words(cited)
    if in_mine - known or in_theirs - known_there:
        return True
    return bool(of_mine - known) and bool(of_theirs - known_there)


def _is_when(labels: Set[str], text: str) -> bool:
    """Return True if a month or weekday is when something holds: "in May", not "your December pay"."""
    said = {match["when"].casefold() for match in _SAID_WHEN.finditer(text)}
    return any(label.casefold() in said for label in labels)


def _find_own_names(told: Told) -> tuple[Set[str], Set[str]]:
    """Return the names in the sentence, and those in what its place is called, which is written in capitals anyway."""
    text = told.without_values
    runs = [run for run in find_names(text) if len(run) > 1 or not _only_begins(run[0], text)]
    in_sentence = {word.casefold().removesuffix("'s").removesuffix("’s") for run in runs for word in run} - _SPEAKER
    in_place = {word.casefold() for word in _CAPITALISED.findall(told.place)}
    return in_sentence, {word for word in in_place if not is_english_word(word)}


def _only_begins(word: str, sentence: str) -> bool:
    """Return True for an ordinary word with which a sentence begins: "Choose a password"."""
    return sentence.lstrip(" -*•").startswith(word) and is_english_word(word.casefold())


def _list_words(told: Told) -> Set[str]:
    return {word.casefold() for word in re.findall(r"\w+(?:[-'’.]\w+)*", f"{told.place} {told.passage.content}")}


def _are_bounded_alike(cited: Told, other: Told) -> bool:
    """Return False for the least and the most of something, which are not the same."""
    mine, theirs = ({bound for _, bound in find_bounded(told.sentence)} for told in (cited, other))
    least, most = {"at least", "more than"}, {"at most", "less than"}
    return not ((mine & least and theirs & most) or (mine & most and theirs & least))


def _cover_alike(question: str, cited: Told, other: Told) -> bool:
    """Return True if both have the same words of the question, or their synonyms."""
    alike = find_synonyms(question)
    mine, theirs = (set(content_stems(f"{told.place} {told.sentence}")) for told in (cited, other))
    return all(
        mine.isdisjoint((word, *alike.get(word, ()))) == theirs.isdisjoint((word, *alike.get(word, ())))
        for word in content_stems(question)
    )


def _have_parallel_titles(question: str, cited: Told, other: Told) -> bool:
    """Return True for "Handbook Berlin" and "Handbook Hamburg": in one word alike, and each with one of its own.

    Words of the question, and those for kinds of documents, are nobody's own: "Leave policy" and "Leave FAQ".
    """
    titles = [set(content_stems(told.passage.document_name)) for told in (cited, other)]
    asked = {*content_stems(question), *list_synonyms(question), *_KINDS_OF_DOCUMENTS}
    there = [set(content_stems(f"{told.place} {told.passage.content}")) for told in (other, cited)]
    mine, theirs = (title - asked - words for title, words in zip(titles, there, strict=True))
    return bool(titles[0] & titles[1] and mine and theirs)
