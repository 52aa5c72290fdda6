"""Hear a model's reply while it is being written: statement by statement, each once the next one has begun."""

import json
import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from django.db import DatabaseError
from smolagents import ChatMessage, LiteLLMModel
from smolagents.models import ChatMessageStreamDelta, agglomerate_stream_deltas, remove_content_after_stop_sequences
from smolagents.monitoring import TokenUsage

from core.errors import FootnoteError, StoppedError
from core.infrastructure.tracing import spans
from core.llm.bounds import Bound, bounded
from core.llm.calls import Call, estimate_tokens
from core.llm.client import log_next
from core.llm.stopping import check_stopped, hear_unless_stopped, wait_unless_stopped

logger = logging.getLogger(__name__)

# Told what there is of a reply: its text, and the arguments of its call.
Hear = Callable[[str, str], None]

LONGEST_HEARD = 40_000  # characters of a streamed reply; a model in a loop writes on, and what is there is read
_COMPLETE = frozenset({"stop", "tool_calls", "function_call"})  # of OpenAI's reasons why a reply ended
_ENDS = frozenset('.!?:]}"|\n')  # a statement that has ended has one of these behind it


class _BrokenOffError(Exception):
    """A stream ended in its middle. Its cause's words may hold text, and are not logged."""


class HeardModel(LiteLLMModel):
    """A LiteLLM model whose replies are streamed where somebody listens, and else come whole.

    A stream that breaks off, or that holds nothing because the server does not stream, is given up, and the reply is
    asked for whole. One that has not ended within the model's timeout is a TimeoutError: in a stream that bounds the
    wait for a piece alone.
    """

    model_id: str  # of the model that is asked now

    def __init__(
        self,
        *,
        fallbacks: Sequence[str] = (),
        hear: Hear | None = None,
        first_words_s: float = float("inf"),
        **settings: Any,
    ) -> None:
        """fallbacks: models that take the place of one that fails, in order, for all that is still to be asked.

        first_words_s: within which a streamed reply has to begin.
        """
        super().__init__(**settings)
        self._fallbacks, self._hear = deque(fallbacks), hear
        self._within_s, self._first_words_s = float(settings.get("timeout") or float("inf")), first_words_s
        self._complete: list[tuple[Call, dict[str, Any], TokenUsage]] = []
        self.saved_tokens = 0  # of replies that were at hand

    def generate(self, messages: list[ChatMessage | dict[str, Any]], *args: Any, **kwargs: Any) -> ChatMessage:
        """Return one completion, by the first model that replies.

        OverBudgetError when no call may be made, StoppedError when nobody wishes the answer any more.
        """
        while self._fallbacks:
            try:
                return self._complete_once(messages, *args, **kwargs)
            except (FootnoteError, DatabaseError):
                raise
            except Exception as error:  # noqa: BLE001 - libraries and servers raise anything
                log_next(self.model_id, error)
                self.model_id = self._fallbacks.popleft()
        return self._complete_once(messages, *args, **kwargs)

    def _complete_once(self, messages: list[ChatMessage | dict[str, Any]], *args: Any, **kwargs: Any) -> ChatMessage:
        """Return one completion of the present model.

        Without a call, where the reply to the same request is at hand.
        """
        check_stopped()
        request = self._write_request(messages, *args, **kwargs)
        call = Call(str(self.model_id), request)
        if known := call.find():
            return self._tell_again(known)
        call.begin()
        with spans.span("model.call", model=self.model_id), bounded(self._within_s) as bound:
            heard = self._hear_reply(call, bound, messages, *args, **kwargs) if self._hear else None
            message = heard or self._ask_whole(call, messages, partial(super().generate, messages, *args, **kwargs))
            used = _count_tokens(call, messages, message)
        if not bound.is_over and _is_complete(message, request.get("max_tokens")):
            self._complete.append((call, _as_dict(message), used))
        return message

    def _ask_whole(self, call: Call, messages: list[Any], ask: Callable[[], ChatMessage]) -> ChatMessage:
        """Return the reply, as it comes whole. One of this process is there at once."""
        if call.is_own:
            return ask()
        return wait_unless_stopped(ask, unheard=partial(_count_tokens, call, messages))

    def keep_replies(self) -> None:
        """Keep the complete replies for the next who asks the same: once they have led to an answer."""
        for call, reply, used in self._complete:
            call.keep(reply, used.input_tokens, used.output_tokens)
        self._complete.clear()

    def _tell_again(self, known: dict[str, Any]) -> ChatMessage:
        """Return a kept reply, and report it at once."""
        self.saved_tokens += sum(known["usage"])
        message = ChatMessage.from_dict(
            {"role": "assistant", "content": known["content"], "tool_calls": [*known["tool_calls"]]},
            token_usage=TokenUsage(input_tokens=0, output_tokens=0),
        )
        if self._hear:
            self._hear(message.content or "", "".join(_write_arguments(one) for one in known["tool_calls"]))
        return message

    def _write_request(
        self, messages: list[Any], stop_sequences: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Return all that is sent, as LiteLLM is given it."""
        request: dict[str, Any] = self._prepare_completion_kwargs(
            messages=messages,
            stop_sequences=stop_sequences,
            model=self.model_id,
            api_base=self.api_base,
            convert_images_to_image_urls=True,
            custom_role_conversions=self.custom_role_conversions,
            **kwargs,
        )
        return request

    def _hear_reply(
        self, call: Call, bound: Bound, messages: list[Any], stop_sequences: list[str] | None = None, **kwargs: Any
    ) -> ChatMessage | None:
        """Return the reply, reported as it grows; None where it has to be requested as a whole."""
        began = time.monotonic()
        bound.first_words_until = began + self._first_words_s
        deltas: list[ChatMessageStreamDelta] = []
        text = arguments = ""
        try:
            for delta in hear_unless_stopped(
                partial(self._stream_deltas, messages, stop_sequences=stop_sequences, **kwargs)
            ):
                if time.monotonic() - began > self._within_s:
                    raise TimeoutError
                deltas.append(delta)
                new = delta.content or ""
                called = "".join(str(call.function.arguments or "") for call in delta.tool_calls or () if call.function)
                text, arguments = text + new, arguments + called
                bound.has_words = bound.has_words or bool(text or arguments)
                if len(text) + len(arguments) > LONGEST_HEARD:
                    logger.warning("reply_cut_off")
                    bound.is_over = True
                    break
                if self._hear and _ENDS & {*new, *called}:
                    self._hear(text, arguments)
        except _BrokenOffError as error:
            logger.warning("stream_broke_off", extra={"error": type(error.__cause__).__name__})
            bound.has_words = True  # it began: the whole reply has the rest of the time
            begun = ChatMessage(role="assistant", content=text + arguments)
            used = _estimate_usage(messages, begun)
            call.count(used.input_tokens, used.output_tokens)
            call.begin()  # the next one is another call
            return None
        except StoppedError:
            _count_tokens(call, messages, ChatMessage(role="assistant", content=text + arguments))
            raise
        bound.has_words = True
        if not (text.strip() or any(delta.tool_calls for delta in deltas)):
            return None
        message = agglomerate_stream_deltas(deltas)
        if stop_sequences and not self.supports_stop_parameter:
            message.content = remove_content_after_stop_sequences(message.content, stop_sequences)
        return message

    def _stream_deltas(self, messages: list[Any], **kwargs: Any) -> Iterator[ChatMessageStreamDelta]:
        """Yield the pieces of a reply. What fails before the first is raised; behind it, _BrokenOffError."""
        has_begun = False
        try:
            for piece in self.generate_stream(messages, **kwargs):
                has_begun = True
                yield piece
        except Exception as error:  # libraries and servers raise anything in the middle of a stream
            if has_begun:
                raise _BrokenOffError from error
            raise


def _count_tokens(call: Call, messages: list[Any], message: ChatMessage) -> TokenUsage:
    """Count the tokens of a call: as the server reports them, or estimated."""
    used = message.token_usage or TokenUsage(input_tokens=0, output_tokens=0)
    if not (used.input_tokens or call.is_own):  # the server does not report it
        used = message.token_usage = _estimate_usage(messages, message)
    call.count(used.input_tokens, used.output_tokens)
    return used


def _is_complete(message: ChatMessage, most_tokens: int | None) -> bool:
    """Return True if a reply ended by itself. A stream gives no reason for its end: its length decides there."""
    if message.raw is not None:
        return message.raw.choices[0].finish_reason in _COMPLETE
    return most_tokens is None or message.token_usage is None or message.token_usage.output_tokens < most_tokens


def _as_dict(message: ChatMessage) -> dict[str, Any]:
    """Return a reply as JSON holds it."""
    calls = [
        {"id": one.id, "type": one.type, "function": {"name": one.function.name, "arguments": one.function.arguments}}
        for one in message.tool_calls or ()
    ]
    return {"content": message.content, "tool_calls": calls}


def _write_arguments(call: dict[str, Any]) -> str:
    arguments = call["function"]["arguments"]
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _estimate_usage(messages: list[Any], message: ChatMessage) -> TokenUsage:
    """Estimate the tokens of a call, where the server does not report them."""
    said = [str(message.content or ""), *(_write_arguments(call) for call in _as_dict(message)["tool_calls"])]
    asked = [str(one.content if isinstance(one, ChatMessage) else one.get("content")) for one in messages]
    return TokenUsage(input_tokens=estimate_tokens(asked), output_tokens=estimate_tokens(said))


def read_written_statements(arguments: str) -> list[Any]:
    """Return the statements that are complete in the first part of the arguments of a call of final_answer."""
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
