"""Set up Django and a scratch database, as every measurement needs."""

import os

from core.management.scratch import scratch_database

__all__ = ["scratch_database", "set_up"]


def set_up() -> None:
    """Prepare Django for a measurement."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adminsite.settings")
    import django

    django.setup()
