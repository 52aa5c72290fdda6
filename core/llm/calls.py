"""Wrap every call of a model: a meter that may stop and counts it, and a store of replies to reuse.

Both are built above this layer, which knows no database: `call_context` names the spender of a block's calls, and
`provide_meter` sets the meter for the others.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any, Protocol

from core.infrastructure.measures.families import count_usage
from core.infrastructure.tracing import spans
from core.llm.client import is_own_model, price_of
from core.types import Usage

# For servers that report no usage. English has about four characters to a token (OpenAI,
# "What are tokens and how to count them").
_CHARACTERS_PER_TOKEN = 4
_SECRETS = ("api_key",)  # arguments that say nothing of the reply


@dataclass(frozen=True, kw_only=True, slots=True)
class Consumed:
    """The consumption of one call, or of a call that a kept reply spared."""

    model: str
    tokens: int
    cost_usd: Decimal | None  # None: LiteLLM's list has no price for the model


class Meter(Protocol):
    """Counts the calls that are made for somebody, and stops them where a budget is used up."""

    def check(self) -> None:
        """Raise OverBudgetError when no further call may be made."""

    def count(self, consumed: Consumed) -> None:
        """A call was made."""

    def count_reused(self, saved: Consumed) -> None:
        """A call was spared."""

    def count_missed(self) -> None:
        """No reply to a call was at hand, which could have been."""


class Replies(Protocol):
    """Replies that were given before to the same audience, from the same library."""

    def find(self, key: str) -> dict[str, Any] | None:
        """Return the reply under a key, if there is one."""

    def keep(self, key: str, reply: dict[str, Any]) -> None:
        """Keep a reply, which was complete."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CallContext:
    """For whom calls are made."""

    meter: Meter
    replies: Replies | None = None  # None: each call is made anew


_current: ContextVar[CallContext | None] = ContextVar("footnote_model_calls", default=None)
_provided: list[Callable[[], Meter]] = []


def provide_meter(make: Callable[[], Meter]) -> None:
    """Count what is called outside of `call_context` with the meter that `make` makes."""
    _provided[:] = [make]


@cache
def _provided_meter(make: Callable[[], Meter]) -> Meter:
    return make()


@contextmanager
def call_context(context: CallContext) -> Iterator[None]:
    """Make the calls of the block in this context."""
    token = _current.set(context)
    try:
        yield
    finally:
        _current.reset(token)


def current_call_context() -> CallContext:
    """Return the context of a call that is made now."""
    return _current.get() or CallContext(meter=_provided_meter(_provided[0]))


class Call:
    """One call of a model: first `find`, then, without a reply, `begin` and the call itself, at its end `count`."""

    def __init__(self, model: str, request: Mapping[str, Any]) -> None:
        """request: everything that is sent, from which the reply follows."""
        self._model, self._context = model, current_call_context()
        self.is_own = is_own_model(model)
        self.is_repeatable = not self.is_own and request.get("temperature") == 0 and self._context.replies is not None
        self._key = fingerprint(request) if self.is_repeatable else ""

    def find(self) -> dict[str, Any] | None:
        """Return the reply that was given to the same request, if it is at hand. It is counted as spared."""
        if not self.is_repeatable or self._context.replies is None:
            return None
        reply = self._context.replies.find(self._key)
        if reply is None:
            self._context.meter.count_missed()
            return None
        prompt, completion = reply["usage"]
        self._context.meter.count_reused(_price_call(self._model, prompt, completion))
        return reply

    def begin(self) -> None:
        """Raise OverBudgetError when the call may not be made. A model of this process costs nothing."""
        if not self.is_own:
            self._context.meter.check()

    def count(self, prompt_tokens: int, completion_tokens: int) -> None:
        """The call was made and consumed so much. Within the span of the call."""
        consumed = _price_call(self._model, prompt_tokens, completion_tokens)
        count_usage(
            self._model,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            cost=float(consumed.cost_usd or 0),
        )
        spans.note(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
        if not self.is_own:
            self._context.meter.count(consumed)

    def keep(self, reply: dict[str, Any], prompt_tokens: int, completion_tokens: int) -> None:
        """Keep a reply that is complete, as what can be written as JSON."""
        if self.is_repeatable and self._context.replies is not None:
            self._context.replies.keep(self._key, {**reply, "usage": [prompt_tokens, completion_tokens]})


def spared(reply: Mapping[str, Any]) -> Usage:
    """Return the usage of a reply that was at hand: nothing, and so many tokens spared."""
    return Usage(saved_tokens=sum(reply["usage"]))


def fingerprint(request: Mapping[str, Any]) -> str:
    """Return the SHA-256 of what is sent, in one form."""
    sent = {name: value for name, value in request.items() if name not in _SECRETS}
    canonical = json.dumps(sent, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()


def read_usage(response: Any) -> tuple[int, int] | None:
    """Return the tokens sent and written that the server reports in LiteLLM's response; None where it reports none.

    LiteLLM fills missing values with zeros.
    """
    used = getattr(response, "usage", None)
    return (used.prompt_tokens, used.completion_tokens) if used is not None and used.total_tokens else None


def estimate_tokens(texts: Sequence[str]) -> int:
    """Estimate the tokens of texts, where a server does not report them."""
    return sum(len(text) for text in texts) // _CHARACTERS_PER_TOKEN


def _price_call(model: str, prompt_tokens: int, completion_tokens: int) -> Consumed:
    price = price_of(model, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
    return Consumed(model=model, tokens=prompt_tokens + completion_tokens, cost_usd=price)
