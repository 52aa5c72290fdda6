"""Add the mark of collections that are asked where no other document holds the answer."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Add `is_asked_last` to collections."""

    dependencies = [("core", "0061_pairs_of_letters")]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="is_asked_last",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="For guides that seem near to many questions about something else: their passages count only "
                "where the question names the collection, or where no other document that the asker may read holds the "
                "answer.",
                verbose_name="asked last",
            ),
        ),
    ]
