"""Migrations tell the database the same as Django's own way does, and build far fewer classes for it."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection, models, transaction
from django.db.migrations import (
    AddConstraint,
    AddField,
    AddIndex,
    AlterField,
    AlterModelOptions,
    AlterUniqueTogether,
    CreateModel,
    DeleteModel,
    Migration,
    RemoveConstraint,
    RemoveField,
    RemoveIndex,
    RenameField,
    RenameModel,
    RunPython,
    RunSQL,
    SeparateDatabaseAndState,
)
from django.db.migrations.state import ModelState, ProjectState
from django.db.models.signals import pre_migrate
from django.test.utils import CaptureQueriesContext

from core.infrastructure.quick_migrations import Together
from core.operations.installation import describe_installation
from tests.integration.databases import other_database

pytestmark = pytest.mark.django_db
TEXT = partial(models.CharField, max_length=40)


def _key() -> tuple[str, "models.Field[Any, Any]"]:
    return "id", models.BigAutoField(primary_key=True)


def _shelves() -> list[Any]:
    """The first tables: one that is referred to by a name of its own, one that refers, one between."""
    return [
        CreateModel("Shelf", [_key(), ("name", TEXT(unique=True))]),
        CreateModel("Book", [_key(), ("shelf", models.ForeignKey("tried.Shelf", models.CASCADE, to_field="name"))]),
        CreateModel("Lamp", [("shelf", models.OneToOneField("tried.Shelf", models.CASCADE, primary_key=True))]),
        CreateModel("Label", [_key(), ("books", models.ManyToManyField("tried.Book"))]),
    ]


def _shown(apps: Any, _editor: object) -> None:
    """Read and write with the classes as the operations before left them."""
    shelf = apps.get_model("tried", "Shelf").objects.create(name="first")
    book = apps.get_model("tried", "Book").objects.create(shelf=shelf, title="old", pages=3)
    apps.get_model("tried", "Label").objects.create().books.add(book)


BOOKS: list[Any] = [
    AddField("Book", "title", TEXT(default="none"), preserve_default=False),
    AlterField("Book", "title", TEXT(verbose_name="what it is called")),
    AddIndex("Book", models.Index(fields=["title"], name="tried_title")),
    AddField("Book", "pages", models.IntegerField(default=1, db_default=1)),
    AddConstraint("Book", models.CheckConstraint(condition=models.Q(pages__gt=0), name="tried_pages")),
    RunPython(_shown, RunPython.noop),
]
CASES: dict[str, list[Any]] = {
    "new tables": _shelves(),
    "a table that is changed after it was made": [
        *_shelves(),
        AddField("Book", "title", TEXT(null=True)),
        AddIndex("Book", models.Index(fields=["title"], name="tried_title")),
        CreateModel("Page", [_key(), ("book", models.ForeignKey("tried.Book", models.CASCADE, related_name="leaves"))]),
        AlterModelOptions("Page", {"verbose_name": "leaf"}),
    ],
    "columns, indexes, constraints and rows": [*_shelves(), *BOOKS],
    "a column that others refer to": [
        *_shelves(),
        *BOOKS,
        AlterField("Shelf", "name", models.CharField(max_length=90, unique=True)),
        AlterField("Shelf", "id", models.AutoField(primary_key=True)),
        AlterField("Lamp", "shelf", models.OneToOneField("tried.Book", models.CASCADE, primary_key=True)),
    ],
    "a column that others may refer to from now on": [
        *_shelves(),
        *BOOKS,
        AlterField("Book", "title", TEXT(unique=True, null=True)),
        CreateModel("Copy", [_key(), ("of", models.ForeignKey("tried.Book", models.CASCADE, to_field="title"))]),
        AlterField("Book", "title", TEXT(unique=True, null=True, db_column="heading")),
    ],
    "an index that stays where its column changes": [
        *_shelves(),
        AddField("Book", "title", TEXT(default="", db_index=True)),
        AddConstraint("Book", models.UniqueConstraint(fields=["title"], name="tried_once")),
        AlterField("Book", "title", TEXT(default="", unique=True)),
        AlterField("Book", "title", models.TextField(default="")),
        RemoveConstraint("Book", "tried_once"),
        AlterField("Book", "title", models.TextField(default="", null=True)),
    ],
    "columns that change while others go": [
        *_shelves(),
        *BOOKS,
        RemoveConstraint("Book", "tried_pages"),
        AddField("Book", "place", TEXT(default="", db_index=True)),
        AlterField("Book", "place", models.TextField(null=True, db_index=True)),
        RemoveField("Book", "pages"),
        AlterField("Book", "title", models.TextField(null=True)),
        AlterField("Book", "shelf", models.ForeignKey("tried.Shelf", models.CASCADE, to_field="name", null=True)),
        RemoveField("Label", "books"),
        AlterField("Book", "title", TEXT(null=True)),
        RemoveField("Book", "shelf"),
        AlterField("Shelf", "name", models.TextField(unique=True)),
        RemoveField("Shelf", "name"),
    ],
    "columns that go, and come again": [
        *_shelves(),
        *BOOKS,
        RemoveConstraint("Book", "tried_pages"),
        RemoveIndex("Book", "tried_title"),
        RemoveField("Book", "title"),
        RemoveField("Book", "pages"),
        AddField("Book", "pages", TEXT(null=True)),
        RemoveField("Label", "books"),
        AddField("Label", "books", models.ManyToManyField("tried.Shelf", related_name="labels")),
        DeleteModel("Lamp"),
    ],
    "new names, and what is known by nobody": [
        *_shelves(),
        *BOOKS,
        RenameField("Book", "pages", "leaves"),
        AlterField("Book", "leaves", models.BigIntegerField(default=1, db_default=1)),
        RenameModel("Book", "Volume"),
        AlterUniqueTogether("Volume", {("title", "leaves")}),
        AddField("Label", "main", models.ForeignKey("tried.Volume", models.SET_NULL, null=True)),
        SeparateDatabaseAndState(state_operations=[AddField("Label", "text", TEXT(null=True))]),
        RunSQL("ALTER TABLE tried_label ADD COLUMN text varchar(40)", RunSQL.noop),
        AlterField("Label", "text", TEXT(default="")),
        RunPython(lambda apps, _editor: apps.get_model("tried", "Label").objects.update(text="x")),
    ],
}

# Django's own way back fails where an index stayed: it makes it a second time.
STAYS = "an index that stays where its column changes"
UNDONE = {name: operations for name, operations in CASES.items() if name != STAYS}


@pytest.mark.parametrize("operations", CASES.values(), ids=CASES.keys())
def test_the_database_is_told_the_same(operations: list[Any]) -> None:
    """Statement by statement, and the state afterwards is the same."""
    plain, plain_state = _told(operations, quick=False)
    quick, quick_state = _told(operations, quick=True)
    assert quick == plain
    assert len(plain) > 3
    assert quick_state == plain_state
    quick_state.clear_delayed_apps_cache()
    shown = {model._meta.label_lower: model._meta.get_fields() for model in quick_state.apps.get_models()}
    assert {name.split(".")[1] for name in shown} >= {"shelf", "label"}
    assert any(field.auto_created and field.is_relation for field in shown["tried.shelf"])


@pytest.mark.parametrize("operations", UNDONE.values(), ids=UNDONE.keys())
def test_the_way_back_tells_the_database_the_same(operations: list[Any]) -> None:
    """Statement by statement, after the same way there."""
    reversible = [each for each in operations if each.reversible]
    plain, _ = _told(reversible, quick=False, goes_back=True)
    quick, _ = _told(reversible, quick=True, goes_back=True)
    assert quick == plain
    assert len(plain) > 6


def test_a_label_tells_the_database_nothing() -> None:
    """A hundred new labels, and choices, cost no statement."""
    names = [AlterField("Shelf", "name", TEXT(unique=True, verbose_name=f"name {n}")) for n in range(100)]
    assert _told([*_shelves(), *names], quick=True)[0] == _told(_shelves(), quick=False)[0]


def test_far_fewer_classes_are_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth, where many tables hang together."""
    built: list[str] = []
    render: Callable[..., Any] = ModelState.render

    def count(self: ModelState, apps: Any) -> Any:
        built.append(self.name)
        return render(self, apps)

    monkeypatch.setattr(ModelState, "render", count)
    star = [
        CreateModel(f"Ray{n}", [_key(), ("of", models.ForeignKey("tried.Shelf", models.CASCADE))]) for n in range(30)
    ]
    operations = [*_shelves(), *star, *(AddField(f"Ray{n}", "text", TEXT(null=True)) for n in range(30))]
    _told(operations, quick=True)
    few = len(built)
    _told(operations, quick=False)
    assert few * 5 < len(built) - few


