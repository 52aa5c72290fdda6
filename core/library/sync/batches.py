"""Taking long iterables some at a time."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def in_batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield the items in lists of that size, the last of which may be shorter.

    Where the iterable breaks off with an error, what came before is yielded first.
    """
    some: list[Item] = []
    try:
        for item in items:
            some.append(item)
            if len(some) == size:
                yield some
                some = []
    except Exception:
        if some:
            yield some
        raise
    if some:
        yield some
