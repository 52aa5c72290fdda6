"""Add the languages of what was read from each file of an ingestion job."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Add `languages` to files."""

    dependencies = [("core", "0071_comments_on_request")]

    operations = [
        migrations.AddField(
            model_name="ingestionfile",
            name="languages",
            field=models.JSONField(
                blank=True,
                editable=False,
                help_text="How many of its documents are in which language, by its English name; null where it is not "
                "known.",
                null=True,
            ),
        ),
    ]
