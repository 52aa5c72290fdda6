"""Whether quotes carry a statement, by its words. Pure.

A lexical check, one question after the other: are its addresses there, its words, its numbers with their units, its
dates, its names; does the source deny what it says, say the opposite, or speak of some where it speaks of all; does one
place of the source carry each figure, or is the subject of one passage put to the number of another? It cannot see a
wrong relation between the right words of one sentence; core.answering.entailment can, where a model for it is
configured.
"""

from collections.abc import Sequence

from core.citations import addresses, dates, figures, names
from core.citations.clauses import Clause, clauses, nearest
from core.citations.evidence import Evidence, Sentence, sentences_around
from core.citations.polarity import begins_with_condition, denials, has_condition, is_conditional, says_the_opposite
from core.citations.quantifiers import changed
from core.citations.reasons import Reason
from core.text import content_stems

LEAST_SHARED = 0.7  # of the statement's content words that must stand in its quotes or in their sources' names
LEAST_QUOTED = 0.34  # of them, in the quotes themselves: the name of a source is not what it says
FAR_OFF = 0.35  # under this share a statement is about something else, whatever its numbers
LEAST_ADDED = 0.5  # of the statement's content words that a quote holds if it adds none to the other quotes
# Words that join what two sources say, and stand in neither.
_JOINING = frozenset(
    content_stems("whereas respectively compared comparison contrast versus meanwhile likewise similarly")
)


def failure(statement: str, evidence: Sequence[Evidence]) -> Reason | None:
    """What is wrong with a statement that rests on these quotes; None when they carry it."""
    if addresses.unsupported(statement, [part for found in evidence for part in (found.text, found.as_written)]):
        return Reason.ADDRESS
    quoted = " ".join(found.text for found in evidence)
    sources = " ".join(dict.fromkeys(found.passage.source for found in evidence))
    said = _words(statement)
    known = _known(f"{quoted} {sources}") | names.known_otherwise(statement, f"{quoted} {sources}")
    if _share(said, known) < FAR_OFF:
        return Reason.UNRELATED
    return (
        _wrong_figure(statement, evidence, sources)
        or (Reason.NAME if names.unsupported(statement, f"{quoted} {sources}") else None)
        or _turned_round(statement, sentences_around(evidence))
        or _unrelated(said, known, _known(quoted) | names.known_otherwise(statement, quoted), evidence)
        or _mixed(statement, evidence)
    )


def contributing(statement: str, evidence: Sequence[Evidence]) -> list[Evidence]:
    """The quotes that carry a part of the statement: a quote that only decorates is not cited."""
    said = set(content_stems(statement))
    kept: list[Evidence] = []
    for found in sorted(evidence, key=lambda one: -len(said & set(content_stems(one.text)))):
        mine = said & set(content_stems(found.text))
        others = {stem for other in kept for stem in content_stems(other.text)}
        if mine - others or (mine and len(mine) >= LEAST_ADDED * len(said)):
            kept.append(found)
    return [found for found in evidence if found in kept]


def _words(text: str) -> list[str]:
    """The stems of the content words, without figures and dates: those are compared by what they say."""
    rest = dates.dates(text)[1]
    read = figures.figures(rest)
    for figure in reversed(read):
        rest = f"{rest[: figure.start]} {rest[figure.end :]}"
    return content_stems(rest)


def _known(text: str) -> set[str]:
    """All stems of a text, with those that a figure leaves over: "aider" of "first-aider"."""
    return set(content_stems(text)) | set(_words(text))


def _share(said: Sequence[str], known: set[str]) -> float:
    return sum(stem in known for stem in said) / len(said) if said else 1.0


def _unrelated(said: Sequence[str], known: set[str], quoted: set[str], evidence: Sequence[Evidence]) -> Reason | None:
    """known: the stems of quotes and sources; quoted: those of the quotes alone."""
    several = len({(found.passage.document_id, found.passage.document_name) for found in evidence}) > 1
    if several and any(stem not in known | _JOINING for stem in said):
        return Reason.MIXED_SOURCES
    if _share(said, known) < LEAST_SHARED or _share(said, quoted) < LEAST_QUOTED:
        return Reason.UNRELATED
    return None


def _wrong_figure(statement: str, evidence: Sequence[Evidence], sources: str) -> Reason | None:
    said_dates, said_rest = dates.dates(statement)
    read = [dates.dates(found.text) for found in evidence]
    source_dates, source_rest = dates.dates(sources)
    quoted = [figure for _, rest in read for figure in figures.figures(rest)]
    known = [*quoted, *figures.figures(source_rest)]
    if figures.unsupported(figures.figures(said_rest), known, " ".join(found.text for found in evidence)):
        return Reason.NUMBER
    if dates.unsupported(said_dates, [found for found, _ in read], source_dates):
        return Reason.DATE
    return None


def _turned_round(statement: str, around: Sequence[Sentence]) -> Reason | None:
    """Each clause is held against the clause, or the sentence, of the source that it is about."""
    candidates = [part for sentence in around for part in (*sentence.clauses, sentence.whole)]
    conditional = is_conditional(statement)
    for said in clauses(statement):
        for quoted in nearest(said, candidates):
            if said.words != quoted.words and (reason := _changed(said, quoted)):
                return reason
            if not conditional and any(_on_condition(quoted, sentence) for sentence in around):
                return Reason.CONDITION
    return None


def _changed(said: Clause, quoted: Clause) -> Reason | None:
    if denials(said.text) != denials(quoted.text):
        return Reason.NEGATION
    if says_the_opposite(said, quoted):
        return Reason.OPPOSITE
    return Reason.QUANTIFIER if changed(said.text, quoted.text) else None


def _on_condition(quoted: Clause, sentence: Sentence) -> bool:
    """True when a clause of this sentence holds on a condition that stands in it or right beside it."""
    if quoted is sentence.whole:
        return has_condition(quoted.text)
    place = next((i for i, other in enumerate(sentence.clauses) if other is quoted), None)
    if place is None:
        return False
    beside = sentence.clauses[max(0, place - 1) : place + 2]
    return has_condition(quoted.text) or any(begins_with_condition(other.text) for other in beside)


def _mixed(statement: str, evidence: Sequence[Evidence]) -> Reason | None:
    """A clause with a figure or date is carried by one place of the source, which holds that figure."""
    windows = [(window, found.passage.source) for found in evidence for window in found.windows]
    if len(windows) < 2:
        return None
    for said in clauses(statement):
        said_dates, rest = dates.dates(said.text)
        said_figures = figures.figures(rest)
        if (said_figures or said_dates) and not any(
            _carries(window, source, said_figures, said_dates, _words(said.text)) for window, source in windows
        ):
            return Reason.MIXED_SOURCES
    return None


def _carries(
    window: str, source: str, said: Sequence[figures.Figure], on: Sequence[dates.Date], words: Sequence[str]
) -> bool:
    read_dates, rest = dates.dates(window)
    source_dates, source_rest = dates.dates(source)
    known = [*figures.figures(rest), *figures.figures(source_rest)]
    if figures.unsupported(said, known, window) or dates.unsupported(on, [read_dates], source_dates):
        return False
    return _share(words, _known(f"{window} {source}") | _JOINING) >= LEAST_SHARED
