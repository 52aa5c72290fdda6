"""Say what is stored outside of checks, so that a test sees what a try has left."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection

from core.models.row_security import bypass_row_security


def take_stock() -> Mapping[str, Any]:
    """Return for each table how many rows there are and a hash of them, and the originals that are stored."""
    found: dict[str, Any] = {}
    with bypass_row_security(), connection.cursor() as cursor:
        for table in sorted({model._meta.db_table for model in apps.get_models()}):
            if table.startswith("core_changecheck"):
                continue
            cursor.execute(f"SELECT count(*), md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM \"{table}\" t")  # noqa: S608
            found[table] = cursor.fetchone()
    originals = Path(settings.STORAGES["originals"]["OPTIONS"]["location"])
    found["originals"] = sorted(str(path) for path in originals.rglob("*") if path.is_file())
    return found
