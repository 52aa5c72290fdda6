from django.db import migrations, models

# What was not loaded as it was listed is not for the readers that were listed.
STALE = """
UPDATE core_syncitem SET is_stale = true
    WHERE is_pending OR next_try_at IS NOT NULL OR fingerprint <> listed_fingerprint;
"""

# The old code let a source's readers in when it listed them, before it loaded the words that they were meant for. Who
# was let in since the last load, to an item of which other words are listed by now, waits for these. A load takes as
# long as it takes to write a window of documents.
LET_IN = """
CREATE TEMPORARY TABLE footnote_let_in AS
    SELECT DISTINCT item.id AS item_id, granted.role_id
    FROM core_syncitem AS item
    JOIN core_datasource AS source ON source.id = item.source_id
    JOIN core_document AS document ON document.sync_item_id = item.id
    JOIN core_roledocumentaccess AS granted ON granted.document_id = document.id
    WHERE item.is_stale AND source.takes_readers AND granted.by_ingestion
        AND granted.granted_at > document.ingested_at + interval '1 minute';
DELETE FROM core_roledocumentaccess AS granted USING core_document AS document, footnote_let_in AS let_in
    WHERE document.id = granted.document_id AND document.sync_item_id = let_in.item_id
        AND granted.role_id = let_in.role_id AND granted.by_ingestion;
UPDATE core_syncitem AS item SET applied_roles = ARRAY(
        SELECT role_id FROM unnest(item.applied_roles) AS role_id
        WHERE (item.id, role_id) NOT IN (SELECT item_id, footnote_let_in.role_id FROM footnote_let_in)
    )
    WHERE item.id IN (SELECT item_id FROM footnote_let_in);
DROP TABLE footnote_let_in;
"""


class Migration(migrations.Migration):
    """Tell items whose words in the library are those that were listed from the others."""

    beside_old_code = "It is made with Footnote stopped, as 0047."

    dependencies = [
        ("core", "0049_words_of_quotes"),
    ]

    operations = [
        migrations.AddField(
            "syncitem",
            "is_stale",
            models.BooleanField(
                db_default=False,
                default=False,
                help_text="Its words in the library are not those that were listed: nobody gains them before these are loaded.",
            ),
        ),
        migrations.AddField(
            "syncitem",
            "loaded_hash",
            models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="SHA-256 of what was loaded and not stored yet.",
                max_length=64,
            ),
        ),
        migrations.AddField(
            "syncitem",
            "loaded_at",
            models.DateTimeField(blank=True, help_text="When that was.", null=True),
        ),
        migrations.AlterField(
            "syncchange",
            "outcome",
            models.CharField(
                choices=[
                    ("added", "added"),
                    ("changed", "changed"),
                    ("gone", "gone"),
                    ("returned", "back again"),
                    ("failed", "failed"),
                    ("left_out", "left out"),
                    ("readers", "other readers"),
                    ("waits", "waits for the next listing"),
                ],
                max_length=20,
            ),
        ),
        migrations.RunSQL(STALE + LET_IN, migrations.RunSQL.noop),
    ]
