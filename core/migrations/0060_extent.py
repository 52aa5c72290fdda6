"""Keep with each document how much of its file was read. Nothing is known of those that are there already."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("core", "0059_contradictions")]

    operations = [
        migrations.AddField(
            model_name="document",
            name="extent",
            field=models.JSONField(
                blank=True,
                editable=False,
                help_text="What its file holds and what was left out, in numbers, as core.library.ingestion.extent counts; "
                "null where it was ingested before that was counted.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="document",
            name="left_out_count",
            field=models.PositiveIntegerField(blank=True, editable=False, null=True),
        ),
    ]
