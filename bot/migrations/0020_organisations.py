import uuid

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bot", "0019_tokens_that_expire"),
    ]

    operations = [
        migrations.AddField(
            model_name="installation",
            name="is_organisation",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="One token for workspaces of Enterprise Grid.",
                verbose_name="whole organisation",
            ),
        ),
        migrations.CreateModel(
            name="OrganisationWorkspace",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("team_id", models.CharField(max_length=32, unique=True, verbose_name="Slack team")),
                ("name", models.CharField(blank=True, max_length=200)),
                (
                    "installation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="workspaces",
                        to="bot.installation",
                    ),
                ),
            ],
            options={
                "verbose_name": "workspace of an organisation",
                "verbose_name_plural": "workspaces of organisations",
                "ordering": ["name", "team_id"],
            },
        ),
    ]
