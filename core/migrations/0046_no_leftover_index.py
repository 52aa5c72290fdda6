from django.db import migrations


class Migration(migrations.Migration):
    """An index of texts by pattern that 0019 left behind where it ran on tables of before; nothing reads by it."""

    beside_old_code = "No code reads by the index, and dropping it waits for no row."

    dependencies = [
        ("core", "0045_ingestion_claims"),
    ]

    operations = [
        migrations.RunSQL("DROP INDEX IF EXISTS core_document_source_key_029beea3_like", migrations.RunSQL.noop),
    ]
