"""Taking long iterables some at a time."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")


def in_batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items in lists of that size, the last of which may be shorter."""
    iterator = iter(items)
    while some := list(islice(iterator, size)):
        yield some
