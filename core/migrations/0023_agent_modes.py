"""Modes of the agent under the words of the field, in the rows of earlier questions too."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

NAMES = {"steered": "tool_calling", "written": "plain_text"}


def rename(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Give the rows the new names."""
    _replace(apps, NAMES)


def rename_back(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Give the rows the old names."""
    _replace(apps, {new: old for old, new in NAMES.items()})


def _replace(apps: Apps, names: dict[str, str]) -> None:
    logs = apps.get_model("core", "QueryLog").objects
    for before, after in names.items():
        logs.filter(agent_mode=before).update(agent_mode=after)


class Migration(migrations.Migration):
    dependencies = [("core", "0022_plain_texts")]

    operations = [
        migrations.AlterField(
            model_name="querylog",
            name="agent_mode",
            field=models.CharField(
                blank=True,
                help_text="tool_calling: the model called tools. plain_text: the model only wrote.",
                max_length=20,
            ),
        ),
        migrations.RunPython(rename, rename_back),
    ]
