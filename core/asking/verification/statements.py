"""Verify a draft: find its quotes, keep the statements that they support, number the citations. Pure."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from core.asking.verification.attribution import Sentences, find_quotes, measure_share_held
from core.asking.verification.found_quotes import FoundQuote
from core.asking.verification.layout import Line, LineKind, join_lines, read_lines
from core.asking.verification.reasons import IN_WORDS, Reason
from core.asking.verification.support import adds_little, assess, find_contributing
from core.asking.verification.wording import list_lacking, list_told
from core.language.nlp.layout import is_rule
from core.types import Citation, Passage, Statement

EXCERPT_LENGTH = 200  # characters
LONGEST_STATEMENT = 800  # characters, as the model wrote it; a long sentence of a statute has about 500
# Of its words that sentences found by the code alone have to hold: a model that shows no proof, or an invented one, may
# have put in a word of its own, and one of four is the one that matters.
LEAST_HELD = 0.75
MOST_OF_ITS_OWN = 1  # of its telling words that may be in no passage, however long it is
MOST_STATEMENTS = 20  # of one draft, items and rows counted; further ones are not looked at


@dataclass(frozen=True, kw_only=True, slots=True)
class Verified:
    """The verified part of a draft, and counts of the dropped statements."""

    text: str  # sentences, items and rows with their citation numbers, "… [1][2]"
    citations: tuple[Citation, ...]
    dropped: int  # statements that nothing carries
    reasons: dict[str, int]  # how many were dropped, by Reason
    places: tuple[int, ...] = ()  # of those that were dropped, among the statements
    doubts: dict[str, int] = field(default_factory=dict)  # how many rules doubted, by Reason, whatever a judge said


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement and all that it rests on."""

    statement: str
    quotes: tuple[str, ...]  # whole sentences of the passages, each with its source in front


# For each claim whether its quotes support all of it; None where that could not be found out.
Judge = Callable[[Sequence[Claim]], Sequence[bool | None]]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Judged:
    """A line of the draft, and either what carries it or why it is dropped."""

    line: Line
    evidence: tuple[FoundQuote, ...] = ()
    reason: Reason | None = None
    doubts: tuple[Reason, ...] = ()  # for a judge; without one each drops the statement
    needs_judge: bool = False
    is_silent: bool = False  # not shown, and nothing that the model should mend

    @property
    def claim(self) -> Claim:
        """Return the question to a judge about this line."""
        quotes = tuple(f"{one.passage.source}: {' '.join((one.introduction, *one.context))}" for one in self.evidence)
        return Claim(statement=self.line.checked, quotes=quotes)


def verify(
    statements: Sequence[Statement], passages: Sequence[Passage], *, question: str = "", judge: Judge | None = None
) -> Verified:
    """Keep the statements that sentences of the passages carry: those that the model quotes, or else any.

    passages: those the model was shown, in the order of their numbers; all of them visible to the audience.
    question: what was asked; its names are known. judge: asked once, about all that rules cannot decide.
    """
    citations: list[Citation] = []
    shown: list[tuple[LineKind, str]] = []
    reasons: Counter[str] = Counter()
    doubts: Counter[str] = Counter()
    places: list[int] = []
    for place, judged in enumerate(_judge_lines(statements, passages, question, judge)):
        doubts.update(doubt.value for doubt in judged.doubts)
        if judged.reason:
            reasons[judged.reason.value] += 1
            places.append(place)
        if judged.reason or judged.is_silent:
            continue
        numbers = [_get_number(found, citations) for found in judged.evidence]
        marks = "".join(f"[{number}]" for number in dict.fromkeys(numbers))
        shown.append((judged.line.kind, judged.line.render(marks)))
    return Verified(
        text=join_lines(shown),
        citations=tuple(citations),
        dropped=reasons.total(),
        reasons=dict(reasons),
        places=tuple(places),
        doubts=dict(doubts),
    )


def list_complaints(
    statements: Sequence[Statement], passages: Sequence[Passage], *, question: str = "", judge: Judge | None = None
) -> tuple[str, ...]:
    """Describe the fault of each statement that `verify` would drop, for the model that wrote it.

    A line for each, with the statement's beginning in the model's own words.
    """
    judged = _judge_lines(statements, passages, question, judge)
    return tuple(f'- "{shorten(one.line.text)}": {IN_WORDS[one.reason]}.' for one in judged if one.reason)


def _judge_lines(
    statements: Sequence[Statement], passages: Sequence[Passage], question: str, judge: Judge | None
) -> list[_Judged]:
    """Return one for each statement, in their order."""
    looked_at = [said if len(said.text) <= LONGEST_STATEMENT else replace(said, text="") for said in statements]
    read = Sentences(passages, question)
    judged: list[_Judged] = []
    said: set[str] = set()
    for place, line in enumerate(read_lines([one.text for one in looked_at])):
        if place >= MOST_STATEMENTS or looked_at[place] is not statements[place]:
            judged.append(_Judged(line=line, reason=Reason.TOO_LONG))
            continue
        one = _assess_line(line, looked_at[place], read, passages, question)
        if not one.reason and line.checked.casefold() in said:
            one = replace(one, reason=Reason.REPEATED)
        said.add(line.checked.casefold())
        judged.append(one)
    return _silence_introductions(_apply_verdicts(judged, judge))


