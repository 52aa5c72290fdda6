"""One plain completion of the answer model, without tools."""

from core.llm.client import ModelSettings, check_key, cost_of, litellm_ready, translate_error
from core.measures.families import count_usage
from core.tracing import spans
from core.types import Usage


def complete(prompt: str, *, model: ModelSettings, max_tokens: int) -> tuple[str, Usage]:
    """What the model writes to a prompt, at most so many tokens, and what that consumed.

    ModelConfigurationError or ModelUnavailableError when it cannot be called.
    """
    check_key(model)
    litellm = litellm_ready()
    messages = [{"role": "user", "content": prompt}]
    try:
        with spans.span("model.call", model=model.model):
            response = litellm.completion(
                model=model.model, messages=messages, max_tokens=max_tokens, **model.arguments
            )
            text, used = response.choices[0].message.content or "", response.usage
            spans.note(prompt_tokens=used.prompt_tokens, completion_tokens=used.completion_tokens)
    # IndexError and AttributeError: a reply without choices or usage.
    except (*litellm.exceptions.LITELLM_EXCEPTION_TYPES, ValueError, IndexError, AttributeError) as error:
        raise translate_error(error) from error
    usage = Usage(
        prompt_tokens=used.prompt_tokens,
        completion_tokens=used.completion_tokens,
        cost_usd=cost_of(model.model, prompt_tokens=used.prompt_tokens, completion_tokens=used.completion_tokens),
    )
    count_usage(
        model.model,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cost=usage.cost_usd,
    )
    return text, usage


def add_usage(usage: Usage, other: Usage) -> Usage:
    """What two calls consumed together."""
    return Usage(
        prompt_tokens=usage.prompt_tokens + other.prompt_tokens,
        completion_tokens=usage.completion_tokens + other.completion_tokens,
        cost_usd=usage.cost_usd + other.cost_usd,
    )
