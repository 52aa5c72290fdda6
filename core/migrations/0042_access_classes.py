import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models
from django.db.models.functions import Now

# Nothing is done while no engine holds a collection.
#
# footnote_settle_classes puts documents into the classes of the roles that they are granted. Two transactions may
# grant the same document at once, and neither sees what the other wrote: so the row of the document is locked first,
# and the roles are read after that. Nobody waits for such a lock in the middle of other work, where two could wait
# for each other: a document that somebody else holds is left, with a row that has the feeding look at it again, which
# holds nothing else and so may wait. In the same way a class is only joined or changed by who gets hold of it; if
# that fails, another class with the same roles is made, which is as good.
CLASSES = """
CREATE FUNCTION footnote_roles_digest(roles uuid[]) RETURNS uuid LANGUAGE sql STABLE AS $$
    SELECT md5(array_to_string(roles, ','))::uuid
$$;

CREATE FUNCTION footnote_class_of(wanted uuid[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    target bigint;
BEGIN
    IF wanted = '{}' THEN
        RETURN 0;
    END IF;
    SELECT number INTO target FROM core_accessclass
        WHERE digest = footnote_roles_digest(wanted) AND roles = wanted
        ORDER BY number LIMIT 1 FOR SHARE SKIP LOCKED;
    RETURN target;
END $$;

-- Whether a class has exactly so many documents, counted no further than that.
CREATE FUNCTION footnote_class_has(class bigint, size bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN size = (
        SELECT count(*) FROM (SELECT FROM core_documentclass WHERE access_class = class LIMIT size + 1) AS counted
    );
END $$;

CREATE FUNCTION footnote_settle_classes(documents uuid[], waits boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    locked uuid[];
    moved record;
    target bigint;
BEGIN
    IF waits THEN
        INSERT INTO core_documentclass (document_id, access_class)
            SELECT id, 0 FROM core_document WHERE id = ANY(documents) ORDER BY id ON CONFLICT DO NOTHING;
        locked := ARRAY(
            SELECT document_id FROM core_documentclass WHERE document_id = ANY(documents)
            ORDER BY document_id FOR UPDATE
        );
    ELSE
        locked := ARRAY(
            SELECT document_id FROM core_documentclass WHERE document_id = ANY(documents) FOR UPDATE SKIP LOCKED
        );
        IF cardinality(locked) < cardinality(documents) THEN
            INSERT INTO core_enginechange (document_number, kind)
                SELECT number, 'class' FROM core_document
                JOIN (SELECT unnest(documents) EXCEPT SELECT unnest(locked)) AS passed (id) USING (id);
        END IF;
    END IF;
    FOR moved IN
        WITH granted AS MATERIALIZED (
            SELECT document_id, array_agg(role_id ORDER BY role_id) AS roles FROM core_roledocumentaccess
            WHERE document_id = ANY(locked) GROUP BY document_id
        ), now AS MATERIALIZED (
            SELECT placed.document_id, placed.access_class AS before, coalesce(granted.roles, '{}') AS roles
            FROM core_documentclass placed LEFT JOIN granted USING (document_id) WHERE placed.document_id = ANY(locked)
        )
        SELECT now.before, now.roles, array_agg(now.document_id) AS documents, count(*) AS size
        FROM now LEFT JOIN core_accessclass ON number = now.before
        WHERE now.roles <> coalesce(core_accessclass.roles, '{}')
        GROUP BY now.before, now.roles
    LOOP
        target := footnote_class_of(moved.roles);
        IF moved.before <> 0 AND (target IS NULL OR moved.size > 1000)
            AND footnote_class_has(moved.before, moved.size)
        THEN
            PERFORM FROM core_accessclass WHERE number = moved.before FOR UPDATE SKIP LOCKED;
            -- Counted again: whoever joined the class held it until that was committed.
            IF FOUND AND footnote_class_has(moved.before, moved.size) THEN
                UPDATE core_accessclass SET roles = moved.roles, digest = footnote_roles_digest(moved.roles)
                    WHERE number = moved.before;
                CONTINUE;
            END IF;
        END IF;
        IF target IS NULL THEN
            INSERT INTO core_accessclass (roles, digest) VALUES (moved.roles, footnote_roles_digest(moved.roles))
                RETURNING number INTO target;
        END IF;
        UPDATE core_documentclass SET access_class = target WHERE document_id = ANY(moved.documents);
        INSERT INTO core_enginechange (document_number, kind)
            SELECT number, 'class' FROM core_document WHERE id = ANY(moved.documents);
    END LOOP;
END $$;

CREATE FUNCTION footnote_grants_settled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM core_enginecollection) THEN
        PERFORM footnote_settle_classes(ARRAY(SELECT DISTINCT document_id FROM changed), false);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER footnote_grants_given AFTER INSERT ON core_roledocumentaccess
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION footnote_grants_settled();
CREATE TRIGGER footnote_grants_taken AFTER DELETE ON core_roledocumentaccess
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION footnote_grants_settled();

-- Of changed grants both sides: none is moved to another role or document, but nothing keeps it from being.
CREATE FUNCTION footnote_grants_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM core_enginecollection) THEN
        PERFORM footnote_settle_classes(ARRAY(
            SELECT document_id FROM (
                (SELECT role_id, document_id FROM before EXCEPT SELECT role_id, document_id FROM changed)
                UNION (SELECT role_id, document_id FROM changed EXCEPT SELECT role_id, document_id FROM before)
            ) AS differing GROUP BY document_id
        ), false);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER footnote_grants_moved AFTER UPDATE ON core_roledocumentaccess
    REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION footnote_grants_moved();

CREATE FUNCTION footnote_document_placed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM core_enginecollection) THEN
        INSERT INTO core_documentclass (document_id, access_class) SELECT id, 0 FROM added ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER footnote_document_placed AFTER INSERT ON core_document
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION footnote_document_placed();

-- Which classes an audience may read is kept in memory until the version of grants changes.
CREATE TRIGGER footnote_classes_changed
    AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON core_accessclass
    FOR EACH STATEMENT EXECUTE FUNCTION footnote_library_changed('grants');
"""
NO_CLASSES = """
DROP TRIGGER footnote_classes_changed ON core_accessclass;
DROP TRIGGER footnote_document_placed ON core_document;
DROP TRIGGER footnote_grants_moved ON core_roledocumentaccess;
DROP TRIGGER footnote_grants_taken ON core_roledocumentaccess;
DROP TRIGGER footnote_grants_given ON core_roledocumentaccess;
DROP FUNCTION footnote_document_placed;
DROP FUNCTION footnote_grants_moved;
DROP FUNCTION footnote_grants_settled;
DROP FUNCTION footnote_settle_classes;
DROP FUNCTION footnote_class_has;
DROP FUNCTION footnote_class_of;
DROP FUNCTION footnote_roles_digest;
"""

