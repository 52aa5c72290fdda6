"""Check a migration's operations: the code of the release before must be able to run with them.

No database is asked. A table that the migration itself makes is free: no old code knows it.
"""

import re
from collections.abc import Iterator

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

REASON = "beside_old_code"  # the attribute of a migration that says why it may be run all the same
# In SQL of our own: what old code may need, or writes by. What makes something new besides is free.
_SQL = re.compile(
    r"\b(?:DROP|RENAME|TRUNCATE|LOCK\s+TABLE|SET\s+NOT\s+NULL|CREATE\s+(?:OR\s+REPLACE\s+)?TRIGGER|CREATE\s+POLICY"
    r"|ALTER\s+POLICY|ROW\s+LEVEL\s+SECURITY|CREATE\s+OR\s+REPLACE|ADD\s+CONSTRAINT|CREATE\s+UNIQUE|TYPE\s+\w+\s+USING)\b",
    re.IGNORECASE,
)
_TAKES_AWAY = (
    migrations.RemoveField,
    migrations.DeleteModel,
    migrations.RenameField,
    migrations.RenameModel,
    migrations.AlterModelTable,
)
_IN_SCHEMA = (migrations.AddField, migrations.AlterField, migrations.AddConstraint, *_TAKES_AWAY)


def check_all() -> Iterator[tuple[str, list[str]]]:
    """Each migration of ours, such as "core.0039_recognised_text", with what is wrong with it.

    Those that a database with tables goes through: what replaces several at once runs where there are none.
    """
    loader = MigrationLoader(None, load=False, ignore_no_migrations=True)
    loader.replace_migrations = False
    loader.build_graph()
    state = ProjectState(real_apps=loader.unmigrated_apps)
    for key in loader.graph._generate_plan(loader.graph.leaf_nodes(), at_end=True):
        migration = loader.disk_migrations[key]
        if migration.replaces:
            continue
        if key[0] in {"core", "bot"}:
            yield ".".join(key), check(migration, state)
        migration.mutate_state(state, preserve=False)


def check(migration: migrations.Migration, state: ProjectState) -> list[str]:
    """Describe the operations that old code cannot live with; nothing where the migration gives a reason.

    state: of the models before the migration. It is left as it is.
    """
    if getattr(migration, REASON, ""):
        return []
    state = state.clone()
    made: set[str] = set()
    wrong: list[str] = []
    operations = list(_flatten(migration.operations))
    for operation in operations:
        if isinstance(operation, migrations.CreateModel):
            made.add(operation.name_lower)
        elif getattr(operation, "model_name_lower", getattr(operation, "name_lower", "")) not in made:
            wrong += _check(operation, state, migration.app_label)
        operation.state_forwards(migration.app_label, state)
    if any(isinstance(each, migrations.RunPython) for each in operations) and any(
        isinstance(each, _IN_SCHEMA) for each in operations
    ):
        wrong.append("rows are filled while the table is locked: fill them in a migration of their own")
    return wrong


def _flatten(operations: list[Operation]) -> Iterator[Operation]:
    for operation in operations:
        if isinstance(operation, migrations.SeparateDatabaseAndState):
            yield from _flatten(operation.database_operations)
        else:
            yield operation


def _check(operation: Operation, state: ProjectState, app: str) -> Iterator[str]:
    said = operation.describe()
    if isinstance(operation, _TAKES_AWAY):
        yield f"{said}: old code still uses it"
    elif isinstance(operation, migrations.AddField):
        if not _fills_itself(operation.field):
            yield f"{said}: old code adds rows without it. Give it db_default, or null"
    elif isinstance(operation, migrations.AlterField):
        before = state.models[app, operation.model_name_lower].fields[operation.name]
        yield from (f"{said}: {why}" for why in _narrow(before, operation.field))
    elif isinstance(operation, migrations.AddConstraint):
        yield f"{said}: old code may write what it forbids"
    elif isinstance(operation, migrations.AddIndex) and not isinstance(operation, AddIndexConcurrently):
        yield f"{said}: nobody writes to the table meanwhile. Use AddIndexConcurrently"
    elif isinstance(operation, migrations.RemoveIndex) and not isinstance(operation, RemoveIndexConcurrently):
        yield f"{said}: the table is locked meanwhile. Use RemoveIndexConcurrently"
    elif isinstance(operation, migrations.RunSQL | migrations.RunPython):
        yield from _check_own(operation)


def _fills_itself(field: models.Field) -> bool:
    return field.null or field.many_to_many or field.has_db_default() or field.generated


def _narrow(before: models.Field, after: models.Field) -> Iterator[str]:
    """In what a column takes less than it did."""
    if before.null and not after.null:
        yield "old code may write nothing there"
    if after.unique and not before.unique:
        yield "old code may write the same twice"
    if before.has_db_default() and not _fills_itself(after):
        yield "old code may leave it to the database"
    old, new = _name_type(before), _name_type(after)
    is_longer = before.get_internal_type() == after.get_internal_type() and (before.max_length or 0) <= (
        after.max_length or 0
    )
    if old != new and not is_longer:
        yield f"its type changes from {old} to {new}"


def _name_type(field: models.Field) -> str:
    """The type of its column; of a reference, to what, which the state of models alone does not resolve."""
    if field.remote_field:
        return f"a reference to {field.remote_field.model}"
    return field.db_type(connection) or ""


def _check_own(operation: migrations.RunSQL | migrations.RunPython) -> Iterator[str]:
    if not operation.reversible:
        yield "it cannot be undone: give it its reverse, or a noop"
    if isinstance(operation, migrations.RunSQL):
        statements = operation.sql if isinstance(operation.sql, str) else " ".join(str(part) for part in operation.sql)
        if found := _SQL.search(statements):
            yield f"SQL with {found[0].upper()}: say what old code and row-level security meet meanwhile"
