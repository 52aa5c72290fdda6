"""Check by words whether quotes support a statement. Pure.

There are two kinds of findings. A veto is sharp: an address, number or date that the quotes do not have, or words about
something else; nothing overrules it. A doubt can also come from other words for the same thing: a name, a denial, a
quantifier, a condition, an opposite, an obligation, another subject, words that the quotes lack, a number as an
ordinal, the date of the source where the quote has its own. A judge decides about doubts where there is one; without a
judge a doubt drops the statement too. Some statements are beyond rules, whatever they find: a judge should read those
as well.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.asking.verification import addresses, dates, names, numbers
from core.asking.verification.clauses import Clause, find_nearest, split_clauses
from core.asking.verification.columns import takes_other_column
from core.asking.verification.conditions import has_modality, leaves_out_condition, names_condition, obliges_more
from core.asking.verification.found_quotes import FoundQuote, Sentence, find_sentences_around
from core.asking.verification.names import have_changed_places
from core.asking.verification.polarity import is_denied_otherwise, says_the_opposite
from core.asking.verification.quantifiers import says_more
from core.asking.verification.reasons import Reason
from core.asking.verification.subjects import Unit, find_units, is_of_another, names_another
from core.asking.verification.wording import list_known, list_lacking, list_telling, list_told, measure_share
from core.language.nlp.scripts import is_beyond_latin
from core.language.nlp.text import content_stems, words_of

LEAST_SHARED = 0.7  # of the statement's content words that its quotes, or the names of their subject, must have
LEAST_QUOTED = 0.34  # of them, in the quotes themselves: the name of a source is not what it says
FAR_OFF = 0.3  # under this share a statement is about something else, unless it has all its numbers and dates
MOST_FOREIGN = 0.2  # of a statement's telling words, that may be nowhere in the passages of its evidence
LEAST_ADDED = 0.5  # of the statement's content words that a quote holds if it adds none to the other quotes
LEAST_SHARED_BY_PASSAGE = 0.7  # of the words said with a number, that the passage with the number has
MUCH_BETTER = 0.25  # by so large a share does another place speak of what is said, where a number is taken from it
VERBATIM = 0.95  # from this share on, in one sentence, a statement is that sentence in its own words
# Words that join what two sources say, and are in neither.
_DIGIT = re.compile(r"\d")
_JOINING = frozenset(
    content_stems("whereas respectively compared comparison contrast versus meanwhile likewise similarly")
)
# The number of a step, of an item that begins behind a statement, of a way that is described: not what is said.
_NUMBERING = re.compile(
    r"\A\W*(?:step|option|method|tip|way|part)\s+\d{1,2}\s*[:.)-]|(?<=[.!?:;])\s\d{1,2}[.)]\s*\Z",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|due to|owing to|since|as a result|therefore|hence|consequently|so that|which is why"
    r"|caus(?:es|ed))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Assessment:
    """The rules' findings about a statement, and whether a judge should read it."""

    veto: Reason | None  # nothing overrules it
    doubts: tuple[Reason, ...]  # a judge may overrule them
    needs_judge: bool  # there are doubts, or rules are blind to what the statement says


@dataclass(frozen=True, kw_only=True, slots=True)
class _Read:
    """A statement and its quotes, read once."""

    statement: str
    evidence: tuple[FoundQuote, ...]
    quoted: str  # the quotes
    sources: str  # what names their subjects: the sources, lead-ins, headers, headings
    said: tuple[str, ...]  # stems of the statement without numbers and dates
    known: frozenset[str]  # stems of quotes and sources
    known_quoted: frozenset[str]
    clauses: tuple[Clause, ...]
    around: tuple[Sentence, ...]
    units: tuple[Unit, ...]
    is_verbatim: bool  # one sentence of the source has it, word for word
    is_whole: bool  # it is a whole sentence, item or row of the source, word for word
    quoted_numbers: tuple[numbers.Number, ...]
    unknown_numbers: tuple[numbers.Number, ...]  # those of the statement that neither quotes nor sources have
    said_dates: tuple[dates.Date, ...]  # those of the statement
    quoted_dates: tuple[tuple[dates.Date, ...], ...]  # of each quote
    source_dates: tuple[dates.Date, ...]
    is_anchored: bool  # it has a number or a date, and the quotes themselves have all of them


def assess(statement: str, evidence: Sequence[FoundQuote], *, question: str = "") -> Assessment:
    """Assess a statement against its quotes, as far as rules can.

    question: the asker's; the statement may use its names even if the quotes do not have them.
    """
    if not any(character.isalnum() for character in statement):
        return Assessment(veto=Reason.EMPTY, doubts=(), needs_judge=False)
    read = _read_statement(statement, evidence)
    veto = _find_veto(read)
    if veto:
        return Assessment(veto=veto, doubts=(), needs_judge=False)
    doubts = tuple(dict.fromkeys(_find_doubts(read, question)))
    return Assessment(veto=None, doubts=doubts, needs_judge=bool(doubts) or _is_beyond_rules(read))


