"""Ends what writes into the database at one of its statements, as a kill between two of them does.

What was committed before is kept, and the transaction that was open is rolled back. Where a test holds a transaction
around it all, that is so only for what the code writes in transactions of its own that are savepoints there.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from django.db import connection

from tests.integration.sync.scripted import KilledError

WRITES = ("INSERT", "UPDATE", "DELETE")
_ROLLS_BACK = ("ROLLBACK", "RELEASE")  # to a savepoint, which the server does by itself when a client is gone


@dataclass(slots=True)
class Kill:
    """Becomes true once it happened."""

    is_done: bool = False


@contextmanager
def killed_when(is_time: Callable[[str], bool]) -> Iterator[Kill]:
    """End the block before the first statement for which that holds. What is dead says nothing more to the server."""
    kill = Kill()

    def execute(run: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if kill.is_done and sql.startswith(_ROLLS_BACK):
            return run(sql, params, many, context)
        if kill.is_done or is_time(sql):
            kill.is_done = True
            raise KilledError
        return run(sql, params, many, context)

    with suppress(KilledError), connection.execute_wrapper(execute):
        yield kill


def killed_between(after: str, before: str) -> AbstractContextManager[Kill]:
    """End the block before the next statement that holds one text once there was one that holds the other."""
    was_there = False

    def is_time(sql: str) -> bool:
        nonlocal was_there
        was_there = was_there or after in sql
        return was_there and before in sql

    return killed_when(is_time)


def killed_at_write(number: int) -> AbstractContextManager[Kill]:
    """End the block before the statement of that number, from 1, of those that write. 0: it goes on."""
    count = 0

    def is_time(sql: str) -> bool:
        nonlocal count
        count += sql.startswith(WRITES)
        return count == number and sql.startswith(WRITES)

    return killed_when(is_time)


@contextmanager
def elsewhere() -> Iterator[None]:
    """Let something be done by another process meanwhile, which is not killed."""
    wrappers, connection.execute_wrappers = connection.execute_wrappers, []
    try:
        yield
    finally:
        connection.execute_wrappers = wrappers
