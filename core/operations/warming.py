"""Load what answering needs before the first question, so that it waits for nothing."""

import logging

from django.db import DatabaseError

from core.errors import FootnoteError

logger = logging.getLogger(__name__)


def keep_vectors() -> None:
    """Keep a copy of the vectors in this process, which will search many times."""
    from core.library import embedding
    from core.library.retrieval.vector_copy import load_copy

    load_copy(embedding.provider().name)


def warm_up() -> None:
    """Load the models and a copy of the vectors. FootnoteError where a model cannot be loaded."""
    from core.asking.answering import pipeline  # noqa: F401 - loads the agent
    from core.asking.reading.reader import scan, supports
    from core.language.nlp.known_words import load_frequencies
    from core.library import embedding
    from core.library.retrieval.reranking import rerank
    from core.llm.client import litellm_ready

    litellm_ready()
    embedding.provider().embed(["warm up"])
    keep_vectors()
    load_frequencies()
    rerank("warm up", ["warm up"])
    supports("warm up", ["warm up"])
    scan("warm up", [("", "warm up")], least=0.0, budget_s=1.0)


def try_to_warm_up() -> None:
    """Load the same, and log obstacles. Questions meet them too, and report them to their askers."""
    try:
        warm_up()
    except (DatabaseError, FootnoteError) as error:
        logger.warning("not_warmed_up", extra={"error": type(error).__name__})
