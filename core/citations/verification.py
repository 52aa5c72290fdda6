"""From a draft to what may be shown: quotes found, statements carried, citations numbered. Pure."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from core.citations.cleaning import cleaned
from core.citations.evidence import Evidence
from core.citations.folding import find_quote
from core.citations.reasons import IN_WORDS, Reason
from core.citations.support import contributing, failure
from core.types import Citation, Passage, Statement

EXCERPT_LENGTH = 200  # characters
LONGEST_STATEMENT = 800  # characters, as the model wrote it; a long sentence of a statute has about 500
LONGEST_QUOTE = 4_000  # characters; a chunk is shorter
MOST_QUOTES = 8  # of one statement; further ones are not looked at
MOST_STATEMENTS = 12  # of one draft; further ones are not looked at

# (premise, hypothesis) -> whether the premise entails it; None when that could not be found out.
Entails = Callable[[str, str], bool | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Verified:
    """What is left of a draft."""

    text: str  # sentences with their citation numbers, "… [1][2]"
    citations: tuple[Citation, ...]
    dropped: int  # statements whose quotes did not check
    reasons: dict[str, int]  # how many were dropped, by Reason


@dataclass(frozen=True, kw_only=True, slots=True)
class _Judged:
    """A statement, and either what carries it or why it is dropped."""

    text: str
    evidence: tuple[Evidence, ...] = ()
    reason: Reason | None = None


def verify(statements: Sequence[Statement], passages: Sequence[Passage], *, entails: Entails | None = None) -> Verified:
    """Keep the statements that their quotes carry, each quote standing verbatim in the passage that it names.

    passages: those the model was shown, in the order of their numbers; all of them visible to the audience.
    entails: asked last about what passed all other checks, where a model for it is configured.
    """
    citations: list[Citation] = []
    sentences: list[str] = []
    reasons: Counter[str] = Counter()
    for judged in _judged(statements, passages, entails):
        if judged.reason:
            reasons[judged.reason.value] += 1
            continue
        numbers = [_number_of(found, citations) for found in judged.evidence]
        marks = "".join(f"[{number}]" for number in dict.fromkeys(numbers))
        sentences.append(f"{judged.text} {marks}")
    return Verified(
        text="\n".join(sentences), citations=tuple(citations), dropped=reasons.total(), reasons=dict(reasons)
    )


def complaints(
    statements: Sequence[Statement], passages: Sequence[Passage], *, entails: Entails | None = None
) -> tuple[str, ...]:
    """What is wrong with each statement that `verify` would drop, for the model that wrote it.

    It names statements and passages by their numbers, also the passage in which a quote stands that was looked for
    in another, and repeats no text.
    """
    found: list[str] = []
    for number, judged in enumerate(_judged(statements, passages, entails), 1):
        if not judged.reason:
            continue
        named = ", ".join(str(quote.passage) for quote in statements[number - 1].quotes[:MOST_QUOTES])
        where = f" (passage {named})" if named else ""
        elsewhere = _elsewhere(statements[number - 1], passages) if judged.reason is Reason.QUOTE_NOT_FOUND else ""
        found.append(f"Statement {number}{where}: {IN_WORDS[judged.reason]}{elsewhere}.")
    return tuple(found)


def _elsewhere(statement: Statement, passages: Sequence[Passage]) -> str:
    """Where quotes stand that are not in the passages they name."""
    quotes = [quote.text for quote in statement.quotes[:MOST_QUOTES] if len(quote.text) <= LONGEST_QUOTE]
    numbers = [
        str(number)
        for number, passage in enumerate(passages, 1)
        if any(find_quote(quote, passage.content) for quote in quotes)
    ]
    return f", but in passage {', '.join(numbers)}" if numbers else ""


def _judged(statements: Sequence[Statement], passages: Sequence[Passage], entails: Entails | None) -> Iterator[_Judged]:
    said: set[str] = set()
    for position, statement in enumerate(statements):
        if position >= MOST_STATEMENTS or len(statement.text) > LONGEST_STATEMENT:
            yield _Judged(text="", reason=Reason.TOO_LONG)
            continue
        text = cleaned(statement.text)
        judged = _judge(text, statement, passages, entails)
        if not judged.reason and text.casefold() in said:
            judged = _Judged(text=text, reason=Reason.REPEATED)
        said.add(text.casefold())
        yield judged


def _judge(text: str, statement: Statement, passages: Sequence[Passage], entails: Entails | None) -> _Judged:
    if not any(character.isalnum() for character in text):
        return _Judged(text=text, reason=Reason.EMPTY)
    if not statement.quotes:
        return _Judged(text=text, reason=Reason.NO_QUOTE)
    found = _found_quotes(statement, passages)
    if not found:
        return _Judged(text=text, reason=Reason.QUOTE_NOT_FOUND)
    found = [one for one in found if one.is_long_enough]
    if not found:
        return _Judged(text=text, reason=Reason.QUOTE_TOO_SHORT)
    evidence = contributing(text, found)
    if not evidence:
        return _Judged(text=text, reason=Reason.UNRELATED)
    reason = failure(text, evidence)
    if not reason and entails and entails(_premise(evidence), text) is False:
        reason = Reason.NOT_ENTAILED
    return _Judged(text=text, evidence=tuple(evidence), reason=reason)


def _found_quotes(statement: Statement, passages: Sequence[Passage]) -> list[Evidence]:
    found: list[Evidence] = []
    for quote in statement.quotes[:MOST_QUOTES]:
        if not 1 <= quote.passage <= len(passages) or len(quote.text) > LONGEST_QUOTE:
            continue
        passage = passages[quote.passage - 1]
        span = find_quote(quote.text, passage.content)
        if span:
            found.append(Evidence(passage=passage, start=span[0], end=span[1]))
    return list(dict.fromkeys(found))


def _premise(evidence: Sequence[Evidence]) -> str:
    return " ".join(f"{found.passage.source}: {' '.join(found.context)}" for found in evidence)


def _number_of(found: Evidence, citations: list[Citation]) -> int:
    """The number of the citation for this quote, made if it is not there yet."""
    passage, quoted = found.passage, found.passage.content[found.start : found.end]
    for known in citations:
        if (known.chunk_id, known.start, known.quoted_excerpt) == (passage.chunk_id, found.start, quoted):
            return known.number
    citations.append(cite(found, number=len(citations) + 1))
    return len(citations)


def cite(found: Evidence, *, number: int) -> Citation:
    """The citation of words of a passage: where they stand, and the words as they stand there."""
    passage, quoted = found.passage, found.as_written
    return Citation(
        number=number,
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        document_name=passage.document_name,
        document_date=passage.document_date,
        page_number=passage.page_at(found.start),
        section=passage.section or _chapter_apart(passage),
        source_url=passage.source_url,
        excerpt=shortened(quoted),
        quoted_excerpt=quoted,
        start=found.start,
        end=found.end,
        relevance_score=passage.similarity,
    )


def _chapter_apart(passage: Passage) -> str:
    """The chapter, when it tells more than the document's name."""
    return passage.chapter if passage.chapter != passage.document_name else ""


def shortened(text: str) -> str:
    """Text on one line of at most EXCERPT_LENGTH characters, cut between words."""
    line = " ".join(text.split())
    if len(line) <= EXCERPT_LENGTH:
        return line
    return line[: EXCERPT_LENGTH - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"
