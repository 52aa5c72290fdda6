"""TruLens, imported so that the rest of the process keeps Python's own threads."""

import threading
from concurrent import futures
from functools import cache
from importlib import import_module


@cache
def import_trulens() -> None:
    """To be called before anything of TruLens is imported.

    TruLens puts classes of its own in the place of threading.Thread and ThreadPoolExecutor, for the whole process:
    each new thread, of a pool of connections as well, then looks through the stack and all modules of its maker, up
    to ten milliseconds of deep ones. Python's own are put back. TruLens goes on with its own, by their names.
    """
    thread, pool = threading.Thread, futures.ThreadPoolExecutor
    try:
        import_module("trulens.core.utils.threading")
    finally:
        threading.Thread, futures.ThreadPoolExecutor = thread, pool  # type: ignore[misc]
        futures.thread.ThreadPoolExecutor = pool  # type: ignore[misc]
