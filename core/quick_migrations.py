"""Migrations that make the same changes in a third of the time.

After each operation of a migration Django builds the classes of all models anew that hang together by relations: here
a hundred, hundreds of times, which is most of the time that new tables take. What most operations read of them are
their own model and those that it refers to. So `migrate` builds these, once for several operations that do not depend
on each other, and none where only a label changes. The operations, their order, and what each tells the database stay.
"""

from collections.abc import Iterator, Sequence
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
    CreateModel,
    RemoveField,
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

# Operations that read their own model and those that it refers to alone. A subclass may do anything.
_SIMPLE = (AddConstraint, AddField, AddIndex, CreateModel, RemoveField)


def connect(sender: AppConfig) -> None:
    """Have `migrate` go this way from now on; sender is an application, of which it tells once a run."""
    pre_migrate.connect(_prepare, sender=sender)


def _prepare(*, plan: Sequence[tuple[Migration, bool]], **_signal: object) -> None:
    for migration, is_backwards in plan:
        if not is_backwards:
            setattr(migration, "apply", partial(_apply, migration))  # noqa: B010 - mypy knows it as a method


def _apply(migration: Migration, state: ProjectState, schema_editor: BaseDatabaseSchemaEditor) -> ProjectState:
    """Take the place of `Migration.apply`."""
    grouped = Migration(migration.name, migration.app_label)
    grouped.atomic = migration.atomic  # type: ignore[misc]  # Django sets both so
    grouped.operations = [*_runs(migration.operations)]  # type: ignore[misc]
    return grouped.apply(state, schema_editor)


def _runs(operations: Sequence[Any]) -> Iterator[Operation]:
    """Return the operations in their order, each run of those that are known as one."""
    run: list[Any] = []
    for operation in operations:
        if type(operation) in (*_SIMPLE, AlterField):
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
        if not self._are_simple(self.operations, app_label):
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
        before = self.before.models[app_label, altering.model_name_lower].get_field(altering.name)
        return any(each.primary_key or each.unique for each in (before, altering.field))


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


def _near(wanted: set[_Key], state: ProjectState) -> ProjectState:
    """Return the state with these models alone, and those that they refer to, directly or not."""
    found: set[_Key] = set()
    while wanted:
        models = {key: state.models[key] for key in wanted if key in state.models}
        found |= models.keys()
        wanted = {other for key, model in models.items() for other in _named(key, model)} - found
    return ProjectState({key: model for key, model in state.models.items() if key in found}, state.real_apps)


def _named(key: _Key, model: ModelState) -> set[_Key]:
    """Return the models that one refers to, by fields or as what it is built on."""
    relations = [each.remote_field for each in model.fields.values() if each.remote_field]
    others = [getattr(relation, name, None) for relation in relations for name in ("model", "through")]
    others += [base for base in model.bases if isinstance(base, str) or issubclass(base, Model)]
    return {resolve_relation(other, *key) for other in others if other and other is not Model}
