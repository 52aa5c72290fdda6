"""The agent's two tools, and the size of a draft. Neither lets the model see or choose whose eyes it searches with."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from django.db import connection
from smolagents import Tool

from core.asking.generation.markup import MarkedPassage, render_passages
from core.asking.generation.prose import split_steps
from core.errors import RepairRequestedError
from core.language.nlp.text import words_of
from core.types import Passage, Quote, Statement

Search = Callable[[str], Sequence[Passage]]
# What is wrong with statements that were drawn from passages, a line for each that would not be shown.
Check = Callable[[Sequence[Statement], Sequence[Passage]], Sequence[str]]

MOST_PASSAGES = 30  # of one question, over all its searches: what a small model still reads
LONGEST_QUERY = 1000  # characters of one search, as of a question
MOST_STATEMENTS = 24  # of a draft
MOST_CHARACTERS = 3_000  # of all its statements together


class PassageRegistry:
    """The passages found for one question, numbered from 1 in the order found, each chunk once."""

    def __init__(self, found: Sequence[Passage] = ()) -> None:
        self.passages: list[Passage] = []
        self._found: list[Passage] = []
        self.add(found)
        self.take_newly_found()

    def add(self, found: Sequence[Passage]) -> list[int]:
        """Add passages. Returns the numbers of all of them, new or known."""
        numbers: list[int] = []
        for passage in found:
            known = next((i for i, other in enumerate(self.passages) if _are_same(passage, other)), None)
            if known is None and len(self.passages) < MOST_PASSAGES:
                self.passages.append(passage)
                known = len(self.passages) - 1
            if known is not None:
                numbers.append(known + 1)
                self._found.append(self.passages[known])
        return numbers

    def take_newly_found(self) -> tuple[Passage, ...]:
        """Return the passages found since the last call, passages known before included."""
        found, self._found = tuple(self._found), []
        return found

    def render(self, numbers: Sequence[int]) -> str:
        """Return the passages of these numbers as prompt text."""
        return render_passages(mark_passage(number, self.passages[number - 1]) for number in numbers)


class PgvectorRetriever(Tool):
    """Searches the library for the audience that it was built for."""

    name = "pgvector_retriever"
    description = "Finds passages of the organisation's documents that fit a query."
    inputs: ClassVar[dict[str, Any]] = {
        "query": {"type": "string", "description": "What to look for, in the words a document would use."}
    }
    output_type = "string"

    def __init__(self, search: Search, registry: PassageRegistry) -> None:
        super().__init__()
        self._search = search
        self._registry = registry
        self._owner = threading.get_ident()

    def forward(self, query: str) -> str:
        """Return the passages found, as prompt text."""
        wanted = "".join(character for character in query[:LONGEST_QUERY] if character.isprintable()).strip()
        if not wanted:
            return "Nothing found."
        try:
            numbers = self._registry.add(self._search(wanted))
        finally:
            if threading.get_ident() != self._owner:
                connection.close()  # a thread of smolagents' pool: nobody else would give its connection back
        return self._registry.render(numbers) or "Nothing found."


def fit_screen(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return the statements without those that say the same words as an earlier one, as far as a screen goes.

    Steps that are written in one statement become one each.
    """
    kept: dict[str, Statement] = {}
    left = MOST_CHARACTERS
    for statement in (replace(one, text=text) for one in statements for text in split_steps(one.text)):
        said = " ".join(words_of(statement.text.casefold()))
        if not said or said in kept:
            continue
        if len(statement.text) <= MOST_CHARACTERS:  # a longer one is none of a document, and is not shown
            left -= len(statement.text)
        if kept and (left < 0 or len(kept) == MOST_STATEMENTS):
            break
        kept[said] = statement
    return tuple(kept.values())


class FinalAnswer(Tool):
    """Takes the model's statements. What it takes is a draft; verification comes after.

    The first draft with statements that would not be shown is sent back, once and while steps are left.
    """

    name = "final_answer"
    description = "Ends the work with the statements that answer the question, or with none."
    inputs: ClassVar[dict[str, Any]] = {
        "statements": {
            "type": "array",
            "description": "The statements, the most important first. Empty when the passages do not answer.",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "description": "One sentence, step, point or row."},
                    "quotes": {
                        "type": "array",
                        "description": "Words that prove it, where you can give them.",
                        "items": {
                            "type": "object",
                            "properties": {
                                "passage": {"type": "integer", "description": "The passage's number."},
                                "text": {"type": "string", "description": "Words of that passage, verbatim."},
                            },
                            "required": ["passage", "text"],
                        },
                    },
                },
                "required": ["text"],
            },
        }
    }
    output_type = "any"

    def __init__(
        self,
        registry: PassageRegistry,
        check: Check | None,
        *,
        is_last_step: Callable[[], bool],
        fit: Callable[[Sequence[Statement]], tuple[Statement, ...]] = fit_screen,
    ) -> None:
        """fit: keeps a draft to what is read."""
        super().__init__()
        self._fit = fit
        self._registry = registry
        self._check = check
        self._is_last_step = is_last_step
        self.first: tuple[Statement, ...] | None = None  # the draft that was sent back
        self._first_wrong = 0

    def forward(self, statements: list[Any]) -> Any:
        """Return the statements as values.

        ValueError, whose text goes to the model, when their form is wrong; RepairRequestedError, likewise, when some
        fail the check. A repaired draft of which less is left than of the first is given up for the first.
        """
        draft = self._fit([statement_of(raw) for raw in statements])
        if self._check is None or not (draft or self.first):
            return draft
        wrong = self._check(draft, self._registry.passages)
        if self.first is not None:
            return draft if len(draft) - len(wrong) >= len(self.first) - self._first_wrong else self.first
        if wrong and not self._is_last_step():
            self.first, self._first_wrong = draft, len(wrong)
            raise RepairRequestedError("\n".join(wrong))
        return draft


def statement_of(raw: Any) -> Statement:
    """Return a statement as the model gave it. Its quotes may be missing, and wrong: what carries it is looked for.

    ValueError when its form is wrong.
    """
    if isinstance(raw, str):
        return Statement(text=raw, quotes=())
    if not isinstance(raw, dict) or not isinstance(raw.get("text"), str):
        raise ValueError('each statement needs a "text"')
    quotes = raw.get("quotes") or []
    return Statement(
        text=raw["text"], quotes=tuple(_read_quote(quote) for quote in quotes) if isinstance(quotes, list) else ()
    )


def _read_quote(raw: Any) -> Quote:
    """Return a quote; one that names no passage in digits is of passage 0, which there is not."""
    if not isinstance(raw, dict):
        return Quote(passage=0, text=str(raw))
    number = str(raw.get("passage")).strip()
    passage = int(number) if number.isascii() and number.isdigit() and len(number) < 4 else 0
    return Quote(passage=passage, text=str(raw.get("text") or ""))


def mark_passage(number: int, passage: Passage) -> MarkedPassage:
    """Mark a passage for the model: its text, and its place."""
    return MarkedPassage(number=number, source=passage.source, text=passage.content, opens=passage.opens)


def _are_same(passage: Passage, other: Passage) -> bool:
    if passage.chunk_id is None:
        return other.chunk_id is None and passage.content == other.content
    return passage.chunk_id == other.chunk_id
