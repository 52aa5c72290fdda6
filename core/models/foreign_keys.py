"""Keep in the database itself what becomes of rows that point at a deleted row.

Django deletes or empties them by itself and leaves the constraints without ON DELETE, so that somebody who deletes by
SQL is refused, or has to know the order of forty tables. After each `migrate` the constraints say what the models say.
"""

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import DEFAULT_DB_ALIAS, connections, models, transaction

_ACTIONS: dict[Any, tuple[str, str]] = {  # as PostgreSQL's catalogue (pg_constraint.confdeltype) and SQL name them
    models.CASCADE: ("c", "CASCADE"),
    models.SET_NULL: ("n", "SET NULL"),
}
_CONSTRAINTS = """
    SELECT con.conname, con.conrelid::regclass::text, att.attname, con.confrelid::regclass::text, target.attname,
           con.confdeltype::text, con.convalidated
      FROM pg_constraint con
      JOIN pg_attribute att ON att.attrelid = con.conrelid AND att.attnum = con.conkey[1]
      JOIN pg_attribute target ON target.attrelid = con.confrelid AND target.attnum = con.confkey[1]
     WHERE con.contype = 'f' AND con.connamespace = current_schema()::regnamespace AND cardinality(con.conkey) = 1
"""


def set_actions(*, using: str = DEFAULT_DB_ALIAS, plan: Any = None, **_: Any) -> None:
    """Give each foreign key the ON DELETE of its model's field. Receives post_migrate; does nothing without migrations.

    Each constraint is replaced in a transaction of its own and checked after it, which locks no reader or writer out
    for longer than the replacement takes.
    """
    if not plan:
        return
    wanted = dict(_list_wanted())
    connection = connections[using]
    with connection.cursor() as cursor:
        cursor.execute(_CONSTRAINTS)
        found = cursor.fetchall()
    for name, table, column, target, key, action, is_checked in found:
        code, words = wanted.get((table, column), (action, ""))
        if code == action and is_checked:
            continue
        quoted_name, quoted_column, quoted_key = map(connection.ops.quote_name, (name, column, key))
        with connection.cursor() as cursor:
            if code != action:
                with transaction.atomic(using=using):
                    cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {quoted_name}")
                    cursor.execute(
                        f"ALTER TABLE {table} ADD CONSTRAINT {quoted_name} FOREIGN KEY ({quoted_column})"
                        f" REFERENCES {target} ({quoted_key}) ON DELETE {words} DEFERRABLE INITIALLY DEFERRED NOT VALID"
                    )
            with transaction.atomic(using=using):
                # The check reads both tables as their owner does, to whom row-level security shows no chunk.
                cursor.execute("SET LOCAL footnote.maintenance = 'on'")
                cursor.execute(f"ALTER TABLE {table} VALIDATE CONSTRAINT {quoted_name}")


def _list_wanted() -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """The action of each foreign key that has one, by table and column. What is protected stays refused."""
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.local_fields:
            if field.remote_field and field.db_constraint and field.remote_field.on_delete in _ACTIONS:  # type: ignore[attr-defined]
                yield (model._meta.db_table, field.column), _ACTIONS[field.remote_field.on_delete]
