import django.core.validators
from django.db import migrations, models

# Where readers come from a source, which words of it are here was noted after they were stored, its names were not
# looked at, and readers were taken as told beside other words: all of it is loaded and asked for once more. Until then
# nobody gains any of it.
UNCERTAIN = """
UPDATE core_syncitem AS item SET fingerprint = '', validator = '', is_stale = true
    FROM core_datasource AS source WHERE source.id = item.source_id AND source.takes_readers;
"""
# Who reads a document that stands in its file no more is not told by anything: it is granted anew when it is back.
PARTS = """
DELETE FROM core_withdrawngrant AS aside USING core_document AS document
    WHERE document.id = aside.document_id AND document.data_source_id IS NOT NULL AND document.sync_item_id IS NULL
        AND aside.by_ingestion;
"""


class Migration(migrations.Migration):
    """Believe nothing of which words of a source are here, where it tells their readers, before they are read again."""

    beside_old_code = "It is made with Footnote stopped, as 0047."

    dependencies = [
        ("core", "0050_words_of_items"),
    ]

    operations = [
        migrations.AlterField(
            "datasource",
            "most_withdrawn_percent",
            models.PositiveSmallIntegerField(
                default=10,
                help_text=(
                    "Per cent. A run that would withdraw a larger share of the documents withdraws and loads nothing, "
                    "and asks. Readers that the source took away lose their right all the same."
                ),
                validators=[django.core.validators.MaxValueValidator(100)],
                verbose_name="stop and ask above",
            ),
        ),
        migrations.RunSQL(UNCERTAIN, migrations.RunSQL.noop),
        migrations.RunSQL(PARTS, migrations.RunSQL.noop),
    ]
