"""Read the statements of a model that writes instead of calling tools. Lenient in form, since it proves nothing."""

import json
import re
import uuid
from collections.abc import Iterator
from typing import Any

from smolagents import ChatMessage
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole

from core.asking.generation.prose import is_nothing, statements_of_prose
from core.asking.generation.streamed import HeardModel

LONGEST_REPLY = 20_000  # characters that are read; a model in a loop writes more
MOST_TOKENS = 900  # of one reply: a screen of text, or three statements with their quotes

FORM = "write the answer in sentences, or only NOTHING"

_LABEL = re.compile(
    r"^[\s\-*#>\d.)]*+(?P<kind>answer|statement|point|quote|nothing)\b[\s*]*+"
    r"(?:(?:of|from|in)\s++)?[\[(#]*+(?:passage\s*+)?[\[(#]*+\s*+(?P<number>\d{1,2})?\s*+[\])]*+[\s*]*+"
    r"(?:[:=\-–—]|\Z)[\s*]*",
    re.IGNORECASE,
)
_PASSAGE_BEHIND = re.compile(r"(?:(?<!\s)\s++)?[\[(]\s*+(?:passage\s*+)?(\d{1,2})\s*+[\])]\s*+\.?\s*+\Z", re.IGNORECASE)
_FENCE = re.compile(r"```[a-z]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_BEGINNING_OF_JSON = re.compile(r"\{|\[\]|\[\s*+\{")
_NUMBER = re.compile(r"\d+")
_NOTHING_FIRST = re.compile(r"\W*(?:NOTHING\b|(?:[Nn]othing|[Nn]one)\W*\Z)")
_THOUGHT, _END_OF_THOUGHT = "<think>", "</think>"  # between them models that reason aloud think
_TEXTS = ("text", "statement", "answer", "sentence", "ANSWER")
_PLACES = ("passage", "number", "source", "passage_number", "id")
_QUOTED = ("text", "quote", "words", "QUOTE")


class ReadingModel(HeardModel):
    """A LiteLLM model whose text is read as the call of final_answer where it calls no tool."""

    def parse_tool_calls(self, message: ChatMessage) -> ChatMessage:
        """Return the message with its call.

        ValueError, which the model is shown, for what is neither call nor answer.
        """
        message.role = MessageRole.ASSISTANT
        content = message.content if isinstance(message.content, str) else ""
        return self._read_call(message) or _with_statements(message, statements_in(content))

    def _read_call(self, message: ChatMessage) -> ChatMessage | None:
        """Return the message with the call of a tool that it writes as JSON."""
        try:
            return super().parse_tool_calls(message)
        except (ValueError, LookupError, TypeError, AttributeError):
            return None  # then it is text


class WritingModel(ReadingModel):
    """A LiteLLM model that is offered no tools.

    A reply that is a tool call all the same, as a fallback model's may be, is taken as it is.
    """

    def generate(self, messages: list[ChatMessage | dict[str, Any]], *args: Any, **kwargs: Any) -> ChatMessage:
        """Return one completion, without tools and stop words."""
        return HeardModel.generate(self, messages, max_tokens=MOST_TOKENS)

    def parse_tool_calls(self, message: ChatMessage) -> ChatMessage:
        """Return the message with the call of final_answer.

        ValueError, which the model is shown, where it says nothing.
        """
        message.role = MessageRole.ASSISTANT
        return _with_statements(message, statements_in(message.content if isinstance(message.content, str) else ""))


def _with_statements(message: ChatMessage, statements: list[dict[str, Any]]) -> ChatMessage:
    function = ChatMessageToolCallFunction(name="final_answer", arguments={"statements": statements})
    message.tool_calls = [ChatMessageToolCall(id=str(uuid.uuid4()), type="function", function=function)]
    return message


def statements_in(reply: str) -> list[dict[str, Any]]:
    """Return the statements of a reply, as final_answer takes them.

    ValueError when there are none and it says so nowhere.

    Read are ANSWER and QUOTE lines; JSON, fenced or not: a list of statements, an object that has them, or the call of
    a tool; and prose with its lists and tables. A quote that names no passage is one of passage 0, which there is not.
    """
    reply = reply.rpartition(_END_OF_THOUGHT)[2][:LONGEST_REPLY]
    found = _read_json(reply)
    if found is None:
        found = list(_read_labelled_lines(reply))
        if not found and not _is_refusal(reply):
            prose = statements_of_prose("\n".join(line for line in reply.splitlines() if not _LABEL.match(line)))
            if prose is None:
                raise ValueError(FORM)
            return prose
    return [statement for statement in found if not is_nothing(statement["text"])]


def read_begun_statements(reply: str) -> list[dict[str, Any]]:
    """Return the statements of a reply that is still being written: all but the last, which may not be whole yet."""
    if _THOUGHT in reply and _END_OF_THOUGHT not in reply:
        return []
    try:
        return statements_in(reply)[:-1]
    except ValueError:
        return []


def _is_refusal(reply: str) -> bool:
    """Return True if a reply begins with our word for nothing, or a labelled line of it is one."""
    labelled = (line[label.end() :] for line in reply.splitlines() if (label := _LABEL.match(line)))
    return bool(_NOTHING_FIRST.match(reply)) or any(is_nothing(rest) for rest in labelled if rest.strip())


def _read_json(reply: str) -> list[dict[str, Any]] | None:
    fenced = [found.group(1) for found in _FENCE.finditer(reply)]
    for text in [*fenced, reply]:
        beginning = _BEGINNING_OF_JSON.search(text)
        if beginning is None:
            continue
        try:
            value, _ = json.JSONDecoder(strict=False).raw_decode(text, beginning.start())
        except (ValueError, RecursionError):
            continue
        listed = _find_list(value)
        if listed is not None:
            read = [statement for item in listed if (statement := _read_statement(item))]
            return read if read or not listed else None
    return None


def _find_list(value: Any) -> list[Any] | None:
    """Return the list of statements within a value: itself, or under the names that models give it."""
    for _ in range(4):
        if isinstance(value, list):
            is_call = len(value) == 1 and isinstance(value[0], dict) and "arguments" in value[0]
            if not is_call:
                return value
            value = value[0]
        if not isinstance(value, dict):
            return None
        inner = next((value[key] for key in ("arguments", "statements", "answers", "parameters") if key in value), None)
        if inner is None:
            return [value] if _find_first(value, _TEXTS) else None
        value = _decode_json(inner)
    return None


def _decode_json(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value, strict=False)
    except ValueError:
        return None


def _read_statement(item: Any) -> dict[str, Any] | None:
    if not isinstance(item, dict):
        return None
    text = _find_first(item, _TEXTS)
    if not isinstance(text, str):
        return None
    quotes: Any = next((item[key] for key in ("quotes", "quote", "evidence", "QUOTE") if key in item), [])
    listed = quotes if isinstance(quotes, list) else [quotes]
    return {"text": text, "quotes": [_read_quote(quote, item) for quote in listed]}


def _read_quote(quote: Any, item: dict[str, Any]) -> dict[str, Any]:
    place, text = _find_first(item, _PLACES), quote
    if isinstance(quote, dict):
        place, text = _find_first(quote, _PLACES), _find_first(quote, _QUOTED)
    number = _NUMBER.search(str(place))
    return {"passage": int(number.group()) if number else 0, "text": str(text or "")}


def _find_first(item: dict[str, Any], keys: tuple[str, ...]) -> Any:
    return next((item[key] for key in keys if item.get(key) not in (None, "")), None)


def _read_labelled_lines(reply: str) -> Iterator[dict[str, Any]]:
    current: dict[str, Any] | None = None
    for line in _join_lines(reply):
        label = _LABEL.match(line)
        rest = line[label.end() :].strip() if label else ""
        if not label or label["kind"].casefold() == "nothing" or (rest and is_nothing(rest)):
            continue
        if label["kind"].casefold() == "quote":
            if current and rest:
                current["quotes"].append(_read_line_quote(rest, label["number"]))
        elif rest:
            if current:
                yield current
            current = {"text": rest, "quotes": []}
    if current:
        yield current


def _read_line_quote(text: str, number: str | None) -> dict[str, Any]:
    behind = _PASSAGE_BEHIND.search(text)
    if behind and not number:
        number, text = behind.group(1), text[: behind.start()]
    return {"passage": int(number) if number else 0, "text": text}


def _join_lines(reply: str) -> Iterator[str]:
    """Yield the lines, each with those that follow it without a label: a quote may run over several."""
    line = ""
    for piece in reply.splitlines():
        if _LABEL.match(piece):
            yield line
            line = piece
        elif line and piece.strip():
            line += " " + piece.strip()
        elif line:
            yield line
            line = ""
    yield line
