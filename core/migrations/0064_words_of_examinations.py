"""Put the words of examinations under row-level security, and let them go with a document that is deleted."""

from django.db import migrations

# A line's words are shown to an audience that may read every source of the line. Without a source they are nobody's.
POLICIES = """
CREATE POLICY footnote_readers ON core_examinationwords FOR SELECT USING (
    (SELECT footnote_audience()) IS NOT NULL
    AND EXISTS (SELECT FROM core_examinationsource AS source WHERE source.line_id = core_examinationwords.line_id)
    AND NOT EXISTS (
        SELECT FROM core_examinationsource AS source
        WHERE source.line_id = core_examinationwords.line_id AND CASE
            WHEN source.document_id IS NULL THEN true
            ELSE NOT footnote_may_show(source.document_id, source.document_version)
        END
    )
);
CREATE POLICY footnote_maintenance ON core_examinationwords
    USING ((SELECT footnote_maintenance())) WITH CHECK ((SELECT footnote_maintenance()));
ALTER TABLE core_examinationwords ENABLE ROW LEVEL SECURITY;
ALTER TABLE core_examinationwords FORCE ROW LEVEL SECURITY;
"""
NO_POLICIES = """
ALTER TABLE core_examinationwords NO FORCE ROW LEVEL SECURITY;
ALTER TABLE core_examinationwords DISABLE ROW LEVEL SECURITY;
DROP POLICY footnote_maintenance ON core_examinationwords;
DROP POLICY footnote_readers ON core_examinationwords;
"""

# The words go with their line. Django's own deletion would look for them first, under row-level security.
GO_ALONG = """
ALTER TABLE core_examinationwords ADD CONSTRAINT core_examinationwords_line FOREIGN KEY (line_id)
    REFERENCES core_examinationline (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
"""
STAY = "ALTER TABLE core_examinationwords DROP CONSTRAINT core_examinationwords_line;"

# A document is deleted under maintenance, where the trigger sees the words.
WITHOUT_DOCUMENT = """
CREATE FUNCTION footnote_forget_examined() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM core_examinationwords WHERE line_id = NEW.line_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER footnote_forget_examined AFTER UPDATE OF document_id ON core_examinationsource
    FOR EACH ROW WHEN (NEW.document_id IS NULL AND OLD.document_id IS NOT NULL)
    EXECUTE FUNCTION footnote_forget_examined();
"""
WITH_DOCUMENT = """
DROP TRIGGER footnote_forget_examined ON core_examinationsource;
DROP FUNCTION footnote_forget_examined;
"""


class Migration(migrations.Migration):
    """Guard the words of examinations by the database."""

    beside_old_code = "Old code knows none of these tables."

    dependencies = [("core", "0063_examinations")]

    operations = [
        migrations.RunSQL(POLICIES, NO_POLICIES),
        migrations.RunSQL(GO_ALONG, STAY),
        migrations.RunSQL(WITHOUT_DOCUMENT, WITH_DOCUMENT),
    ]
