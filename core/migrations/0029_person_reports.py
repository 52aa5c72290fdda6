"""A right of its own to figures by person. Nothing changes in the tables."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    """The permission, which Django makes after migrating."""

    dependencies: ClassVar = [("core", "0028_slack_directory")]

    operations: ClassVar = [
        migrations.AlterModelOptions(
            name="querylog",
            options={
                "ordering": ["-created_at"],
                "permissions": [
                    ("view_reports", "Can read reports over all people's queries"),
                    ("view_person_reports", "Can read reports by person"),
                ],
            },
        ),
    ]
