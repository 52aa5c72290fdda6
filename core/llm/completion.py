"""One plain completion of the answer model, without tools."""

from typing import Any

from core.errors import ModelConfigurationError, ModelUnavailableError, OverBudgetError
from core.infrastructure.tracing import spans
from core.llm.bounds import bounded
from core.llm.calls import Call, estimate_tokens, read_usage, spared
from core.llm.client import ModelSettings, check_key, cost_of, litellm_ready, log_next, translate_error
from core.llm.stopping import check_stopped, wait_unless_stopped
from core.types import Usage

_LONGEST = 20_000  # characters of a completion


def complete(prompt: str, *, model: ModelSettings, max_tokens: int) -> tuple[str, Usage]:
    """Return the completion of a prompt by the model or its first fallback that replies, at most so many tokens.

    The usage is that of the model that replied.

    ModelConfigurationError or ModelUnavailableError when the model cannot be called, OverBudgetError when it may not,
    StoppedError when the asker has stopped the question.
    """
    check_key(model)
    *others, last = model.names
    for name in others:
        try:
            return _complete_with_model(prompt, model=name, settings=model, max_tokens=max_tokens)
        except OverBudgetError:
            raise
        except (ModelUnavailableError, ModelConfigurationError) as error:
            log_next(name, error)
    return _complete_with_model(prompt, model=last, settings=model, max_tokens=max_tokens)


def _complete_with_model(prompt: str, *, model: str, settings: ModelSettings, max_tokens: int) -> tuple[str, Usage]:
    """Return the completion by one model, with its usage."""
    messages = [{"role": "user", "content": prompt}]
    request = {"model": model, "messages": messages, "max_tokens": max_tokens, **settings.arguments}
    call = Call(model, request)
    if known := call.find():
        return str(known["text"]), spared(known)
    check_stopped()
    call.begin()
    litellm = litellm_ready()
    # A completion is short: it has as long again as its first word may take.
    within_s = min(float(settings.arguments.get("timeout") or float("inf")), 2 * settings.first_words_s)

    def count_unheard(reply: Any) -> None:
        call.count(*(read_usage(reply) or (estimate_tokens([prompt]), 0)))

    try:
        with spans.span("model.call", model=model), bounded(within_s):
            response = wait_unless_stopped(lambda: litellm.completion(**request), unheard=count_unheard)
            choice = response.choices[0]
            text = (choice.message.content or "")[:_LONGEST]
            sent, written = read_usage(response) or (estimate_tokens([prompt]), estimate_tokens([text]))
            call.count(sent, written)
    # IndexError and AttributeError: a reply without choices.
    except (*litellm.exceptions.LITELLM_EXCEPTION_TYPES, ValueError, IndexError, AttributeError) as error:
        raise translate_error(error) from error
    if text and choice.finish_reason == "stop":
        call.keep({"text": text}, sent, written)
    cost = cost_of(model, prompt_tokens=sent, completion_tokens=written)
    return text, Usage(prompt_tokens=sent, completion_tokens=written, cost_usd=cost)


def add_usage(usage: Usage, other: Usage) -> Usage:
    """Add the usage of two calls."""
    return Usage(
        prompt_tokens=usage.prompt_tokens + other.prompt_tokens,
        completion_tokens=usage.completion_tokens + other.completion_tokens,
        cost_usd=usage.cost_usd + other.cost_usd,
        saved_tokens=usage.saved_tokens + other.saved_tokens,
    )
