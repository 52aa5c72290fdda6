from django.db import migrations, models

# What was not loaded as it was listed is not for the readers that were listed.
STALE = """
UPDATE core_syncitem SET is_stale = true
    WHERE is_pending OR next_try_at IS NOT NULL OR fingerprint <> listed_fingerprint;
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
        migrations.RunSQL(STALE, migrations.RunSQL.noop),
    ]
