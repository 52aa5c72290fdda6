"""Many rows for tests of what does not grow with them: copied inside the database, a hundred thousand in seconds."""

from django.db import connection
from django.db.models import Model


def multiply(row: Model, times: int, **columns: str) -> None:
    """Copy a saved row TIMES times. COLUMNS are SQL expressions over the copy's number `n`, beside its new id."""
    table = row._meta.db_table
    given = ", ".join(f"'{name}', {expression}" for name, expression in {"id": "gen_random_uuid()", **columns}.items())
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} SELECT (jsonb_populate_record(kept, jsonb_build_object({given}))).*"  # noqa: S608
            f" FROM {table} AS kept, generate_series(1, {times:d}) AS n WHERE kept.id = %s",
            [row.pk],
        )
        cursor.execute(f"ANALYZE {table}")
