"""Turn text into vectors, behind an interface so that the model can be exchanged.

The corpus has one embedding model, which a row of EmbeddingModel names. EMBEDDING_MODEL is what a new corpus begins
with; `manage.py reembed` changes it later, and every process follows with the next text that it embeds.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from django.conf import settings
from django.db import connection

from core.errors import CorpusModelError
from core.library.embedding.local import PACKAGED, PACKAGED_NAME, SentenceTransformerProvider
from core.library.embedding.provider import EmbeddingProvider, check_texts
from core.library.embedding.remote import LiteLLMProvider
from core.models import EmbeddingModel

__all__ = [
    "PACKAGED",
    "PACKAGED_NAME",
    "EmbeddingProvider",
    "LiteLLMProvider",
    "SentenceTransformerProvider",
    "check_texts",
    "claim",
    "load_provider",
    "provider",
    "use",
]

_override: list[EmbeddingProvider] = []

logger = logging.getLogger(__name__)

REMOTE = "litellm:"  # what a setting begins with that names a model of LiteLLM

_HELD = "SELECT name, dimension FROM core_embeddingmodel FOR SHARE"
_COLUMN = """
    SELECT atttypmod FROM pg_attribute WHERE attrelid = 'core_chunk'::regclass AND attname = 'embedding'
"""


def provider() -> EmbeddingProvider:
    """Return the provider of the corpus's model, or the one that `use` put in its place.

    One small query finds out which it is. Its model is loaded at the first use and kept.
    """
    return _override[-1] if _override else of_corpus()


@contextmanager
def use(other: EmbeddingProvider) -> Iterator[None]:
    """Embed with another provider within the block."""
    _override.append(other)
    try:
        yield
    finally:
        _override.pop()


def of_corpus() -> EmbeddingProvider:
    """Return the provider of the corpus's model; before the first ingestion, of the one that the settings name.

    EmbeddingError when the model that is found is not the one that embedded the corpus.
    """
    stored = EmbeddingModel.objects.first()
    if stored is None:
        return load_provider(settings.EMBEDDING_MODEL)
    if stored.setting != settings.EMBEDDING_MODEL:
        _tell_of_difference(stored.name)
    found = load_provider(stored.setting)
    if (found.name, found.dimension) != (stored.name, stored.dimension):
        raise CorpusModelError(
            f"EMBEDDING_MODEL {stored.setting!r} is a model of {found.dimension} dimensions named {found.name!r}, but "
            f"the library was embedded by {stored.name!r} with {stored.dimension}. Put that model back, or run "
            "manage.py reembed."
        )
    return found


def load_provider(setting: str) -> EmbeddingProvider:
    """Return the provider that a value of EMBEDDING_MODEL means. Kept: a model is loaded once per process."""
    return _make_provider(
        setting, settings.EMBEDDING_BATCH_SIZE, settings.EMBEDDING_API_BASE, bfloat16=settings.EMBEDDING_BFLOAT16
    )


def claim(model: EmbeddingProvider) -> None:
    """Make sure, to the end of the transaction, that this model is the corpus's; the first one to ask becomes it.

    It comes before anything else that a transaction does to chunks: a change of models waits for those who have
    claimed, and they for it. CorpusModelError when the corpus's model is another one.
    """
    with connection.cursor() as cursor:
        cursor.execute(_HELD)
        held = cursor.fetchone()
        if held is None:
            cursor.execute(_COLUMN)
            _check_room(model, cursor.fetchone()[0])
            EmbeddingModel.objects.bulk_create(
                [EmbeddingModel(name=model.name, setting=settings.EMBEDDING_MODEL, dimension=model.dimension)],
                ignore_conflicts=True,  # another process may be first; then its model is the one
            )
            cursor.execute(_HELD)
            held = cursor.fetchone()
    if held != (model.name, model.dimension):
        raise CorpusModelError(
            f"The library is embedded by {held[0]!r} with {held[1]} dimensions, not by {model.name!r} with "
            f"{model.dimension}. To change its model, run manage.py reembed."
        )


def _check_room(model: EmbeddingProvider, dimension: int) -> None:
    if model.dimension != dimension:
        raise CorpusModelError(
            f"EMBEDDING_MODEL {model.name!r} has {model.dimension} dimensions, but the library has room for "
            f"{dimension}. Run manage.py reembed once to make room."
        )


@cache
def _make_provider(setting: str, batch_size: int, api_base: str, *, bfloat16: bool) -> EmbeddingProvider:
    if setting.startswith(REMOTE):
        return LiteLLMProvider(setting.removeprefix(REMOTE), batch_size=batch_size, api_base=api_base)
    return SentenceTransformerProvider(setting, batch_size=batch_size, bfloat16=bfloat16)


@cache
def _tell_of_difference(name: str) -> None:
    """Once per process and model."""
    logger.warning("embedding_model_differs_from_setting", extra={"model": name})