def test_migrate_goes_this_way(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forwards and backwards, with Footnote's own tables."""
    taken: list[str] = []

    def note(name: str) -> None:
        way: Callable[..., None] = getattr(Together, name)

        def noted(self: Together, *arguments: Any) -> None:
            taken.append(name)
            way(self, *arguments)

        monkeypatch.setattr(Together, name, noted)

    note("database_forwards")
    note("database_backwards")
    with other_database(with_tables=True):
        call_command("migrate", "core", "0061_pairs_of_letters", interactive=False, verbosity=0)
        assert {*taken} == {"database_backwards"}
        taken.clear()
        call_command("migrate", interactive=False, verbosity=0)  # also what went back with it, of other apps
        assert {*taken} == {"database_forwards"}
        assert not describe_installation().missing


def _told(operations: list[Any], *, quick: bool, goes_back: bool = False) -> tuple[list[str], ProjectState]:
    """Return the statements of a migration with these operations, which is undone, and the state after it.

    goes_back: the statements of the way back are told too, and the state is that of before.
    """
    migration = Migration("0001_tried", "tried")
    migration.operations = operations
    if quick:
        pre_migrate.send(apps.get_app_config("core"), plan=[(migration, False)])
    state = ProjectState()
    state.apps  # noqa: B018 - Django builds the classes before each migration
    with transaction.atomic(), CaptureQueriesContext(connection) as queries:
        with connection.schema_editor() as editor:
            state = migration.apply(state, editor)
        if goes_back:
            state = _go_back(migration, quick=quick)
        transaction.set_rollback(True)
    said = [query["sql"] for query in queries.captured_queries]
    return [statement for statement in said if "SAVEPOINT" not in statement], state


def _go_back(migration: Migration, *, quick: bool) -> ProjectState:
    """Undo a migration as `migrate` does: the way to its states is gone first."""
    if quick:
        pre_migrate.send(apps.get_app_config("core"), plan=[(migration, True)])
    before = ProjectState()
    before.apps  # noqa: B018
    migration.mutate_state(before)
    tables = [name for name in connection.introspection.table_names() if name.startswith("tried_")]
    with connection.cursor() as cursor:  # a column that must hold something cannot come back to rows without
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"TRUNCATE {', '.join(sorted(tables))}")
    with connection.schema_editor() as editor:
        return migration.unapply(before, editor)
