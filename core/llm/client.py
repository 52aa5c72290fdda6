"""LiteLLM, set up once: no look-ups on the network, our own providers, and its errors in our words."""

import hashlib
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from itertools import takewhile
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from core.errors import FootnoteError, ModelConfigurationError, ModelUnavailableError
from core.infrastructure.measures.families import model_errors
from core.llm.bounds import bound_replies

logger = logging.getLogger(__name__)

UNKNOWN_PROVIDER = "unknown"
_LEAST_PRICE = Decimal("1e-9")  # US dollars; what is smaller comes from the arithmetic of the list

_LOGGED = ("temperature", "timeout", "num_retries")  # never api_base, in which there may be a password


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelSettings:
    """The model that answers, the LiteLLM arguments it is called with, and what takes its place where it fails."""

    model: str
    provider: str
    arguments: dict[str, Any] = field(default_factory=dict)
    fallbacks: tuple[str, ...] = ()  # models that are called in its place, in order, with the same arguments
    last_resort: str = ""  # a model of this process that answers where all those fail; "": there is none
    first_words_s: float = float("inf")  # within which a reply has to begin

    @property
    def names(self) -> tuple[str, ...]:
        """Return the models that are called, in order, until one replies."""
        return (self.model, *self.fallbacks)

    def for_the_log(self) -> dict[str, Any]:
        """Return the arguments of the call, without any that could be or hold a secret."""
        logged = {name: self.arguments[name] for name in _LOGGED if name in self.arguments}
        others = [*self.fallbacks, *([self.last_resort] if self.last_resort else [])]
        return logged | ({"fallbacks": others} if others else {})


_provided: dict[str, Callable[[], Any]] = {}


def provide(name: str, make: Callable[[], Any]) -> None:
    """Make `name/...` a model of every process that loads LiteLLM. make: gives its litellm.CustomLLM, called then."""
    _provided[name] = make


@cache
def litellm_ready() -> Any:
    """Return the litellm module with the models that were provided. The first call takes about two seconds."""
    import litellm

    if settings.LOCAL_MODEL and settings.LOCAL_MODEL.key:  # what its server asks for; LiteLLM finds it there
        os.environ.setdefault("LLAMAFILE_API_KEY", settings.LOCAL_MODEL.key)
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.drop_params = True  # a parameter that a provider does not know is left out, not an error
    bound_replies(litellm)
    for name, make in _provided.items():
        register(name, make(), litellm)
    return litellm


def register(name: str, handler: Any, litellm: Any) -> None:
    """Make `name/...` a model of this process, answered by a litellm.CustomLLM."""
    others = [entry for entry in litellm.custom_provider_map if entry["provider"] != name]
    litellm.custom_provider_map = [*others, {"provider": name, "custom_handler": handler}]
    litellm.utils.custom_llm_setup()


def model_settings() -> ModelSettings:
    """Return the answer model that the settings name. Keys are read by LiteLLM from the environment.

    Fallbacks end with the first model of this process, which never fails; none is needed where it is the first of all.
    """
    arguments: dict[str, Any] = {
        "temperature": 0,
        "timeout": settings.LLM_TIMEOUT_S,
        "num_retries": settings.LLM_RETRIES,
    }
    if settings.LLM_API_BASE:
        arguments["api_base"] = settings.LLM_API_BASE
    listed = () if is_own_model(settings.LLM_MODEL) else tuple(settings.LLM_FALLBACK_MODELS)
    # A reply has to begin within the time that is set, or twice what was measured of a local model.
    local = settings.LOCAL_MODEL
    measured = (local.seconds_per_answer or 0.0) if local and local.model == settings.LLM_MODEL else 0.0
    first_words_s = float(min(settings.LLM_TIMEOUT_S, max(settings.LLM_FIRST_WORDS_S, 2 * measured)))
    return ModelSettings(
        model=settings.LLM_MODEL,
        provider=provider_of(settings.LLM_MODEL),
        arguments=arguments,
        fallbacks=tuple(takewhile(lambda name: not is_own_model(name), listed)),
        last_resort=next(filter(is_own_model, listed), ""),
        first_words_s=first_words_s,
    )


