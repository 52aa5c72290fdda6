"""Migrations that make the same changes in a sixth of the processor time, forwards and backwards.

After each operation of a migration Django builds the classes of all models anew that hang together by relations: here
a hundred, hundreds of times, which is most of the time that new tables take. What most operations read of them are
their own model, and the columns of others that it refers to. So `migrate` builds these, once for several operations
that do not depend on each other, and none where only a label changes. The operations, their order, and what each tells
the database stay.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.apps import AppConfig
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import (
    AddConstraint,
    AddField,
    AddIndex,
    AlterField,
    AlterUniqueTogether,
    CreateModel,
    DeleteModel,
    RemoveConstraint,
    RemoveField,
    RemoveIndex,
    RunPython,
    RunSQL,
)
from django.db.migrations.migration import Migration
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState, StateApps
from django.db.migrations.utils import resolve_relation  # type: ignore[attr-defined]  # the stubs lack it
from django.db.models import Model
from django.db.models.signals import pre_migrate

_Key = tuple[str, str]  # the application's label and the model's name, in small letters

# Operations that read their own model and the columns that it refers to alone. A subclass may do anything.
_SIMPLE = (AddField, AddIndex, CreateModel, RemoveField)
# They do too, and they may read a field that another operation of their migration adds or removes.
_LONE = (AddConstraint, AlterUniqueTogether, DeleteModel, RemoveConstraint, RemoveIndex)
# What decides on a table's name, and on whether there is one.
_OF_TABLES = ("db_table", "managed", "proxy", "swappable")


def connect(sender: AppConfig) -> None:
    """Have `migrate` go this way from now on; sender is an application, of which it tells once a run."""
    pre_migrate.connect(_prepare, sender=sender)


def _prepare(*, plan: Sequence[tuple[Migration, bool]], **_signal: object) -> None:
    for migration, is_backwards in plan:
        ways: dict[str, Callable[..., ProjectState]]
        ways = {"mutate_state": _mutate_state, "unapply": _unapply} if is_backwards else {"apply": _apply}
        for name, way in ways.items():
            setattr(migration, name, partial(way, migration))


def _apply(migration: Migration, state: ProjectState, schema_editor: BaseDatabaseSchemaEditor) -> ProjectState:
    """Take the place of `Migration.apply`."""
    return _with_runs(migration).apply(state, schema_editor)


def _unapply(migration: Migration, state: ProjectState, schema_editor: BaseDatabaseSchemaEditor) -> ProjectState:
    """Take the place of `Migration.unapply`."""
    return _with_runs(migration).unapply(state, schema_editor)


def _mutate_state(migration: Migration, state: ProjectState, preserve: bool = True) -> ProjectState:
    """Take the place of `Migration.mutate_state`."""
    changed = _without_classes(state) if preserve else state
    Together(migration.operations).state_forwards(migration.app_label, changed)
    return changed


def _with_runs(migration: Migration) -> Migration:
    """Return the migration with its operations in runs."""
    grouped = Migration(migration.name, migration.app_label)
    grouped.atomic = migration.atomic  # type: ignore[misc]  # Django sets both so
    grouped.operations = [*_runs(migration.operations)]  # type: ignore[misc]
    return grouped


def _runs(operations: Sequence[Any]) -> Iterator[Operation]:
    """Return the operations in their order, each run of those that are known as one."""
    run: list[Any] = []
    for operation in operations:
        if type(operation) in (*_SIMPLE, *_LONE, AlterField):
            run.append(operation)
            continue
        if run:
            yield Together(run)
            run = []
        yield operation if _is_ready(operation) else Together([operation])
    if run:
        yield Together(run)


def _is_ready(operation: Any) -> bool:
    """Return True if it copes by itself with classes that are still to be built, or reads none."""
    return type(operation) is RunPython or (isinstance(operation, RunSQL) and not operation.state_operations)


class Together(Operation):
    """Operations that are done one after another, with classes that are built for several of them."""

    def __init__(self, operations: Sequence[Any]) -> None:
        self._operations = operations
        self.reversible = all(operation.reversible for operation in operations)  # type: ignore[misc]
        if len(operations) == 1:
            self.atomic = operations[0].atomic  # type: ignore[misc]  # as RunPython does

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Change the state, and leave the classes to whoever reads them next, as Django leaves its delayed ones."""
        state.__dict__.pop("apps", None)
        for operation in self._operations:
            operation.state_forwards(app_label, state)
        state.apps = StateApps([], {})
        state.is_delayed = True

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Change the database."""
        for group in _groups(app_label, self._operations, from_state):
            old, new = group.states(app_label)
            for operation in group.operations:
                operation.database_forwards(app_label, schema_editor, old, new)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Change the database back; to_state is the one of before the operations."""
        for group in reversed([*_groups(app_label, self._operations, to_state)]):
            old, new = group.states(app_label)
            for operation in reversed(group.operations):
                operation.database_backwards(app_label, schema_editor, new, old)

    def describe(self) -> str:
        """Return what the operations say of themselves."""
        return "; ".join(operation.describe() for operation in self._operations)


