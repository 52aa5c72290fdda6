"""Migrations are safe while the release before them still runs, or say why they are run all the same."""

from typing import Any

import pytest
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState

from tests.architecture.migration_rules import REASON, check, check_all

# What was there before the first release that is upgraded without a stop, 0.4.
BASELINE = frozenset(
    {
        "bot.0002_surfaces",
        "bot.0009_command_notes",
        "bot.0011_unasked",
        "core.0003_full_text",
        "core.0004_row_security",
        "core.0005_short_retrievals",
        "core.0007_agent_trace",
        "core.0008_understanding",
        "core.0009_replay",
        "core.0010_channel_settings",
        "core.0011_usergroups",
        "core.0012_channel_language",
        "core.0013_stated_bounds",
        "core.0016_tokens_and_audit_chain",
        "core.0018_slack_workspaces",
        "core.0019_document_identity",
        "core.0023_agent_modes",
        "core.0024_states_and_places",
        "core.0027_grants_that_end",
        "core.0030_run_alerts",
        "core.0031_verified_answers",
        "core.0032_grant_tokens",
        "core.0033_weekly_digest",
        "core.0034_answers_unasked",
        "core.0036_data_sources",
        "core.0037_originals",
        "core.0038_footnotes",
        "core.0039_recognised_text",
    }
)


def test_each_migration_is_safe_beside_old_code_or_says_why_not() -> None:
    """The baseline, of before there were releases to upgrade from without a stop, neither grows nor is kept longer."""
    wrong = {name: found for name, found in check_all() if found}
    assert {name: found for name, found in wrong.items() if name not in BASELINE} == {}
    assert set(wrong) >= BASELINE


def _column(**options: Any) -> "models.CharField[str, str]":
    return models.CharField(max_length=20, **options)


def _judge(*operations: Operation, reason: str = "") -> list[str]:
    """Check a migration of a table with one column, `name`."""
    state = ProjectState()
    state.add_model(ModelState("shop", "Box", [("id", models.BigAutoField(primary_key=True)), ("name", _column())]))
    migration = migrations.Migration("0002_more", "shop")
    migration.operations = list(operations)
    setattr(migration, REASON, reason)
    return check(migration, state)


CHECKED = models.CheckConstraint(condition=models.Q(name="a"), name="only_a")
INDEX = models.Index(fields=["name"], name="by_name")
SAFE = {
    "with a default in the database": [migrations.AddField("Box", "size", _column(db_default=""))],
    "null": [migrations.AddField("Box", "size", _column(null=True))],
    "longer": [migrations.AlterField("Box", "name", models.CharField(max_length=30))],
    "an index without a lock": [AddIndexConcurrently("Box", INDEX)],
    "a table of its own": [
        migrations.CreateModel("Lid", [("id", models.BigAutoField(primary_key=True))]),
        migrations.AddField("Lid", "size", _column(default="")),
        migrations.AddIndex("Lid", models.Index(fields=["size"], name="by_size")),
    ],
    "something new in SQL": [migrations.RunSQL("CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", "")],
    "rows alone": [migrations.RunPython(migrations.RunPython.noop, migrations.RunPython.noop)],
}
UNSAFE = {
    "a default of Django's alone": [migrations.AddField("Box", "size", _column(default=""))],
    "a column less": [migrations.RemoveField("Box", "name")],
    "another name": [migrations.RenameField("Box", "name", "title")],
    "a table less": [migrations.DeleteModel("Box")],
    "shorter": [migrations.AlterField("Box", "name", models.CharField(max_length=10))],
    "another type": [migrations.AlterField("Box", "name", models.IntegerField())],
    "unique": [migrations.AlterField("Box", "name", _column(unique=True))],
    "a rule for rows": [migrations.AddConstraint("Box", CHECKED)],
    "an index with a lock": [migrations.AddIndex("Box", INDEX)],
    "row-level security": [migrations.RunSQL("ALTER TABLE box ENABLE ROW LEVEL SECURITY", migrations.RunSQL.noop)],
    "a trigger": [migrations.RunSQL("CREATE TRIGGER t AFTER INSERT ON box EXECUTE FUNCTION f()", "DROP TRIGGER t")],
    "no way back": [migrations.RunPython(migrations.RunPython.noop)],
    "no way back in SQL": [migrations.RunSQL("SELECT 1")],
    "rows under a lock": [
        migrations.AddField("Box", "size", _column(null=True)),
        migrations.RunPython(migrations.RunPython.noop, migrations.RunPython.noop),
    ],
}


@pytest.mark.parametrize("operations", SAFE.values(), ids=SAFE.keys())
def test_what_old_code_lives_with_passes(operations: list[Operation]) -> None:
    """Expanding is free."""
    assert _judge(*operations) == []


@pytest.mark.parametrize("operations", UNSAFE.values(), ids=UNSAFE.keys())
def test_what_old_code_does_not_live_with_is_found(operations: list[Operation]) -> None:
    """And passes with a reason alone."""
    assert len(_judge(*operations)) == 1
    assert _judge(*operations, reason="No release used it since 0.3.") == []
