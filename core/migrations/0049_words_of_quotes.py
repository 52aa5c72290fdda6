from django.db import migrations, models

# The words of a quote are shown to the audience that the transaction states, where the rule of access lets it read the
# edition that they come from; those of a selected text, which is no document's, to every such transaction.
POLICIES = """
CREATE POLICY footnote_readers ON core_citationwords FOR SELECT USING (EXISTS (
    SELECT FROM core_citation AS quote WHERE quote.id = citation_id AND CASE
        WHEN (SELECT footnote_audience()) IS NULL THEN false
        WHEN quote.document_id IS NULL THEN true
        ELSE footnote_may_show(quote.document_id, quote.document_version)
    END
));
CREATE POLICY footnote_maintenance ON core_citationwords
    USING ((SELECT footnote_maintenance())) WITH CHECK ((SELECT footnote_maintenance()));
ALTER TABLE core_citationwords ENABLE ROW LEVEL SECURITY;
ALTER TABLE core_citationwords FORCE ROW LEVEL SECURITY;

CREATE POLICY footnote_readers ON core_verifiedsourcewords FOR SELECT USING (EXISTS (
    SELECT FROM core_verifiedsource AS quote WHERE quote.id = source_id AND CASE
        WHEN (SELECT footnote_audience()) IS NULL THEN false
        WHEN quote.document_id IS NULL THEN false
        ELSE footnote_may_show(quote.document_id, quote.document_version)
    END
));
CREATE POLICY footnote_maintenance ON core_verifiedsourcewords
    USING ((SELECT footnote_maintenance())) WITH CHECK ((SELECT footnote_maintenance()));
ALTER TABLE core_verifiedsourcewords ENABLE ROW LEVEL SECURITY;
ALTER TABLE core_verifiedsourcewords FORCE ROW LEVEL SECURITY;
"""
NO_POLICIES = """
ALTER TABLE core_citationwords NO FORCE ROW LEVEL SECURITY;
ALTER TABLE core_citationwords DISABLE ROW LEVEL SECURITY;
DROP POLICY footnote_maintenance ON core_citationwords;
DROP POLICY footnote_readers ON core_citationwords;
ALTER TABLE core_verifiedsourcewords NO FORCE ROW LEVEL SECURITY;
ALTER TABLE core_verifiedsourcewords DISABLE ROW LEVEL SECURITY;
DROP POLICY footnote_maintenance ON core_verifiedsourcewords;
DROP POLICY footnote_readers ON core_verifiedsourcewords;
"""

WORDS = {
    "document_name": models.CharField(max_length=500, default="", db_default=""),
    "chapter": models.CharField(blank=True, default="", max_length=300, db_default=""),
    "section": models.CharField(blank=True, default="", max_length=300, db_default=""),
    "source_url": models.CharField(blank=True, default="", max_length=1000, db_default=""),
    "excerpt": models.CharField(max_length=200, default="", db_default=""),
    "quoted_excerpt": models.TextField(default="", db_default=""),
    "authors": models.CharField(blank=True, default="", max_length=300, db_default=""),
    "file_name": models.CharField(blank=True, default="", max_length=300, db_default=""),
    "full_citation": models.TextField(blank=True, default="", db_default=""),
}


def _drop(model, name, field):
    """Drop a column; the way back makes it with a default."""
    return [migrations.AlterField(model, name, field), migrations.RemoveField(model, name)]


class Migration(migrations.Migration):
    """Put the words of quotes under row-level security, and drop the columns in which they were."""

    beside_old_code = "It is made with Footnote stopped, as 0047: old code reads the columns that go."

    dependencies = [
        ("core", "0048_fill_editions"),
    ]

    operations = [
        *(
            operation
            for model in ("citation", "verifiedsource")
            for name, field in WORDS.items()
            for operation in _drop(model, name, field)
        ),
        migrations.RunSQL(POLICIES, NO_POLICIES),
    ]
