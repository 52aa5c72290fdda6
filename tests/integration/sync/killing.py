"""Ends what writes into the database at one of its statements, as a kill between two of them does.

What was written before stands, but for what the transaction that was open would have had to commit.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from django.db import connection

from tests.integration.sync.scripted import KilledError


@contextmanager
def killed_when(is_time: Callable[[str], bool]) -> Iterator[None]:
    """End the block before the first statement for which that holds."""
    is_dead = False

    def execute(run: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        nonlocal is_dead
        if not is_dead and is_time(sql):  # the transactions that were open are rolled back by statements, too
            is_dead = True
            raise KilledError
        return run(sql, params, many, context)

    with suppress(KilledError), connection.execute_wrapper(execute):
        yield


def killed_between(after: str, before: str) -> Any:
    """End the block before the next statement that holds one text once there was one that holds the other."""
    was_there = False

    def is_time(sql: str) -> bool:
        nonlocal was_there
        was_there = was_there or after in sql
        return was_there and before in sql

    return killed_when(is_time)
