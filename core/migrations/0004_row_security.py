from django.db import migrations, models

# Every statement that changes chunks or grants counts one up, in its own transaction. Striped over the server's
# processes, so that two of them hardly ever wait for each other; the first value is random, so that a table that was
# emptied does not count the same numbers again.
VERSIONS = """
CREATE FUNCTION footnote_library_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO core_libraryversion (kind, slot, changes)
    VALUES (TG_ARGV[0], pg_backend_pid() % 64, (random() * 1000000000)::bigint)
    ON CONFLICT (kind, slot) DO UPDATE SET changes = core_libraryversion.changes + 1;
    RETURN NULL;
END $$;
CREATE TRIGGER footnote_chunks_changed
    AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON core_chunk
    FOR EACH STATEMENT EXECUTE FUNCTION footnote_library_changed('chunks');
CREATE TRIGGER footnote_grants_changed
    AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON core_roledocumentaccess
    FOR EACH STATEMENT EXECUTE FUNCTION footnote_library_changed('grants');
"""
NO_VERSIONS = """
DROP TRIGGER footnote_grants_changed ON core_roledocumentaccess;
DROP TRIGGER footnote_chunks_changed ON core_chunk;
DROP FUNCTION footnote_library_changed;
"""

# The rule of ChunkQuerySet.visible_to once more, by the database itself: footnote.audience holds the audience's
# minimal role sets as JSON, and each of them must hold a role with a grant. Without it no row is seen.
# The first role set is checked in line, which PostgreSQL does fastest, and most audiences have one alone.
ROW_SECURITY = """
CREATE FUNCTION footnote_role_set(number integer) RETURNS uuid[] LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT ARRAY(
        SELECT jsonb_array_elements_text(nullif(current_setting('footnote.audience', true), '')::jsonb -> number)::uuid
    )
$$;
CREATE FUNCTION footnote_role_sets() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT jsonb_array_length(nullif(current_setting('footnote.audience', true), '')::jsonb)
$$;
CREATE FUNCTION footnote_maintenance() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(current_setting('footnote.maintenance', true), '') = 'on'
$$;
CREATE FUNCTION footnote_other_role_sets_read(document uuid) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    FOR number IN 1 .. footnote_role_sets() - 1 LOOP
        PERFORM 1 FROM core_roledocumentaccess
            WHERE document_id = document AND role_id = ANY (footnote_role_set(number));
        IF NOT FOUND THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END $$;
CREATE POLICY footnote_readers ON core_chunk FOR SELECT USING (
    EXISTS (
        SELECT 1 FROM core_roledocumentaccess g
        WHERE g.document_id = core_chunk.document_id AND g.role_id = ANY ((SELECT footnote_role_set(0))::uuid[])
    )
    AND ((SELECT footnote_role_sets()) = 1 OR footnote_other_role_sets_read(document_id))
);
CREATE POLICY footnote_maintenance ON core_chunk
    USING ((SELECT footnote_maintenance())) WITH CHECK ((SELECT footnote_maintenance()));
ALTER TABLE core_chunk ENABLE ROW LEVEL SECURITY;
ALTER TABLE core_chunk FORCE ROW LEVEL SECURITY;
"""
NO_ROW_SECURITY = """
ALTER TABLE core_chunk NO FORCE ROW LEVEL SECURITY;
ALTER TABLE core_chunk DISABLE ROW LEVEL SECURITY;
DROP POLICY footnote_maintenance ON core_chunk;
DROP POLICY footnote_readers ON core_chunk;
DROP FUNCTION footnote_other_role_sets_read;
DROP FUNCTION footnote_maintenance;
DROP FUNCTION footnote_role_sets;
DROP FUNCTION footnote_role_set;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0003_full_text"),
    ]

    operations = [
        migrations.CreateModel(
            name="LibraryVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(choices=[("chunks", "chunks"), ("grants", "grants")], max_length=10)),
                ("slot", models.PositiveSmallIntegerField()),
                ("changes", models.BigIntegerField()),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("kind", "slot"), name="one_count_per_kind_and_slot")],
            },
        ),
        migrations.RunSQL(VERSIONS, NO_VERSIONS),
        migrations.RunSQL(ROW_SECURITY, NO_ROW_SECURITY),
    ]
