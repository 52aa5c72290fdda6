"""Add the choice to read the comments in the files of a collection."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Add `reads_comments` to collections."""

    dependencies = [("core", "0070_at_most_five_steps")]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="reads_comments",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Also read the open comments in Word, Excel, PowerPoint, OpenDocument and PDF files. They are "
                "remarks among authors, and whoever may read the document reads them: each becomes a passage of its own "
                "that says Comment, who wrote it and when. Resolved comments are never read. A change holds for what is "
                "read from then on: documents of a data source are read again at its next run, others when they are "
                "uploaded again.",
                verbose_name="read comments",
            ),
        ),
    ]