def _assess_line(
    line: Line, statement: Statement, read: Sentences, passages: Sequence[Passage], question: str
) -> _Judged:
    if line.is_frame:
        return _Judged(line=line, is_silent=line.kind is not LineKind.HEAD)
    if line.kind is LineKind.HEAD:
        return _Judged(line=line)
    if not any(character.isalnum() for character in line.text):
        return _Judged(line=line, reason=Reason.EMPTY)
    evidence = tuple(find_contributing(line.checked, read.find_carrying(line.checked, statement.quotes)))
    if not evidence:
        return _Judged(line=line, reason=_explain_no_evidence(statement, passages))
    found = assess(line.checked, evidence, question=question)
    doubts, needs_judge = found.doubts, found.needs_judge
    if not find_quotes(statement.quotes, passages) and not _holds_enough(line.checked, evidence, read):
        doubts, needs_judge = (*doubts, Reason.UNRELATED), True
    return _Judged(line=line, evidence=evidence, reason=found.veto, doubts=doubts, needs_judge=needs_judge)


def _holds_enough(said: str, evidence: Sequence[FoundQuote], read: Sentences) -> bool:
    """Return True if quotes found by the code alone cover the statement, but for very few words of the model's own."""
    if adds_little(said, evidence):
        return True
    return (
        measure_share_held(said, evidence) > LEAST_HELD
        and len(list_lacking(list_told(said), read.words)) <= MOST_OF_ITS_OWN
    )


def _explain_no_evidence(statement: Statement, passages: Sequence[Passage]) -> Reason:
    if not any(quote.text.strip() for quote in statement.quotes):
        return Reason.NO_QUOTE
    found = find_quotes(statement.quotes, passages)
    if not found:
        return Reason.QUOTE_NOT_FOUND
    return Reason.UNRELATED if any(one.is_long_enough for one in found) else Reason.QUOTE_TOO_SHORT


def _apply_verdicts(judged: Sequence[_Judged], judge: Judge | None) -> list[_Judged]:
    """Return the same with the judge's word, asked about all of them at once, on what the rules leave open."""
    open_ones = [one for one in judged if one.needs_judge and not one.reason]
    said = list(judge([one.claim for one in open_ones])) if judge and open_ones else []
    verdicts = dict(zip(map(id, open_ones), said, strict=True)) if len(said) == len(open_ones) else {}
    return [replace(one, reason=one.reason or _find_reason(one, verdicts.get(id(one)))) for one in judged]


def _find_reason(judged: _Judged, verdict: bool | None) -> Reason | None:
    if verdict is None:
        return judged.doubts[0] if judged.doubts else None
    return None if verdict else Reason.NOT_ENTAILED


def _silence_introductions(judged: list[_Judged]) -> list[_Judged]:
    """Silence the lead-in of a list or table of which nothing is left.

    The head of a table keeps the columns in which a kept row has a cell: with no other was it checked.
    """
    kept: list[_Judged] = []
    is_followed = False
    columns = 0  # of the kept rows below
    for one in reversed(judged):
        if one.line.kind is LineKind.HEAD:
            one, is_followed = replace(one, line=one.line.keep_columns(columns)), columns > 0
        is_row = one.line.kind is LineKind.ROW
        columns = max(columns, 0 if one.reason else one.line.columns) if is_row else 0
        stands = not one.reason and (is_followed or not one.line.introduces)
        kept.append(replace(one, is_silent=True) if one.line.introduces and not is_followed else one)
        in_list = one.line.kind in (LineKind.ITEM, LineKind.ROW)
        is_followed = is_followed or stands if in_list else stands and one.line.kind is LineKind.HEAD
    return kept[::-1]


def _get_number(found: FoundQuote, citations: list[Citation]) -> int:
    """Return the number of the citation for this quote, made if it is not there yet."""
    passage, quoted = found.passage, found.passage.content[found.start : found.end]
    for known in citations:
        if (known.chunk_id, known.start, known.quoted_excerpt) == (passage.chunk_id, found.start, quoted):
            return known.number
    citations.append(cite(found, number=len(citations) + 1))
    return len(citations)


def cite(found: FoundQuote, *, number: int) -> Citation:
    """Build the citation of words in a passage: their place, and the words as written there."""
    passage, quoted = found.passage, found.as_written
    return Citation(
        number=number,
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        document_name=passage.document_name,
        document_date=passage.document_date,
        page_number=passage.page_at(found.start),
        chapter=passage.chapter,
        # The chapter, where it says more than the document's name.
        section=passage.section or (passage.chapter if passage.chapter != passage.document_name else ""),
        source_url=passage.source_url,
        excerpt=shorten(quoted),
        quoted_excerpt=quoted,
        start=found.start,
        end=found.end,
        relevance_score=passage.similarity,
        is_recognised=passage.is_recognised,
        authors=passage.authors,
        file_name=passage.file_name,
        full_citation=passage.full_citation,
        document_version=passage.document_version,
    )


def shorten(text: str) -> str:
    """Cut a text between words to one line of at most EXCERPT_LENGTH characters, without the rule below a header."""
    line = " ".join(" ".join(part for part in text.splitlines() if not is_rule(part)).split())
    if len(line) <= EXCERPT_LENGTH:
        return line
    return line[: EXCERPT_LENGTH - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"
