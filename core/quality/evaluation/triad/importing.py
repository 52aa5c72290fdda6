"""TruLens, imported so that the rest of the process keeps Python's own threads."""

import threading
from concurrent import futures
from functools import cache
from importlib import import_module

# As they are before TruLens is imported: while one thread imports it, another may find its classes in their place.
_THREAD, _POOL = threading.Thread, futures.ThreadPoolExecutor


@cache
def import_trulens() -> None:
    """To be called before anything of TruLens is imported.

    TruLens puts classes of its own in the place of threading.Thread and ThreadPoolExecutor, for the whole process:
    each new thread, of a pool of connections as well, then looks through the stack and all modules of its maker, which
    took 6 % of the time of the tests. Python's own are put back. TruLens goes on with its own, by their names.
    """
    try:
        import_module("trulens.core.utils.threading")
    finally:
        threading.Thread, futures.ThreadPoolExecutor = _THREAD, _POOL  # type: ignore[misc]
        futures.thread.ThreadPoolExecutor = _POOL  # type: ignore[misc]
