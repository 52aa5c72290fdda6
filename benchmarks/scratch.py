"""A database for one measurement: made, used, and removed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


def set_up() -> None:
    """Prepare Django for a measurement."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adminsite.settings")
    import django

    django.setup()


@contextmanager
def scratch_database() -> Iterator[None]:
    """Within the block, the product's tables are empty ones of its own, on the configured server."""
    from django.db import connection

    live = connection.settings_dict["NAME"]
    connection.settings_dict["TEST"]["NAME"] = f"{live}_benchmark"
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(live, verbosity=0)
