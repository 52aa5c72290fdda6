"""An event loop for what needs one only to be made."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Made = TypeVar("Made")


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
