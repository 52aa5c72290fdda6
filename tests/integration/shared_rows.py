"""Rows that the tests of a module begin with, written once: each test's own changes are undone after it."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from pytest_django import DjangoDbBlocker


@contextmanager
def shared_rows(blocker: DjangoDbBlocker) -> Iterator[None]:
    """Open a transaction around a module's tests, for a fixture of the module.

    What is written in the block, within `blocker.unblock()`, is there for the tests, which run in savepoints of the
    same transaction: they must not commit, and SQL's now() is the same in all of them. It is gone after the block.
    """
    around = transaction.atomic()
    with blocker.unblock():
        around.__enter__()
    try:
        yield
    finally:
        with blocker.unblock():
            transaction.set_rollback(True)
            around.__exit__(None, None, None)
