"""The agent's two tools. Neither lets the model see or choose whose eyes it searches with."""

import threading
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from django.db import connection
from smolagents import Tool

from core.llm.markup import MarkedPassage, render_passages
from core.types import Passage, Quote, Statement

Search = Callable[[str], Sequence[Passage]]

MOST_PASSAGES = 30  # of one question, over all its searches: what a small model still reads


class PassageShelf:
    """The passages found for one question, numbered from 1 in the order found, each chunk once."""

    def __init__(self, found: Sequence[Passage] = ()) -> None:
        self.passages: list[Passage] = []
        self.add(found)

    def add(self, found: Sequence[Passage]) -> list[int]:
        """Put passages on the shelf. Returns the numbers of all of them, new or known."""
        numbers: list[int] = []
        for passage in found:
            known = next((i for i, other in enumerate(self.passages) if _same(passage, other)), None)
            if known is None and len(self.passages) < MOST_PASSAGES:
                self.passages.append(passage)
                known = len(self.passages) - 1
            if known is not None:
                numbers.append(known + 1)
        return numbers

    def render(self, numbers: Sequence[int]) -> str:
        """The passages of these numbers as prompt text."""
        return render_passages(marked(number, self.passages[number - 1]) for number in numbers)


class PgvectorRetriever(Tool):
    """Searches the library for the audience that it was built for."""

    name = "pgvector_retriever"
    description = "Finds passages of the organisation's documents that fit a query."
    inputs: ClassVar[dict[str, Any]] = {
        "query": {"type": "string", "description": "What to look for, in the words a document would use."}
    }
    output_type = "string"

    def __init__(self, search: Search, shelf: PassageShelf) -> None:
        super().__init__()
        self._search = search
        self._shelf = shelf
        self._owner = threading.get_ident()

    def forward(self, query: str) -> str:
        """The passages found, as prompt text."""
        try:
            numbers = self._shelf.add(self._search(query))
        finally:
            if threading.get_ident() != self._owner:
                connection.close()  # a thread of smolagents' pool: nobody else would give its connection back
        return self._shelf.render(numbers) or "Nothing found."


class FinalAnswer(Tool):
    """Takes the model's statements. What it takes is a draft; verification comes after."""

    name = "final_answer"
    description = "Ends the work with the statements that answer the question, or with none."
    inputs: ClassVar[dict[str, Any]] = {
        "statements": {
            "type": "array",
            "description": "The statements, the most important first. Empty when the passages do not answer.",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "description": "One short sentence."},
                    "quotes": {
                        "type": "array",
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
                "required": ["text", "quotes"],
            },
        }
    }
    output_type = "any"

    def forward(self, statements: list[Any]) -> Any:
        """The statements as values. ValueError, which the model is shown, when their form is wrong."""
        return tuple(_statement(raw) for raw in statements)


def _statement(raw: Any) -> Statement:
    try:
        quotes = tuple(Quote(passage=int(quote["passage"]), text=str(quote["text"])) for quote in raw["quotes"])
        return Statement(text=str(raw["text"]), quotes=quotes)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError('each statement needs "text" and "quotes", each quote "passage" and "text"') from error


def marked(number: int, passage: Passage) -> MarkedPassage:
    """A passage as the model sees it: its text, and where it stands."""
    return MarkedPassage(number=number, source=passage.source, text=passage.content)


def _same(passage: Passage, other: Passage) -> bool:
    if passage.chunk_id is None:
        return other.chunk_id is None and passage.content == other.content
    return passage.chunk_id == other.chunk_id
