"""Mark log lines with the question that they belong to. Pure."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_question: ContextVar[tuple[str, str] | None] = ContextVar("question", default=None)


@contextmanager
def about(request_id: str, trace_id: str) -> Iterator[None]:
    """Mark what the block's thread logs as belonging to this question."""
    token = _question.set((request_id, trace_id))
    try:
        yield
    finally:
        _question.reset(token)


class QuestionIds(logging.Filter):
    """Lets every record through, with the ids of the question that it belongs to, unless it names one itself."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Add the ids. Always true."""
        ids = _question.get()
        if ids and not hasattr(record, "request_id"):
            record.request_id, record.trace_id = ids
        return True
