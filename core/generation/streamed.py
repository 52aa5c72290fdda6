"""A model's reply, heard while it is being written: statement by statement, each once the next one has begun."""

import json
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

from smolagents import ChatMessage, LiteLLMModel
from smolagents.models import ChatMessageStreamDelta, agglomerate_stream_deltas, remove_content_after_stop_sequences

from core.llm.client import cost_of
from core.measures.families import count_usage
from core.tracing import spans

logger = logging.getLogger(__name__)

# Told what there is of a reply: its text, and the arguments of its call.
Hear = Callable[[str, str], None]

_ENDS = frozenset('.!?:]}"|\n')  # a statement that has ended has one of these behind it


class _BrokenOffError(Exception):
    """A stream ended in its middle. Its cause's words may hold text, and are not logged."""


class HeardModel(LiteLLMModel):
    """A LiteLLM model whose replies are streamed where somebody listens, and else come whole.

    A stream that breaks off, or that holds nothing because the server does not stream, is given up, and the reply is
    asked for whole. One that has not ended within the model's timeout is a TimeoutError: in a stream that bounds the
    wait for a piece alone.
    """

    def __init__(self, *, hear: Hear | None = None, **settings: Any) -> None:
        super().__init__(**settings)
        self._hear = hear
        self._within_s = float(settings.get("timeout") or float("inf"))

    def generate(self, messages: list[ChatMessage | dict[str, Any]], *args: Any, **kwargs: Any) -> ChatMessage:
        """One completion."""
        with spans.span("model.call", model=self.model_id):
            heard = self._hear_reply(messages, *args, **kwargs) if self._hear else None
            message = heard or super().generate(messages, *args, **kwargs)
            self._count(message)
        return message

    def _count(self, message: ChatMessage) -> None:
        """Count what a reply consumed, where the server says so."""
        used = message.token_usage
        if used is None:
            return
        prompt_tokens, completion_tokens = used.input_tokens, used.output_tokens
        cost = cost_of(str(self.model_id), prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
        count_usage(str(self.model_id), prompt_tokens=prompt_tokens, completion_tokens=completion_tokens, cost=cost)
        spans.note(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)

    def _hear_reply(
        self, messages: list[Any], stop_sequences: list[str] | None = None, **kwargs: Any
    ) -> ChatMessage | None:
        """The reply, told of as it grows; None where it has to be asked for whole."""
        began = time.monotonic()
        deltas: list[ChatMessageStreamDelta] = []
        text = arguments = ""
        try:
            for delta in self._deltas(messages, stop_sequences=stop_sequences, **kwargs):
                if time.monotonic() - began > self._within_s:
                    raise TimeoutError
                deltas.append(delta)
                new = delta.content or ""
                called = "".join(str(call.function.arguments or "") for call in delta.tool_calls or () if call.function)
                text, arguments = text + new, arguments + called
                if self._hear and _ENDS & {*new, *called}:
                    self._hear(text, arguments)
        except _BrokenOffError as error:
            logger.warning("stream_broke_off", extra={"error": type(error.__cause__).__name__})
            return None
        if not (text.strip() or any(delta.tool_calls for delta in deltas)):
            return None
        message = agglomerate_stream_deltas(deltas)
        if stop_sequences and not self.supports_stop_parameter:
            message.content = remove_content_after_stop_sequences(message.content, stop_sequences)
        return message

    def _deltas(self, messages: list[Any], **kwargs: Any) -> Iterator[ChatMessageStreamDelta]:
        """The pieces of a reply. What fails before the first is raised; behind it, _BrokenOffError."""
        has_begun = False
        try:
            for piece in self.generate_stream(messages, **kwargs):
                has_begun = True
                yield piece
        except Exception as error:  # libraries and servers raise anything in the middle of a stream
            if has_begun:
                raise _BrokenOffError from error
            raise


def read_written_statements(arguments: str) -> list[Any]:
    """The statements that are complete in the arguments of a call of final_answer, of which only a part is there."""
    place = arguments.find("[") + 1
    decoder = json.JSONDecoder(strict=False)
    found: list[Any] = []
    while place:
        start = arguments.find("{", place)
        if start < 0 or arguments[place:start].strip(", \t\r\n"):
            break
        try:
            statement, place = decoder.raw_decode(arguments, start)
        except (ValueError, RecursionError):
            break
        found.append(statement)
    return found