def adds_little(statement: str, evidence: Sequence[FoundQuote]) -> bool:
    """Return True if the evidence has nearly all telling words of a statement, and the same passages have the others.

    Words of grammar and of explaining are not counted; words of one family, and words that are alike, are the same.
    """
    said = list_told(statement)
    sources = " ".join(one.passage.source for one in evidence)
    quoted = list_known(f"{sources} {' '.join(text for one in evidence for text in (one.introduction, one.text))}")
    if measure_share(said, quoted) < LEAST_SHARED:
        return False
    passages = list_known(f"{sources} {' '.join(one.passage.content for one in evidence)}")
    return len(list_lacking(said, passages)) <= MOST_FOREIGN * len(list_telling(said))


def find_contributing(statement: str, evidence: Sequence[FoundQuote]) -> list[FoundQuote]:
    """Return the quotes that carry a part of the statement: a quote that only decorates is not cited."""
    said = set(content_stems(statement))
    kept: list[FoundQuote] = []
    for found in sorted(evidence, key=lambda one: -len(said & set(content_stems(one.text)))):
        mine = said & set(content_stems(found.text))
        others = {stem for other in kept for stem in content_stems(other.text)}
        if mine - others or (mine and len(mine) >= LEAST_ADDED * len(said)):
            kept.append(found)
    return [found for found in evidence if found in kept]


def _read_statement(statement: str, evidence: Sequence[FoundQuote]) -> _Read:
    found = find_units(evidence)
    quoted = " ".join(one.text for one in evidence)
    sources = " ".join(dict.fromkeys(text for unit in found for text in unit.above[-1:]))
    named = f"{quoted} {sources}"
    said_dates, said_rest = dates.split_dates(statement)
    source_dates, source_rest = dates.split_dates(sources)
    quoted_dates = tuple(tuple(dates.split_dates(one.text)[0]) for one in evidence)
    quoted_numbers = numbers.find_numbers(dates.split_dates(quoted)[1])
    anchors = [number for number in numbers.find_numbers(said_rest) if not numbers.is_counted(number)]
    said_numbers = numbers.find_numbers(_NUMBERING.sub(" ", said_rest))
    rows = (text for one in evidence for text in one.list_rows_said(statement))
    is_row = any(_fold_words(text) == _fold_words(statement) for text in rows)
    return _Read(
        statement=statement,
        evidence=tuple(evidence),
        quoted=quoted,
        sources=sources,
        said=tuple(list_told(statement)),
        known=frozenset(list_known(named) | names.find_known_otherwise(statement, named)),
        known_quoted=frozenset(list_known(quoted) | names.find_known_otherwise(statement, quoted)),
        clauses=tuple(split_clauses(statement)),
        around=tuple(find_sentences_around(evidence)),
        units=tuple(found),
        is_verbatim=is_row
        or any(_fold_words(statement) in _fold_words(text) for one in evidence for text in one.context),
        is_whole=is_row
        or any(
            _fold_words(statement) == _fold_words(text)
            for one in evidence
            for text in (*one.written, *(text for _, text in one.introduced))
        ),
        quoted_numbers=tuple(quoted_numbers),
        unknown_numbers=tuple(
            numbers.find_unsupported(said_numbers, quoted_numbers + numbers.find_numbers(source_rest), quoted)
        ),
        said_dates=tuple(said_dates),
        quoted_dates=quoted_dates,
        source_dates=tuple(source_dates),
        is_anchored=bool(anchors or said_dates)
        and not numbers.find_unsupported(anchors, quoted_numbers, quoted)
        and not dates.has_unsupported(said_dates, quoted_dates, ()),
    )


def _fold_words(text: str) -> str:
    return f" {' '.join(words_of(text.casefold()))} "


def _find_veto(read: _Read) -> Reason | None:
    texts = [part for found in read.evidence for part in (found.text, found.as_written)]
    if addresses.has_unsupported(read.statement, texts):
        return Reason.ADDRESS
    if measure_share(read.said, read.known) < FAR_OFF and not read.is_anchored:
        return Reason.UNRELATED
    for number in read.unknown_numbers:
        if not (numbers.is_counted(number) or numbers.is_quoted_as_ordinal(number, read.quoted_numbers)):
            return Reason.NUMBER
    if dates.has_unknown(read.said_dates, read.quoted_dates, read.source_dates):
        return Reason.DATE
    return None


def _find_doubts(read: _Read, question: str) -> Iterator[Reason]:
    if read.unknown_numbers:
        yield Reason.NUMBER
    # The source's date, where the quotes have another: perhaps that of another clause, perhaps put in its place.
    if dates.has_unsupported(read.said_dates, read.quoted_dates, read.source_dates):
        yield Reason.DATE
    if names.has_unsupported(read.statement, f"{read.quoted} {read.sources} {question}"):
        yield Reason.NAME
    # "Children: not admitted" in a row that is quoted whole denies nothing that its other cells say.
    if not read.is_whole:
        yield from _find_turned_round(read)
    if not read.is_verbatim:
        yield from _find_reworded(read)
    if read.is_whole:
        return
    if _shares_too_little(read):
        yield Reason.UNRELATED
    if _joins_by_itself(read) or _mixes_places(read):
        yield Reason.MIXED_SOURCES


