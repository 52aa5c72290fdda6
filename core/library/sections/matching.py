"""Say which passages of a document rules name, and which carry on what a restricted section said before. Pure.

Where it cannot be told, a passage counts as named: too much is restricted rather than too little.
"""

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from core.values.sections import SectionKind

RuleSet = frozenset[UUID]  # the rules that name a section; none: it is open
BELOW = " > "  # between the headings of a section, as parsers write them
_CUT = "…"  # at the end of a path of headings that was too long for its column
_LONGEST_PATH = 290  # characters; a shorter path that ends like that was written so
_COMMENT = "comment"  # begins the section of a comment, and its text; see core.library.ingestion.parsers.comments
_SHINGLE = 5  # words
_RUN = 3  # shingles in a row: seven words
_FEWEST_WORDS = 4  # of a sentence that is told apart from others
SAME = 0.6  # of the shingles of a section, from which a text under another heading is that section
_MOSTLY = 0.5  # of the shingles of a text that are the section's, where it is nothing else
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"[.!?;]\s|\n")  # or that of a row of a table
_EDGES = re.compile(r"\A[\W_]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """Holds a passage with its place, in the order of the document."""

    chapter: str
    section: str
    content: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """Holds what a rule knows sections by."""

    rule_id: UUID
    kind: SectionKind
    pattern: str


@dataclass(frozen=True, kw_only=True, slots=True)
class EarlierPart:
    """Holds a part of the edition before."""

    rules: RuleSet
    pieces: tuple[Piece, ...]
    opened: frozenset[str] = frozenset()  # digests of names of sections that stay open, whatever they say
    flagged: frozenset[str] = frozenset()  # digests of names of sections that are to be decided
    is_undecided: bool = False
    is_all: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Partition:
    """Holds for each passage the rules that restrict it, and what is to be decided."""

    rules: tuple[RuleSet, ...]  # by passage
    undecided: frozenset[RuleSet] = frozenset()  # parts with sections of which it could not be told
    flagged: frozenset[str] = frozenset()  # digests of the names of these sections
    is_all: bool = False  # the whole document is closed, because a section could not be recognised


@dataclass(frozen=True, slots=True)
class _Run:
    """Holds passages in a row with the same chapter and section: those from start up to end."""

    start: int
    end: int
    chapter: str
    section: str


def simplify(text: str) -> str:
    """Return a heading or a pattern as they are compared: without case, outer white space and invisible marks."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def matches_pattern(pattern: str, text: str) -> bool:
    """Return True if a whole text is what a pattern says, where * is anything. Both are as `simplify` gives them.

    Each piece of the pattern is looked for once, from where the one before ended: that takes no longer with more stars.
    """
    first, *others = pattern.split("*")
    if not others:
        return text == pattern
    *middle, last = others
    if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in middle:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def name_section(chapter: str, section: str) -> str:
    """Return what a section is called for people: its path of headings, or its chapter."""
    return section or chapter


def digest_name(chapter: str, section: str) -> str:
    """Return what the name of a section is kept as, where its words must not be."""
    return hashlib.sha256(f"{simplify(chapter)}\n{simplify(section)}".encode()).hexdigest()


def partition(pieces: Sequence[Piece], rules: Sequence[Rule]) -> Partition:
    """Return for each passage the rules that name its section."""
    return Partition(rules=_spread(_list_runs(pieces), _match(pieces, rules)))


def follow(
    pieces: Sequence[Piece], rules: Sequence[Rule], parts: Sequence[EarlierPart], still_open: Sequence[Piece]
) -> Partition:
    """Return for each passage of a new edition the rules that restrict it.

    parts, still_open: the edition before. A rule that restricted something there and names nothing now is followed to
    the text that it was about; where that cannot be recognised, the whole edition is restricted. What a restricted
    section said is restricted wherever it stands now.
    """
    runs = _list_runs(pieces)
    named = _match(pieces, rules)
    everything = frozenset[UUID]().union(*(part.rules for part in parts))
    if any(part.is_all for part in parts):
        undecided = any(part.is_undecided for part in parts)
        return _close(pieces, everything.union(*named), is_undecided=undecided)
    assigned = list(named)
    flagged: set[int] = set()  # runs
    texts = [_Text.of(pieces[run.start : run.end]) for run in runs]
    known = _Text.of(still_open)
    for part in parts:
        own = _Text.of(part.pieces)
        names = {digest_name(piece.chapter, piece.section) for piece in part.pieces}
        carriers = []
        for number, run in enumerate(runs):
            digest = digest_name(run.chapter, run.section)
            if part.rules <= named[number] or digest in part.opened:
                continue
            if digest in names or texts[number].carries(own, beside=known):
                assigned[number] |= part.rules
                carriers.append((number, digest in names and digest not in part.flagged))
        is_missing = any(all(rule not in found for found in named) for rule in part.rules)
        if is_missing and not own.is_found_in([texts[number] for number, _ in carriers]):
            return _close(pieces, everything.union(*named), is_undecided=True)
        flagged |= {
            number
            for number, was_there in carriers
            if not was_there and not (is_missing and texts[number].is_mostly(own))
        }
    return Partition(
        rules=_spread(runs, assigned),
        undecided=frozenset(assigned[number] for number in flagged),
        flagged=frozenset(digest_name(runs[number].chapter, runs[number].section) for number in flagged),
    )


def _close(pieces: Sequence[Piece], rules: RuleSet, *, is_undecided: bool) -> Partition:
    return Partition(rules=(rules,) * len(pieces), undecided=frozenset({rules} if is_undecided else ()), is_all=True)


def _list_runs(pieces: Sequence[Piece]) -> list[_Run]:
    runs: list[_Run] = []
    start = 0
    for at in range(1, len(pieces) + 1):
        before = pieces[at - 1]
        if at == len(pieces) or (pieces[at].chapter, pieces[at].section) != (before.chapter, before.section):
            runs.append(_Run(start, at, before.chapter, before.section))
            start = at
    return runs


def _spread(runs: Sequence[_Run], by_run: Sequence[RuleSet]) -> tuple[RuleSet, ...]:
    return tuple(rules for run, rules in zip(runs, by_run, strict=True) for _ in range(run.start, run.end))


def _match(pieces: Sequence[Piece], rules: Sequence[Rule]) -> list[RuleSet]:
    """Return the rules that name each run of passages. A comment is restricted by all that name anything."""
    runs = _list_runs(pieces)
    found: list[set[UUID]] = [set() for _ in runs]
    for rule in rules:
        pattern = simplify(rule.pattern)
        labelled: _Run | None = None  # the last one with the label in its text
        for number, run in enumerate(runs):
            if _is_named(run, rule.kind, pattern) or (labelled is not None and _is_below(run, labelled)):
                found[number].add(rule.rule_id)
            elif rule.kind is SectionKind.LABEL and _is_labelled(pieces[run.start : run.end], pattern):
                labelled = run
                found[number].add(rule.rule_id)
    every = set().union(*found)
    return [frozenset(every if _is_comment(run, pieces) else own) for run, own in zip(runs, found, strict=True)]


def _is_comment(run: _Run, pieces: Sequence[Piece]) -> bool:
    return run.section.casefold().startswith(_COMMENT) and pieces[run.start].content.casefold().startswith(_COMMENT)


def _is_below(run: _Run, above: _Run) -> bool:
    """Return True if a section is below another one's heading, of which the path is known."""
    return bool(above.section) and run.chapter == above.chapter and run.section.startswith(above.section + BELOW)


def _is_named(run: _Run, kind: SectionKind, pattern: str) -> bool:
    headings = [simplify(part) for part in run.section.split(BELOW) if part.strip()]
    # The paths down to each heading. A sheet's name may itself have what stands between headings.
    paths = [simplify(BELOW.join(headings[:count])) for count in range(1, len(headings) + 1)]
    if kind is SectionKind.SHEET:
        return any(matches_pattern(pattern, path) for path in paths)
    is_cut = run.section.endswith(_CUT) and len(run.section) >= _LONGEST_PATH
    headings += [*paths, simplify(run.chapter)]
    if kind is SectionKind.LABEL:
        return is_cut or any(
            _begins_with(heading, pattern) or _has_in_brackets(heading, pattern) for heading in headings
        )
    return is_cut or any(matches_pattern(pattern, heading) for heading in headings)


def _is_labelled(pieces: Iterable[Piece], pattern: str) -> bool:
    return any(_begins_with(simplify(line), pattern) for piece in pieces for line in piece.content.split("\n"))


def _begins_with(text: str, pattern: str) -> bool:
    """Return True if a text begins with a label as with a word or words of its own, behind marks or brackets."""
    begin = _EDGES.sub("", pattern)
    text = _EDGES.sub("", text)
    if not begin:
        return False
    if "*" in begin:
        return matches_pattern(begin if begin.endswith("*") else f"{begin}*", text)
    return text.startswith(begin) and not text[len(begin) : len(begin) + 1].isalnum()


def _has_in_brackets(heading: str, pattern: str) -> bool:
    inside = re.findall(r"[(\[]([^()\[\]]*)[)\]]", heading)
    return any(_begins_with(words, pattern) for words in inside)


@dataclass(frozen=True, slots=True)
class _Text:
    """Holds what a text is recognised by: its shingles in order, and its sentences."""

    shingles: tuple[tuple[str, ...], ...]
    distinct: frozenset[tuple[str, ...]]
    sentences: frozenset[tuple[str, ...]]

    @classmethod
    def of(cls, pieces: Iterable[Piece]) -> "_Text":
        shingles: list[tuple[str, ...]] = []
        sentences: set[tuple[str, ...]] = set()
        for piece in pieces:
            text = unicodedata.normalize("NFKC", piece.content).casefold()
            words = _WORD.findall(text)
            shingles += _list_shingles(words)
            sentences.update(_list_sentences(text))
        return cls(tuple(shingles), frozenset(shingles), frozenset(sentences))

    def carries(self, secret: "_Text", *, beside: "_Text") -> bool:
        """Return True if this has words of a secret: a run of them, or a sentence. What was open is none of them."""
        if any(one in secret.sentences and one not in beside.sentences for one in self.sentences):
            return True
        length = 0
        for shingle in self.shingles:
            length = length + 1 if shingle in secret.distinct and shingle not in beside.distinct else 0
            if length >= _RUN:
                return True
        return False

    def is_found_in(self, others: Collection["_Text"]) -> bool:
        """Return True if most of this is in the others together: that is where it stands now."""
        there = frozenset[tuple[str, ...]]().union(*(other.distinct for other in others))
        return bool(self.distinct) and len(self.distinct & there) >= SAME * len(self.distinct)

    def is_mostly(self, other: "_Text") -> bool:
        """Return True if this is from the other one for the most part."""
        return bool(self.distinct) and len(self.distinct & other.distinct) >= _MOSTLY * len(self.distinct)


def _list_shingles(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield each five words in a row; all of fewer."""
    if words:
        yield from (tuple(words[at : at + _SHINGLE]) for at in range(max(1, len(words) - _SHINGLE + 1)))


def _list_sentences(text: str) -> Iterator[tuple[str, ...]]:
    for sentence in _SENTENCE_END.split(text):
        words = tuple(_WORD.findall(sentence))
        if len(words) >= _FEWEST_WORDS:
            yield words
