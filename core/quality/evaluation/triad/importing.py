"""Import TruLens and make its parts so that other code keeps the threads of Python, and no event loop is left open."""

import asyncio
import threading
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from typing import TypeVar

# As they are before TruLens is imported: while one thread imports it, another may find its classes in their place.
_THREAD, _POOL = threading.Thread, futures.ThreadPoolExecutor

Made = TypeVar("Made")


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


def make_with_event_loop(make: Callable[[], Made]) -> Made:
    """Call `make` in a thread that has an event loop, and close the loop afterwards.

    TruLens's endpoints open one in the thread that makes them, never run it, and leave its sockets open.
    """
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(_call_in_loop, make).result()


def _call_in_loop(make: Callable[[], Made]) -> Made:
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        return make()
    finally:
        asyncio.set_event_loop(None)
        loop.close()
