"""A model's reply, heard while it is being written: statement by statement, each once the next one has begun."""

import json
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

from smolagents import ChatMessage, LiteLLMModel
from smolagents.models import ChatMessageStreamDelta, agglomerate_stream_deltas, remove_content_after_stop_sequences

logger = logging.getLogger(__name__)

# Told what there is of a reply: its text, and the arguments of its call.
Hear = Callable[[str, str], None]

_ENDS = frozenset('.!?:]}"|\n')  # a statement that has ended has one of these behind it


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
        heard = self._heard(messages, *args, **kwargs) if self._hear else None
        return heard or super().generate(messages, *args, **kwargs)

    def _heard(self, messages: list[Any], stop_sequences: list[str] | None = None, **kwargs: Any) -> ChatMessage | None:
        """The reply, told of as it grows; None where it has to be asked for whole."""
        deltas: list[ChatMessageStreamDelta] = []
        text = arguments = ""
        for delta in self._deltas(messages, stop_sequences=stop_sequences, **kwargs):
            if delta is None:
                return None
            deltas.append(delta)
            new = delta.content or ""
            called = "".join(str(call.function.arguments or "") for call in delta.tool_calls or () if call.function)
            text, arguments = text + new, arguments + called
            if self._hear and _ENDS & {*new, *called}:
                self._hear(text, arguments)
        if not (text.strip() or any(delta.tool_calls for delta in deltas)):
            return None
        message = agglomerate_stream_deltas(deltas)
        if stop_sequences and not self.supports_stop_parameter:
            message.content = remove_content_after_stop_sequences(message.content, stop_sequences)
        return message

    def _deltas(self, messages: list[Any], **kwargs: Any) -> Iterator[ChatMessageStreamDelta | None]:
        """The pieces of a reply; None as the last where it broke off. What fails before the first piece is raised."""
        began = time.monotonic()
        has_begun = False
        pieces = self.generate_stream(messages, **kwargs)
        while True:
            try:
                piece = next(pieces, None)
            except Exception as error:
                if not has_begun:
                    raise
                # Libraries and servers raise anything in the middle of a stream; the error's words may hold text.
                logger.warning("stream_broke_off", extra={"error": type(error).__name__})
                yield None
                return
            if piece is None:
                return
            has_begun = True
            if time.monotonic() - began > self._within_s:
                raise TimeoutError
            yield piece


def written_statements(arguments: str) -> list[Any]:
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