def identify(model: ModelSettings) -> str:
    """Return a SHA-256 that changes when something else would answer: by name, by server, by the content of its file.

    Of a server's address only the host and the port count: there may be a password in it.
    """
    server = urlsplit(str(model.arguments.get("api_base", "")))
    local = settings.LOCAL_MODEL
    content = local.sha256 if local and local.model == model.model else ""
    parts = (model.model, server.hostname or "", str(server.port or ""), content)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def provider_of(model: str) -> str:
    """Return the provider of a LiteLLM model: "openai" of "openai/gpt-4.1", UNKNOWN_PROVIDER where none is known."""
    litellm = litellm_ready()
    try:
        return str(litellm.get_llm_provider(model)[1])
    except litellm.exceptions.BadRequestError:
        return UNKNOWN_PROVIDER  # the call itself will fail, and say so


def check_key(model: ModelSettings) -> None:
    """Raise ModelConfigurationError, naming the variable, when the model's key is missing and no fallback could reply.

    LiteLLM would report a missing key as a fault of the provider's server, which it would then try again.
    """
    missing = litellm_ready().validate_environment(model.model)["missing_keys"]
    keys = [name for name in missing if name.endswith("_API_KEY")]
    if keys and not model.fallbacks:
        raise ModelConfigurationError(f"LLM_MODEL {model.model!r} needs {' and '.join(keys)} in the environment.")


def translate_error(error: BaseException) -> FootnoteError:
    """Translate a failure of a model call into our words: a fault of the settings, or one that may pass."""
    exceptions = litellm_ready().exceptions
    model_errors.labels(_find_kind(error, exceptions)).inc()
    permanent = (
        exceptions.AuthenticationError,
        exceptions.PermissionDeniedError,
        exceptions.NotFoundError,
        exceptions.BadRequestError,
    )
    if isinstance(error, permanent):
        return ModelConfigurationError()
    return ModelUnavailableError()


def log_next(failed: str, error: BaseException) -> None:
    """Log that a model failed, and that the next one is called in its place."""
    logger.warning("fallback_called", extra={"failed": failed, "error": type(error).__name__})


def _find_kind(error: BaseException, exceptions: Any) -> str:
    """Return one of the kinds of core.infrastructure.measures.families.MODEL_ERRORS; the more special classes first."""
    kinds = (
        ("authentication", (exceptions.AuthenticationError, exceptions.PermissionDeniedError)),
        ("rate_limit", exceptions.RateLimitError),
        ("timeout", (exceptions.Timeout, TimeoutError)),
        ("refused", (exceptions.BadRequestError, exceptions.NotFoundError)),
        ("connection", (exceptions.APIConnectionError, OSError)),
        ("server", (exceptions.InternalServerError, exceptions.ServiceUnavailableError, exceptions.APIError)),
    )
    return next((kind for kind, classes in kinds if isinstance(error, classes)), "other")


def is_own_model(model: str) -> bool:
    """Return True if a model runs in this process and costs nothing."""
    return model.partition("/")[0] in _provided


def price_of(model: str, *, prompt_tokens: int, completion_tokens: int) -> Decimal | None:
    """Return a call's cost in US dollars by LiteLLM's price list; None for models that are not in it."""
    listed = _find_listed(model)
    if listed is None:
        return None
    prompt, completion = litellm_ready().cost_per_token(
        model=listed, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens
    )
    return (Decimal(str(prompt)) + Decimal(str(completion))).quantize(_LEAST_PRICE)


def _find_listed(model: str) -> str | None:
    """Return the name under which a model has a price; the list leaves out some providers, such as "openai/"."""
    prices = litellm_ready().model_cost
    provider, _, name = model.partition("/")
    if model in prices:
        return model
    return name if prices.get(name, {}).get("litellm_provider") == provider else None


def cost_of(model: str, *, prompt_tokens: int, completion_tokens: int) -> float:
    """Return the same as price_of; 0.0 for models without a price."""
    return float(price_of(model, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens) or 0)
