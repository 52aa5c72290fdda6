"""LiteLLM, set up once: no look-ups on the network, our own provider, and its errors in our words."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from django.conf import settings

from core.errors import FootnoteError, ModelConfigurationError, ModelUnavailableError
from core.nlp.sentence_scoring import Similarity, by_words_alone

UNKNOWN_PROVIDER = "unknown"

_LOGGED = ("temperature", "timeout", "num_retries", "fallbacks")  # never api_base, in which there may be a password


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelSettings:
    """Which model answers, and the LiteLLM arguments it is called with."""

    model: str
    provider: str
    arguments: dict[str, Any] = field(default_factory=dict)

    def for_the_log(self) -> dict[str, Any]:
        """What the model is called with, without what could be or hold a secret."""
        return {name: self.arguments[name] for name in _LOGGED if name in self.arguments}


@cache
def litellm_ready() -> Any:
    """The litellm module with Footnote's own provider registered. The first call takes about two seconds."""
    import litellm

    from core.llm.extractive.provider import PROVIDER, ExtractiveModel

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.drop_params = True  # a parameter that a provider does not know is left out, not an error
    register(PROVIDER, ExtractiveModel(by_words_alone), litellm)
    return litellm


def compare_meanings_by(similarity: Similarity) -> None:
    """Let the extractive model compare sentences with the question by meaning too, in this process."""
    from core.llm.extractive.provider import PROVIDER, ExtractiveModel

    register(PROVIDER, ExtractiveModel(similarity), litellm_ready())


def register(name: str, handler: Any, litellm: Any) -> None:
    """Make `name/...` a model of this process, answered by a litellm.CustomLLM."""
    others = [entry for entry in litellm.custom_provider_map if entry["provider"] != name]
    litellm.custom_provider_map = [*others, {"provider": name, "custom_handler": handler}]
    litellm.utils.custom_llm_setup()


def model_settings() -> ModelSettings:
    """The answer model that the settings name. Keys are read by LiteLLM from the environment."""
    arguments: dict[str, Any] = {
        "temperature": 0,
        "timeout": settings.LLM_TIMEOUT_S,
        "num_retries": settings.LLM_RETRIES,
    }
    if settings.LLM_API_BASE:
        arguments["api_base"] = settings.LLM_API_BASE
    if settings.LLM_FALLBACK_MODELS:
        arguments["fallbacks"] = list(settings.LLM_FALLBACK_MODELS)
    return ModelSettings(model=settings.LLM_MODEL, provider=provider_of(settings.LLM_MODEL), arguments=arguments)


def provider_of(model: str) -> str:
    """The provider of a LiteLLM model: "openai" for "openai/gpt-4.1", UNKNOWN_PROVIDER when LiteLLM knows none."""
    litellm = litellm_ready()
    try:
        return str(litellm.get_llm_provider(model)[1])
    except litellm.exceptions.BadRequestError:
        return UNKNOWN_PROVIDER  # the call itself will fail, and say so


def check_key(model: ModelSettings) -> None:
    """ModelConfigurationError, naming the variable, when the model's key is missing and no fallback could answer.

    LiteLLM would report a missing key as a fault of the provider's server, which it would then try again.
    """
    missing = litellm_ready().validate_environment(model.model)["missing_keys"]
    keys = [name for name in missing if name.endswith("_API_KEY")]
    if keys and "fallbacks" not in model.arguments:
        raise ModelConfigurationError(f"LLM_MODEL {model.model!r} needs {' and '.join(keys)} in the environment.")


def translated(error: BaseException) -> FootnoteError:
    """A failure of a model call in our words: a fault of the settings, or one that may pass."""
    exceptions = litellm_ready().exceptions
    permanent = (
        exceptions.AuthenticationError,
        exceptions.PermissionDeniedError,
        exceptions.NotFoundError,
        exceptions.BadRequestError,
    )
    if isinstance(error, permanent):
        return ModelConfigurationError()
    return ModelUnavailableError()


def cost_of(model: str, *, prompt_tokens: int, completion_tokens: int) -> float:
    """What a call cost in US dollars by LiteLLM's price list; 0.0 for models that are not in it."""
    litellm = litellm_ready()
    if model not in litellm.model_cost:
        return 0.0
    prompt, completion = litellm.cost_per_token(
        model=model, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens
    )
    return float(prompt + completion)
