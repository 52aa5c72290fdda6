"""Embedding by LiteLLM, and its failures in our words."""

from collections.abc import Sequence

from django.conf import settings

from core.errors import EmbeddingError, EmbeddingUnavailableError
from core.llm.calls import Call, estimate_tokens
from core.llm.client import litellm_ready, translate_error

_CHECK = "Check the setting EMBEDDING_MODEL"


def embed(model: str, texts: Sequence[str], *, api_base: str = "") -> list[list[float]]:
    """Embed texts in one call: a vector per text, in their order, as long as the provider makes it.

    model: in LiteLLM's form, "provider/model". Its keys are read by LiteLLM from the environment.
    api_base: the address of the model's server, where it is not the provider's own.
    EmbeddingError for wrong settings, EmbeddingUnavailableError for what may pass, OverBudgetError when the model may
    not be called this month.
    """
    litellm = litellm_ready()
    _check_key(model)
    call = Call(model, {})
    call.begin()
    arguments = {"api_base": api_base} if api_base else {}
    try:
        response = litellm.embedding(
            model=model,
            input=list(texts),
            encoding_format="float",
            timeout=settings.LLM_TIMEOUT_S,
            max_retries=settings.LLM_RETRIES,
            **arguments,
        )
    except (*litellm.exceptions.LITELLM_EXCEPTION_TYPES, ValueError) as error:
        if translate_error(error).retry:
            raise EmbeddingUnavailableError from error
        raise EmbeddingError(f"The embedding model {model!r} refused the call. {_CHECK} and the key.") from error
    used = getattr(response, "usage", None)
    call.count(used.prompt_tokens if used else estimate_tokens(texts), 0)
    rows = sorted(response.data, key=lambda row: int(row["index"]))
    vectors = [list(row["embedding"]) for row in rows]
    if len(vectors) != len(texts):
        raise EmbeddingError(
            f"The embedding model {model!r} gave {len(vectors)} vectors for {len(texts)} texts. {_CHECK}."
        )
    return vectors


def _check_key(model: str) -> None:
    missing = litellm_ready().validate_environment(model)["missing_keys"]
    keys = [name for name in missing if name.endswith("_API_KEY")]
    if keys:
        raise EmbeddingError(f"EMBEDDING_MODEL {model!r} needs {' and '.join(keys)} in the environment.")
