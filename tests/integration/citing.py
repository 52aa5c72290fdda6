"""A model that cites the first sentence of one document and nothing else, whatever it is shown besides."""

from collections.abc import Callable
from typing import Any

from core.asking.generation.markup import read_passages
from core.llm.scripted import answers


def cite_only(name: str) -> Callable[[list[dict[str, Any]]], dict[str, Any]]:
    """Build the reply for `script_model`. name: a part of the document's title."""

    def reply(messages: list[dict[str, Any]]) -> dict[str, Any]:
        shown = read_passages("".join(part["text"] for part in messages[-1]["content"]))
        one = next(passage for passage in shown if name in passage.source)
        sentence = one.text.split(". ")[0] + "."
        return answers((sentence, one.number, sentence))

    return reply
