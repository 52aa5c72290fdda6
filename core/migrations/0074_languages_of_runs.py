"""Add the languages of what was read in each run of a source."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Add `languages` to runs."""

    dependencies = [("core", "0073_names_of_rows")]

    operations = [
        migrations.AddField(
            model_name="syncrun",
            name="languages",
            field=models.JSONField(
                blank=True,
                editable=False,
                help_text="How many of the documents that it read are in which language, by its English name; null "
                "where it is not known.",
                null=True,
            ),
        ),
    ]
