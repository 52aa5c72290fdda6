"""Changing the corpus's embedding model while questions are answered and documents come in."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from django.db import IntegrityError, OperationalError, ProgrammingError, transaction
from django.utils import timezone
from psycopg.errors import InsufficientPrivilege

from core.asking.verified_answers.matching import embed_again
from core.errors import EmbeddingError
from core.library import embedding
from core.library.embedding import EmbeddingProvider
from core.library.ingestion import staging
from core.library.ingestion.chunking import MOST_TOKENS, embedded_text, heading_line
from core.library.retrieval.vector_index import build_memory
from core.models import Chunk, EmbeddingModel
from core.models.row_security import bypass_row_security

# A vector is stored in its row, which is at most a page of 8 kB; pgvector's HNSW index takes up to 2,000 dimensions.
MOST_DIMENSIONS = 1900
_TRIES = 20  # to get hold of the table; each waits for a second at most
_PAUSE_S = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """The result of changing the embedding model."""

    model: str
    dimension: int
    chunks: int  # in the corpus afterwards
    embedded: int  # by this run; the others had been by one that was broken off
    unchanged: bool = False  # the corpus had this model already
    cuts: bool = False  # the model reads less of a text than the longest chunks have
    swap_seconds: float = 0.0  # in which ingestion had to wait


def reembed(setting: str, *, batch: int, started: Callable[[int], Callable[[int], None]]) -> Change:
    """Embed the corpus by another model and change over to it, all at once.

    setting: a value of EMBEDDING_MODEL.
    batch: chunks that are embedded and stored at a time.
    started: called with how many chunks there are to embed; returns what is called with how many more are done.

    EmbeddingError when the model cannot be used, and nothing is changed then. A run that was broken off is taken up
    again by the next one for the same model, and given up by one for another.
    """
    model = embedding.load_provider(setting)
    if model.dimension > MOST_DIMENSIONS:
        raise EmbeddingError(
            f"The embedding model {model.name!r} has {model.dimension} dimensions; the library takes up to "
            f"{MOST_DIMENSIONS:,}."
        )
    try:
        with staging.alone() as is_alone:
            if not is_alone:
                raise EmbeddingError("Another reembed is running. Wait until it has finished.")
            change = (
                _keep_model(model, setting) if _is_current(model) else _change_model(model, setting, batch, started)
            )
            embed_again(model)
            return change
    except ProgrammingError as error:
        if not isinstance(error.__cause__, InsufficientPrivilege):
            raise
        raise EmbeddingError(
            "The database does not allow changes to the table of chunks. Run reembed as the database user "
            "that runs migrate."
        ) from error


def _is_current(model: EmbeddingProvider) -> bool:
    current = EmbeddingModel.objects.first()
    if current is None or (current.name, current.dimension) != (model.name, model.dimension):
        return False
    with bypass_row_security():
        return not Chunk.objects.exclude(embedding_model=model.name).exists()


def _keep_model(model: EmbeddingProvider, setting: str) -> Change:
    """Nothing to do but to forget a change that was begun, and to remember under which setting the model is known."""
    if staging.target() is not None:
        staging.discard()
    EmbeddingModel.objects.update(setting=setting)
    return Change(model=model.name, dimension=model.dimension, chunks=_count_chunks(), embedded=0, unchanged=True)


def _change_model(
    model: EmbeddingProvider, setting: str, batch: int, started: Callable[[int], Callable[[int], None]]
) -> Change:
    begun_for = staging.target()
    if begun_for not in (None, model.name):
        staging.discard()
    if begun_for != model.name:
        staging.begin(model.name, model.dimension)
    embedded = _embed_missing(model, batch, started(staging.count_unstaged()))
    with build_memory(_count_chunks(), model.dimension):
        staging.build_indexes()
    for remaining in reversed(range(_TRIES)):
        embedded += _embed_missing(model, batch, lambda _: None)
        try:
            late, seconds = _swap_models(model, setting, batch)
            break
        except (OperationalError, IntegrityError) as error:
            if not remaining:
                raise EmbeddingError(
                    "The table of chunks is in constant use. Nothing has been changed yet. Run reembed again, and it "
                    "continues from here."
                ) from error
            time.sleep(_PAUSE_S)
    staging.analyze()
    return Change(
        model=model.name,
        dimension=model.dimension,
        chunks=_count_chunks(),
        embedded=embedded + late,
        cuts=model.max_tokens < MOST_TOKENS,
        swap_seconds=seconds,
    )


def _embed_missing(model: EmbeddingProvider, batch: int, done: Callable[[int], None]) -> int:
    """Embed the chunks that have no vector of the model yet, those included that come in meanwhile."""
    total = saved = 0
    after = None
    while True:
        chunks = staging.list_unstaged(after, batch)
        if not chunks:
            if after is None:
                return total
            if not saved:
                raise EmbeddingError("The database does not store vectors of the new model. Nothing was changed.")
            after, saved = None, 0  # once more from the start: new chunks have ids anywhere
            continue
        texts = [
            embedded_text(heading_line(chunk.title, chunk.chapter, chunk.section, model.tokenizer), chunk.content)
            for chunk in chunks
        ]
        stored = staging.save([chunk.id for chunk in chunks], model.embed(texts))
        after, saved, total = chunks[-1].id, saved + stored, total + stored
        done(len(chunks))


def _swap_models(model: EmbeddingProvider, setting: str, batch: int) -> tuple[int, float]:
    """Change over, in one transaction. Returns how many late chunks were embedded, and the seconds it took."""
    started = time.perf_counter()
    with transaction.atomic():
        staging.lock_writers()
        late = _embed_missing(model, batch, lambda _: None)
        staging.swap(model.name)
        fields = {"name": model.name, "setting": setting, "dimension": model.dimension, "since": timezone.now()}
        EmbeddingModel.objects.update_or_create(pk=1, defaults=fields)
    return late, time.perf_counter() - started


def _count_chunks() -> int:
    with bypass_row_security():
        return Chunk.objects.count()
