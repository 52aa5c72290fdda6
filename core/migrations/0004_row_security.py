from django.db import migrations, models

# Every statement that changes chunks or grants leaves a number that was never used before, in its own transaction:
# the numbers together tell one state from every other, also from one that was rolled back. They are striped over the
# server's processes, so that two of them hardly ever wait for each other.
VERSIONS = """
DO $$ BEGIN  -- from a random number, for a process may see several databases
    EXECUTE format('CREATE SEQUENCE footnote_changes START %s', (random() * 1e15)::bigint + 1);
END $$;
CREATE FUNCTION footnote_library_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO core_libraryversion (kind, slot, change)
    VALUES (TG_ARGV[0], pg_backend_pid() % 64, nextval('footnote_changes'))
    ON CONFLICT (kind, slot) DO UPDATE SET change = excluded.change;
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
DROP SEQUENCE footnote_changes;
"""

# Small numbers for documents, and each chunk with its document's: a set of documents is then a string of bits, and
# whether a chunk's document is in it costs next to nothing.
NUMBERS = """
CREATE FUNCTION footnote_number_chunk() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.document_number := (SELECT number FROM core_document WHERE id = NEW.document_id);
    RETURN NEW;
END $$;
CREATE TRIGGER footnote_chunk_numbered BEFORE INSERT OR UPDATE OF document_id ON core_chunk
    FOR EACH ROW EXECUTE FUNCTION footnote_number_chunk();
UPDATE core_chunk SET document_number = number FROM core_document WHERE core_document.id = document_id;
"""
NO_NUMBERS = """
DROP TRIGGER footnote_chunk_numbered ON core_chunk;
DROP FUNCTION footnote_number_chunk;
"""

# The rule of access in the words of the database, for the audience's minimal role sets as JSON, and the floor that
# stands on it: footnote.readable holds those documents as bits, and without it no chunk is seen.
# CASE, because AND does not promise to look at the length first. The policy does not call footnote_is_among, which
# PostgreSQL would not take apart there: a function call for each row instead of none.
ROW_SECURITY = """
CREATE FUNCTION footnote_readable_documents(audience jsonb) RETURNS SETOF integer LANGUAGE sql STABLE AS $$
    SELECT number FROM core_document WHERE id IN (
        SELECT document_id
        FROM jsonb_array_elements(audience) WITH ORDINALITY AS sets (roles, position),
            jsonb_array_elements_text(roles) AS role
            JOIN core_roledocumentaccess ON role_id = role::uuid
        GROUP BY document_id HAVING count(DISTINCT position) = jsonb_array_length(audience)
    )
$$;
CREATE FUNCTION footnote_is_among(number integer, bits bytea) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN number BETWEEN 0 AND 8 * length(bits) - 1 THEN get_bit(bits, number) = 1 ELSE false END
$$;
CREATE FUNCTION footnote_readable() RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT nullif(current_setting('footnote.readable', true), '')::bytea
$$;
CREATE FUNCTION footnote_maintenance() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(current_setting('footnote.maintenance', true), '') = 'on'
$$;
CREATE POLICY footnote_readers ON core_chunk FOR SELECT USING (
    CASE WHEN document_number BETWEEN 0 AND (SELECT 8 * length(footnote_readable()) - 1)
        THEN get_bit((SELECT footnote_readable()), document_number) = 1 ELSE false END
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
DROP FUNCTION footnote_maintenance;
DROP FUNCTION footnote_readable;
DROP FUNCTION footnote_is_among;
DROP FUNCTION footnote_readable_documents;
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
                ("change", models.BigIntegerField()),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("kind", "slot"), name="one_count_per_kind_and_slot")],
            },
        ),
        migrations.RunSQL(VERSIONS, NO_VERSIONS),
        migrations.RunSQL(
            "CREATE SEQUENCE core_document_number AS integer MINVALUE 0 START 0", "DROP SEQUENCE core_document_number"
        ),
        migrations.AddField(
            model_name="document",
            name="number",
            field=models.IntegerField(
                db_default=models.Func(models.Value("core_document_number"), function="nextval"),
                editable=False,
                unique=True,
            ),
        ),
        migrations.AddField(
            model_name="chunk", name="document_number", field=models.IntegerField(db_default=-1, editable=False)
        ),
        migrations.RunSQL(NUMBERS, NO_NUMBERS),
        migrations.RunSQL(ROW_SECURITY, NO_ROW_SECURITY),
    ]