def _shares_too_little(read: _Read) -> bool:
    """Return True if the quotes, or they and the names of their subject, hold too few of a statement's words."""
    return (
        measure_share(read.said, read.known) < LEAST_SHARED
        or measure_share(read.said, read.known_quoted) < LEAST_QUOTED
    )


def _find_reworded(read: _Read) -> Iterator[Reason]:
    """Yield faults that a statement in other words than its source may have."""
    if is_of_another(read.statement, read.units) or names_another(read.statement, read.units):
        yield Reason.SUBJECT
    if have_changed_places(read.statement, [sentence.whole.text for sentence in read.around]):
        yield Reason.SWAPPED
    if takes_other_column(read.clauses, [row for found in read.evidence for row in found.rows]):
        yield Reason.COLUMN
    if is_beyond_latin(read.statement):  # the rules know English
        yield Reason.NOT_ENTAILED


def _find_turned_round(read: _Read) -> Iterator[Reason]:
    """Compare each clause with the clauses, or the sentences, of the source that it is about."""
    wholes = [sentence.whole for sentence in read.around]
    parts = [part for sentence in read.around for part in sentence.clauses]
    candidates = [part for sentence in read.around for part in (*sentence.clauses, sentence.whole)]
    for said in read.clauses:
        about = find_nearest(said, candidates)
        if any(said.words == quoted.words for quoted in about):
            continue
        if is_denied_otherwise(said, about, parts):
            yield Reason.NEGATION
        # A place that holds every word of the clause says no opposite of it: "the top left corner" beside the right.
        is_held = any(set(said.words) <= set(quoted.words) for quoted in candidates)
        if not is_held and any(says_the_opposite(said, quoted) for quoted in about):
            yield Reason.OPPOSITE
        if says_more(said, about, wholes):
            yield Reason.QUANTIFIER
        if obliges_more(said, about):
            yield Reason.MODALITY
    if leaves_out_condition(read.statement, read.clauses, wholes):
        yield Reason.CONDITION


def _joins_by_itself(read: _Read) -> bool:
    """Return True if a statement gives one document's claim as the reason for another document's."""
    documents: dict[object, str] = {}
    for found in read.evidence:
        key = (found.passage.document_id, found.passage.document_name)
        documents[key] = f"{documents.get(key, '')} {' '.join(found.context)}"
    if len(documents) < 2:
        return False
    return any(
        _REASON.search(text[6:]) and not any(_REASON.search(context) for context in documents.values())
        for text in [read.statement]
    )


def _mixes_places(read: _Read) -> bool:
    """Return True if a clause takes a number or a date from a place about something else."""
    windows = [(window, found) for found in read.evidence for window in found.windows]
    if len(windows) < 2:
        return False
    for said in read.clauses:
        said_dates, rest = dates.split_dates(said.text)
        said_numbers = [number for number in numbers.find_numbers(rest) if not numbers.is_counted(number)]
        if said_numbers or said_dates:
            words = list_told(said.text)
            here = [one for one in windows if _has_values(one, said_numbers, said_dates)]
            if here and not any(_speaks_of(words, window, found, windows) for window, found in here):
                return True
    return False


def _has_values(one: tuple[str, FoundQuote], said: Sequence[numbers.Number], on: Sequence[dates.Date]) -> bool:
    """Return True if a place of the source has all these numbers and dates."""
    window, found = one
    read_dates, rest = dates.split_dates(window)
    source_dates, source_rest = dates.split_dates(found.passage.source)
    have = [*numbers.find_numbers(rest), *numbers.find_numbers(source_rest)]
    return not numbers.find_unsupported(said, have, window) and not dates.has_unsupported(
        on, [read_dates], source_dates
    )


def _speaks_of(words: Sequence[str], window: str, found: FoundQuote, windows: Sequence[tuple[str, FoundQuote]]) -> bool:
    """Return True if a place is about these words, and no other place with numbers of its own is much more so."""
    source = found.passage.source
    if measure_share(words, list_known(f"{found.passage.content} {source}") | _JOINING) < LEAST_SHARED_BY_PASSAGE:
        return False
    here = measure_share(words, list_known(f"{window} {source}") | _JOINING)
    if here >= LEAST_SHARED:
        return True
    return all(
        measure_share(words, list_known(f"{other} {source}")) < here + MUCH_BETTER
        for other, _ in windows
        if other != window and _DIGIT.search(other)
    )


def _is_beyond_rules(read: _Read) -> bool:
    """Return True if rules see too little in a statement: they compare words, not who did what to whom."""
    if (
        len(list(names.find_names(read.statement))) > 1
        or has_modality(read.statement)
        or names_condition(read.statement)
    ):
        return True
    return not any(measure_share(read.said, list_known(unit.text)) >= VERBATIM for unit in read.units)
