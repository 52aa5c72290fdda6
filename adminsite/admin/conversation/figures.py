"""List what the log keeps of a question, for the folded part of its section: ids, figures and settings, no text."""

from collections.abc import Iterator
from typing import Any

from adminsite.admin.facts import in_words
from adminsite.figures import time_in_words
from core.models import QueryLog

# What the section does not show by itself, each by a name for people.
_NAMES = {
    "estimate": "Estimate before anything was written",
    "mean_similarity": "Mean similarity of the passages",
    "has_sufficient_context": "Enough was found",
    "retrieval_strategy": "Search",
    "retrieval_is_short": "Fewer passages than wanted, a fault",
    "citation_count": "Citations",
    "dropped_statements": "Statements dropped",
    "agent_steps": "Steps",
    "model_provider": "Provider of the model",
    "model": "Model",
    "model_settings": "Settings of the model",
    "prompt_hash": "Checksum of the instructions to the model",
    "embedding_model": "Model that compared meanings",
    "trace_id": "Trace",
    "chunk_ids": "Passages",
    "timings_ms": "Milliseconds by step",
}


def list_figures(log: QueryLog) -> Iterator[tuple[str, Any]]:
    """Yield the figures of a question, each with its name."""
    yield "Time", time_in_words(log.response_time_ms)
    for field, name in _NAMES.items():
        yield name, in_words(getattr(log, field))