@dataclass(kw_only=True)
class _Group:
    """Operations that change the database, and can do with the same classes of before, and of after them."""

    before: ProjectState
    after: ProjectState
    operations: list[Any] = field(default_factory=list)
    touched: set[tuple[_Key, str]] = field(default_factory=set)  # models and their fields, "" for what is no field
    made: set[_Key] = field(default_factory=set)

    def takes(self, app_label: str, operation: Any) -> bool:
        """Return False for what changes a model made here, or a field for the second time, or is not simple."""
        model, name = _subject(app_label, operation)
        fits = self._are_simple([operation, *self.operations], app_label)
        return fits and model not in self.made and (not name or (model, name) not in self.touched)

    def add(self, app_label: str, operation: Any) -> None:
        """Put it last."""
        model, name = _subject(app_label, operation)
        self.operations.append(operation)
        self.touched.add((model, name))
        if isinstance(operation, CreateModel):
            self.made.add(model)

    def states(self, app_label: str) -> tuple[ProjectState, ProjectState]:
        """Return those of before and after, with no more models than are read."""
        is_lone = type(self.operations[0]) in _LONE  # it is the only one then
        if not is_lone and not self._are_simple(self.operations, app_label):
            return self.before, self.after
        models = {model for model, _name in self.touched}
        return _near(models, self.before), _near(models, self.after)

    def _are_simple(self, operations: Sequence[Any], app_label: str) -> bool:
        """Return True if they read no more than their own models and those that these refer to.

        What alters a column looks for the indexes that it keeps, and would not know those that are added beside it.
        """
        kinds = {type(each) for each in operations}
        if AlterField not in kinds:
            return kinds <= {*_SIMPLE}
        altering = (each for each in operations if type(each) is AlterField)
        return kinds <= {AlterField, RemoveField} and not any(
            self._is_referred_to(app_label, each) for each in altering
        )

    def _is_referred_to(self, app_label: str, altering: Any) -> bool:
        """Return True if others may refer to its column, before or after."""
        model = app_label, altering.model_name_lower
        before = self.before.models[model].get_field(altering.name)
        if before.primary_key or altering.field.primary_key:
            return True
        return any(
            _refers_to(each, key, model, altering.name)
            for state in (self.before, self.after)
            for key, other in state.models.items()
            for each in other.fields.values()
        )


def _groups(app_label: str, operations: Sequence[Any], state: ProjectState) -> Iterator[_Group]:
    """Return groups of those that change the database, in their order."""
    after = _without_classes(state)
    group: _Group | None = None
    for operation in operations:
        if not _changes_labels_only(app_label, operation, after):
            if group is not None and not group.takes(app_label, operation):
                yield group
                group, after = None, _without_classes(after)
            group = group or _Group(before=_without_classes(after), after=after)
            group.add(app_label, operation)
        operation.state_forwards(app_label, after)
    if group is not None:
        yield group


def _subject(app_label: str, operation: Any) -> tuple[_Key, str]:
    """Return the model that it changes, and the field, "" where it is not about one."""
    if isinstance(operation, AddField | AlterField | RemoveField):
        return (app_label, operation.model_name_lower), operation.name_lower
    name = getattr(operation, "model_name", "") or getattr(operation, "name", "")
    return (app_label, name.lower()), ""


def _changes_labels_only(app_label: str, operation: Any, before: ProjectState) -> bool:
    """Return True if it changes what a field is called or which choices it offers, and no column."""
    if type(operation) is not AlterField:
        return False
    old = before.models[app_label, operation.model_name_lower].get_field(operation.name)
    return _column(old) == _column(operation.field)


def _column(described: Any) -> tuple[object, ...]:
    """Return what decides on the field's column, as Django's schema editor compares it."""
    _name, path, arguments, options = described.deconstruct()
    said = {*described.non_db_attrs} - {"db_column"}
    return path, arguments, {name: value for name, value in options.items() if name not in said}


def _without_classes(state: ProjectState) -> ProjectState:
    """Return a copy of a state whose classes are built when they are read."""
    return ProjectState({key: model.clone() for key, model in state.models.items()}, state.real_apps)


def _refers_to(relation: Any, key: _Key, model: _Key, name: str) -> bool:
    """Return True if a field of the model called key refers to this column of the model by its name."""
    return name in getattr(relation, "to_fields", ()) and resolve_relation(relation.remote_field.model, *key) == model


def _near(wanted: set[_Key], state: ProjectState) -> ProjectState:
    """Return the state with these models alone, and the columns of others that they refer to, directly or not."""
    models = {key: state.models[key] for key in wanted if key in state.models}
    columns: dict[_Key, set[str]] = {}
    named = [each for key, model in models.items() for each in _named(key, model)]
    while named:
        key, names = named.pop()
        if key in models or key not in state.models or (key in columns and columns[key] >= names):
            continue
        columns[key] = columns.get(key, {""}) | names
        named += _named(key, _only(state.models[key], columns[key]))
    return ProjectState(
        models | {key: _only(state.models[key], names) for key, names in columns.items()}, state.real_apps
    )


def _only(model: ModelState, names: set[str]) -> ModelState:
    """Return a model with its key and the fields of these names."""
    fields = [(name, field) for name, field in model.fields.items() if field.primary_key or name in names]
    options = {name: value for name, value in model.options.items() if name in _OF_TABLES}
    return ModelState(model.app_label, model.name, fields, options, model.bases)


def _named(key: _Key, model: ModelState) -> Iterator[tuple[_Key, set[str]]]:
    """Yield the models that one refers to, by fields or as what it is built on, with the fields that it names there."""
    for each in model.fields.values():
        relation = each.remote_field
        names = {name for name in getattr(each, "to_fields", ()) if name}
        for other in (getattr(relation, "model", None), getattr(relation, "through", None)):
            if other:
                yield resolve_relation(other, *key), names
    for base in model.bases:
        if isinstance(base, str) or (issubclass(base, Model) and base is not Model):
            yield resolve_relation(base, *key), set()