# A trigger of statements with both tables cannot name columns: what did not change is left out in the function.
CHANGES = """
CREATE FUNCTION footnote_chunks_fed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM core_enginecollection) THEN
        INSERT INTO core_enginechange (document_number, kind)
            SELECT document_number, 'vectors' FROM changed GROUP BY document_number;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER footnote_chunks_added AFTER INSERT ON core_chunk
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION footnote_chunks_fed();
CREATE TRIGGER footnote_chunks_gone AFTER DELETE ON core_chunk
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION footnote_chunks_fed();

CREATE FUNCTION footnote_vectors_fed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM core_enginecollection) THEN
        INSERT INTO core_enginechange (document_number, kind)
            SELECT unnest(ARRAY[before.document_number, after.document_number]), 'vectors'
            FROM before JOIN after USING (id)
            WHERE (before.embedding, before.embedding_model, before.document_id)
                IS DISTINCT FROM (after.embedding, after.embedding_model, after.document_id)
            GROUP BY 1;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER footnote_vectors_changed AFTER UPDATE ON core_chunk
    REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION footnote_vectors_fed();
"""
NO_CHANGES = """
DROP TRIGGER footnote_vectors_changed ON core_chunk;
DROP TRIGGER footnote_chunks_gone ON core_chunk;
DROP TRIGGER footnote_chunks_added ON core_chunk;
DROP FUNCTION footnote_vectors_fed;
DROP FUNCTION footnote_chunks_fed;
"""


class Migration(migrations.Migration):
    beside_old_code = "The triggers do nothing until a collection of a vector engine is there, which old code never makes."

    dependencies = [
        ('core', '0041_model_replies'),
    ]

    operations = [
        migrations.CreateModel(
            name='AccessClass',
            fields=[
                ('number', models.BigAutoField(primary_key=True, serialize=False)),
                ('roles', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), help_text='In order. Grants that have ended count until they are taken.', size=None)),
                ('digest', models.UUIDField(db_index=True, help_text='Of the roles, to find the class by.')),
            ],
        ),
        migrations.CreateModel(
            name='DocumentClass',
            fields=[
                ('document', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='core.document')),
                ('access_class', models.BigIntegerField(db_index=True, default=0)),
            ],
        ),
        migrations.CreateModel(
            name='EngineChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('document_number', models.IntegerField()),
                ('kind', models.CharField(choices=[('vectors', 'vectors'), ('class', 'class')], max_length=8)),
                ('made_at', models.DateTimeField(db_default=Now())),
            ],
        ),
        migrations.CreateModel(
            name='EngineCollection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('building', 'being built'), ('served', 'served')], default='building', max_length=8)),
                ('model', models.CharField(help_text='The embedding model of its vectors.', max_length=200)),
                ('dimension', models.PositiveIntegerField()),
                ('built_to', models.IntegerField(default=-1, help_text='The number of the last document that the building reached.')),
                ('made_at', models.DateTimeField(db_default=Now())),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('state',), name='one_engine_collection_per_state')],
            },
        ),
        migrations.RunSQL(CLASSES, NO_CLASSES),
        migrations.RunSQL(CHANGES, NO_CHANGES),
    ]
