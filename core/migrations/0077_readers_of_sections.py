"""Add parts of documents and the rules that part them off, with the triggers that derive who reads a part."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Now

# What a part has of its document, by the database alone: nobody can give it another edition, collection or file.
FOLLOWS = """
CREATE FUNCTION footnote_part_follows() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    whole core_document;
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.part_of_id IS DISTINCT FROM OLD.part_of_id THEN
        RAISE EXCEPTION 'a document stays what it was made as: a whole one, or a part of one'
            USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.part_of_id IS NULL THEN
        RETURN NEW;
    END IF;
    SELECT * INTO whole FROM core_document WHERE id = NEW.part_of_id;
    IF NOT FOUND OR whole.part_of_id IS NOT NULL OR whole.id = NEW.id THEN
        RAISE EXCEPTION 'a part needs a whole document' USING ERRCODE = 'check_violation';
    END IF;
    NEW.version := whole.version;
    NEW.collection_id := whole.collection_id;
    NEW.withdrawn_at := whole.withdrawn_at;
    NEW.data_source_id := NULL;
    NEW.sync_item_id := NULL;
    NEW.source := left(whole.source, 950) || '#section-' || replace(NEW.id::text, '-', '');
    NEW.source_url := whole.source_url;
    NEW.document_type := whole.document_type;
    NEW.document_date := whole.document_date;
    NEW.full_citation := whole.full_citation;
    NEW.arxiv_id := NULL;
    NEW.content_hash := whole.content_hash;
    NEW.original_hash := '';
    NEW.original_name := whole.original_name;
    NEW.original_type := '';
    NEW.original_size := NULL;
    NEW.metadata := jsonb_strip_nulls(
        jsonb_build_object('author', whole.metadata -> 'author', 'authors', whole.metadata -> 'authors')
    );
    NEW.extent := NULL;
    NEW.left_out_count := NULL;
    NEW.owner_id := whole.owner_id;
    RETURN NEW;
END $$;
CREATE TRIGGER footnote_part_made BEFORE INSERT ON core_document
    FOR EACH ROW WHEN (NEW.part_of_id IS NOT NULL) EXECUTE FUNCTION footnote_part_follows();
CREATE TRIGGER footnote_part_changed BEFORE UPDATE ON core_document
    FOR EACH ROW WHEN (NEW.part_of_id IS NOT NULL OR OLD.part_of_id IS NOT NULL)
    EXECUTE FUNCTION footnote_part_follows();

-- The title goes on with the names of the sections, behind that of the document.
CREATE FUNCTION footnote_parts_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE core_document SET title = CASE
        WHEN starts_with(title, OLD.title || ': ') THEN left(NEW.title || substr(title, length(OLD.title) + 1), 500)
        ELSE title END
    WHERE part_of_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER footnote_parts_follow AFTER UPDATE ON core_document FOR EACH ROW
    WHEN (NEW.part_of_id IS NULL AND (
        OLD.version, OLD.collection_id, OLD.withdrawn_at, OLD.source, OLD.source_url, OLD.document_type,
        OLD.document_date, OLD.full_citation, OLD.original_name, OLD.owner_id, OLD.title,
        OLD.content_hash, OLD.metadata
    ) IS DISTINCT FROM (
        NEW.version, NEW.collection_id, NEW.withdrawn_at, NEW.source, NEW.source_url, NEW.document_type,
        NEW.document_date, NEW.full_citation, NEW.original_name, NEW.owner_id, NEW.title,
        NEW.content_hash, NEW.metadata
    )) EXECUTE FUNCTION footnote_parts_follow();
"""
NO_FOLLOWS = """
DROP TRIGGER footnote_parts_follow ON core_document;
DROP FUNCTION footnote_parts_follow;
DROP TRIGGER footnote_part_changed ON core_document;
DROP TRIGGER footnote_part_made ON core_document;
DROP FUNCTION footnote_part_follows;
"""

# Who reads a part: the roles that read its document and that all of its rules name. A part without rules is read by
# nobody. Whoever changes something that it depends on derives it anew, one after another for each part, because each
# locks the part first: so the last one sees what all others wrote. The grants are locked for a part that is being
# made, which whoever takes one of them away at that moment does not see yet.
DERIVE = """
CREATE FUNCTION footnote_part_grants(parts uuid[]) RETURNS TABLE (
    document_id uuid, role_id uuid, granted_by_id uuid, granted_at timestamptz, expires_at timestamptz,
    since_version integer, by_ingestion boolean
) LANGUAGE sql STABLE AS $$
    SELECT part.id, granted.role_id, granted.granted_by_id, granted.granted_at, granted.expires_at,
        greatest(granted.since_version, coalesce((noted.since ->> granted.role_id::text)::integer, 0)),
        granted.by_ingestion
    FROM core_document AS part
        JOIN core_sectionpart AS noted ON noted.part_id = part.id
        JOIN core_roledocumentaccess AS granted ON granted.document_id = part.part_of_id
    WHERE part.id = ANY(parts)
        AND EXISTS (SELECT FROM core_sectionpart_rules AS named WHERE named.sectionpart_id = noted.id)
        AND NOT EXISTS (
            SELECT FROM core_sectionpart_rules AS named WHERE named.sectionpart_id = noted.id AND NOT EXISTS (
                SELECT FROM core_sectionrulerole AS reads
                WHERE reads.rule_id = named.sectionrule_id AND reads.role_id = granted.role_id
            )
        )
$$;

CREATE FUNCTION footnote_derive_parts(parts uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(parts) = 0 THEN
        RETURN;
    END IF;
    PERFORM FROM core_document WHERE id = ANY(parts) ORDER BY id FOR NO KEY UPDATE;
    PERFORM FROM core_roledocumentaccess
        WHERE document_id IN (SELECT part_of_id FROM core_document WHERE id = ANY(parts)) ORDER BY id FOR SHARE;
    DELETE FROM core_roledocumentaccess AS held WHERE held.document_id = ANY(parts) AND NOT EXISTS (
        SELECT FROM footnote_part_grants(parts) AS wanted
        WHERE wanted.document_id = held.document_id AND wanted.role_id = held.role_id
    );
    UPDATE core_roledocumentaccess AS held
        SET granted_by_id = wanted.granted_by_id, granted_at = wanted.granted_at, expires_at = wanted.expires_at,
            since_version = wanted.since_version, by_ingestion = wanted.by_ingestion
        FROM footnote_part_grants(parts) AS wanted
        WHERE wanted.document_id = held.document_id AND wanted.role_id = held.role_id
            AND (held.granted_by_id, held.granted_at, held.expires_at, held.since_version, held.by_ingestion)
                IS DISTINCT FROM (wanted.granted_by_id, wanted.granted_at, wanted.expires_at, wanted.since_version,
                    wanted.by_ingestion);
    INSERT INTO core_roledocumentaccess (
            id, document_id, role_id, granted_by_id, granted_at, expires_at, since_version, by_ingestion
        )
        SELECT gen_random_uuid(), wanted.document_id, wanted.role_id, wanted.granted_by_id, wanted.granted_at,
            wanted.expires_at, wanted.since_version, wanted.by_ingestion
        FROM footnote_part_grants(parts) AS wanted
        WHERE NOT EXISTS (
            SELECT FROM core_roledocumentaccess AS held
            WHERE held.document_id = wanted.document_id AND held.role_id = wanted.role_id
        );
END $$;

-- The second lock: whoever writes another grant of a part than the derived one is refused.
CREATE FUNCTION footnote_part_granted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM core_document WHERE id = NEW.document_id AND part_of_id IS NOT NULL) AND NOT EXISTS (
        SELECT FROM footnote_part_grants(ARRAY[NEW.document_id]) AS wanted
        WHERE wanted.role_id = NEW.role_id AND wanted.since_version = NEW.since_version
            AND wanted.expires_at IS NOT DISTINCT FROM NEW.expires_at
    ) THEN
        RAISE EXCEPTION 'who reads a part of a document follows from its rules and the grants of the document'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER footnote_part_granted BEFORE INSERT OR UPDATE ON core_roledocumentaccess
    FOR EACH ROW EXECUTE FUNCTION footnote_part_granted();

CREATE FUNCTION footnote_whole_granted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM core_document WHERE part_of_id IS NOT NULL) THEN
        PERFORM footnote_derive_parts(ARRAY(
            SELECT id FROM core_document WHERE part_of_id IN (SELECT document_id FROM changed)
        ));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER footnote_parts_given AFTER INSERT ON core_roledocumentaccess
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION footnote_whole_granted();
CREATE TRIGGER footnote_parts_taken AFTER DELETE ON core_roledocumentaccess
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION footnote_whole_granted();
CREATE FUNCTION footnote_whole_regranted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM core_document WHERE part_of_id IS NOT NULL) THEN
        PERFORM footnote_derive_parts(ARRAY(
            SELECT id FROM core_document WHERE part_of_id IN (
                SELECT document_id FROM before UNION SELECT document_id FROM changed
            )
        ));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER footnote_parts_moved AFTER UPDATE ON core_roledocumentaccess
    REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION footnote_whole_regranted();
"""
NO_DERIVE = """
DROP TRIGGER footnote_parts_moved ON core_roledocumentaccess;
DROP FUNCTION footnote_whole_regranted;
DROP TRIGGER footnote_parts_taken ON core_roledocumentaccess;
DROP TRIGGER footnote_parts_given ON core_roledocumentaccess;
DROP FUNCTION footnote_whole_granted;
DROP TRIGGER footnote_part_granted ON core_roledocumentaccess;
DROP FUNCTION footnote_part_granted;
DROP FUNCTION footnote_derive_parts;
DROP FUNCTION footnote_part_grants;
"""

RULES = """
CREATE FUNCTION footnote_rule_roles_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM footnote_derive_parts(ARRAY(
        SELECT noted.part_id FROM core_sectionpart AS noted
            JOIN core_sectionpart_rules AS named ON named.sectionpart_id = noted.id
        WHERE named.sectionrule_id IN (SELECT rule_id FROM changed)
    ));
    RETURN NULL;
END $$;
CREATE TRIGGER footnote_rule_roles_given AFTER INSERT ON core_sectionrulerole
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION footnote_rule_roles_changed();
CREATE TRIGGER footnote_rule_roles_taken AFTER DELETE ON core_sectionrulerole
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION footnote_rule_roles_changed();

CREATE FUNCTION footnote_part_rules_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM footnote_derive_parts(ARRAY(
        SELECT part_id FROM core_sectionpart WHERE id IN (SELECT sectionpart_id FROM changed)
    ));
    RETURN NULL;
END $$;
CREATE TRIGGER footnote_part_rules_given AFTER INSERT ON core_sectionpart_rules
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION footnote_part_rules_changed();
CREATE TRIGGER footnote_part_rules_taken AFTER DELETE ON core_sectionpart_rules
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION footnote_part_rules_changed();

CREATE FUNCTION footnote_parts_unnoted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM footnote_derive_parts(ARRAY(SELECT part_id FROM changed));
    RETURN NULL;
END $$;
CREATE TRIGGER footnote_parts_unnoted AFTER DELETE ON core_sectionpart
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION footnote_parts_unnoted();
CREATE TRIGGER footnote_parts_noted AFTER UPDATE ON core_sectionpart
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION footnote_parts_unnoted();

-- What these rows say of a role, a rule or a part is never moved to another one.
CREATE FUNCTION footnote_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'such a row is added or deleted, and not changed' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER footnote_stays BEFORE UPDATE ON core_sectionrulerole FOR EACH ROW EXECUTE FUNCTION footnote_stays();
CREATE TRIGGER footnote_stays BEFORE UPDATE ON core_sectionpart_rules FOR EACH ROW EXECUTE FUNCTION footnote_stays();
CREATE TRIGGER footnote_stays BEFORE UPDATE ON core_sectionpart
    FOR EACH ROW WHEN (OLD.part_id IS DISTINCT FROM NEW.part_id) EXECUTE FUNCTION footnote_stays();
"""
NO_RULES = """
DROP TRIGGER footnote_stays ON core_sectionpart;
DROP TRIGGER footnote_stays ON core_sectionpart_rules;
DROP TRIGGER footnote_stays ON core_sectionrulerole;
DROP FUNCTION footnote_stays;
DROP TRIGGER footnote_parts_noted ON core_sectionpart;
DROP TRIGGER footnote_parts_unnoted ON core_sectionpart;
DROP FUNCTION footnote_parts_unnoted;
DROP TRIGGER footnote_part_rules_taken ON core_sectionpart_rules;
DROP TRIGGER footnote_part_rules_given ON core_sectionpart_rules;
DROP FUNCTION footnote_part_rules_changed;
DROP TRIGGER footnote_rule_roles_taken ON core_sectionrulerole;
DROP TRIGGER footnote_rule_roles_given ON core_sectionrulerole;
DROP FUNCTION footnote_rule_roles_changed;
"""


class Migration(migrations.Migration):
    """Add parts, their rules, and the triggers."""

    beside_old_code = (
        "The triggers do nothing until a document has a part, which old code never makes. The index has no rows yet."
    )

    dependencies = [
        ('core', '0076_contradictions_of_sources'),
    ]

    operations = [
        migrations.AddField(
            model_name='document',
            name='part_of',
            field=models.ForeignKey(blank=True, db_index=False, editable=False, help_text='The document whose restricted sections this holds; empty for a whole one. See core.models.section_rules.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='core.document'),
        ),
        migrations.AddIndex(
            model_name='document',
            index=models.Index(condition=models.Q(('part_of__isnull', False)), fields=['part_of'], name='document_parts'),
        ),
        migrations.CreateModel(
            name='SectionRule',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('heading', 'heading'), ('sheet', 'sheet'), ('label', 'label')], max_length=10)),
                ('pattern', models.CharField(help_text="A heading, a sheet's name or a label. Capitals do not matter, and * stands for anything.", max_length=300)),
                ('created_at', models.DateTimeField(db_default=Now())),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('document', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='section_rules', to='core.document')),
                ('collection', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='section_rules', to='core.collection')),
            ],
            options={
                'ordering': ['created_at', 'pk'],
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='SectionRuleRole',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('role', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='core.role')),
                ('rule', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rule_roles', to='core.sectionrule')),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.AddField(
            model_name='sectionrule',
            name='roles',
            field=models.ManyToManyField(blank=True, related_name='section_rules', through='core.SectionRuleRole', to='core.role'),
        ),
        migrations.CreateModel(
            name='SectionPart',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('state', models.CharField(choices=[('recognised', 'recognised'), ('unrecognised', 'to be decided')], default='recognised', max_length=12)),
                ('names', models.JSONField(blank=True, default=list, help_text='Of the sections that it holds, 20 at most.')),
                ('is_all', models.BooleanField(db_default=False, default=False, help_text='The whole document is in it, in later editions too, until somebody decides otherwise.')),
                ('flagged', models.JSONField(blank=True, default=list, help_text='SHA-256 of the names of those of its sections that are to be decided.')),
                ('since', models.JSONField(blank=True, default=dict, help_text="The first edition for roles that its rules have named since it was made, by the role's id.")),
                ('opened', models.JSONField(blank=True, default=list, help_text='SHA-256 of names of sections that stay open by a decision, though words of the part occur there.')),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('part', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='as_part', to='core.document')),
                ('rules', models.ManyToManyField(blank=True, related_name='parts', to='core.sectionrule')),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.AddConstraint(
            model_name='sectionrulerole',
            constraint=models.UniqueConstraint(fields=('rule', 'role'), name='one_role_per_section_rule'),
        ),
        migrations.AddConstraint(
            model_name='sectionrule',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('collection__isnull', False), ('document__isnull', True)), models.Q(('collection__isnull', True), ('document__isnull', False)), _connector='OR'), name='section_rule_in_one_place'),
        ),
        migrations.AddConstraint(
            model_name='sectionrule',
            constraint=models.CheckConstraint(condition=models.Q(('pattern', ''), _negated=True), name='section_rule_names_something'),
        ),
        migrations.AddConstraint(
            model_name='sectionrule',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['heading', 'sheet', 'label'])), name='section_rule_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='sectionrule',
            constraint=models.UniqueConstraint(fields=('document', 'kind', 'pattern'), name='one_section_rule_per_document'),
        ),
        migrations.AddConstraint(
            model_name='sectionrule',
            constraint=models.UniqueConstraint(fields=('collection', 'kind', 'pattern'), name='one_section_rule_per_collection'),
        ),
        migrations.AlterField(
            model_name='auditevent',
            name='action',
            field=models.CharField(choices=[('acknowledge', 'acknowledge'), ('activate', 'activate'), ('add_second_factor', 'add a second factor'), ('answer', 'answer'), ('answer_begun', 'show the beginning of an answer'), ('backup', 'take a backup'), ('change', 'change'), ('change_default_roles', 'change default roles'), ('change_members', 'change members'), ('change_roles', 'change roles'), ('confirm', 'find a document still right'), ('create', 'create'), ('deactivate', 'deactivate'), ('decide_section', 'decide about a section'), ('delete', 'delete'), ('end_installation', 'end installation'), ('erase text', 'erase texts'), ('export', 'export'), ('feedback', 'feedback'), ('grant', 'grant'), ('hand in', 'submit for ingestion'), ('ingest', 'ingest'), ('install', 'install'), ('invite', 'invite to write'), ('open_section', 'end a restriction of sections'), ('preview', 'preview as somebody else'), ('prolong', 'let a grant end later'), ('read_text', "read another person's text"), ('refusal', 'refusal'), ('remove_second_factor', 'remove a second factor'), ('replace', 'replace'), ('replay', 'replay'), ('restore', 'restore a backup'), ('restrict_section', 'restrict sections'), ('retry', 'try ingestion again'), ('review', 'find access still right'), ('revoke', 'revoke'), ('sign_in', 'sign in'), ('sign_in_failed', 'fail to sign in'), ('sign_out', 'sign out'), ('split_sections', "split a document by its sections' readers"), ('sync', 'ask a data source'), ('try again', 'try reply again')], max_length=50),
        ),
        migrations.RunSQL(FOLLOWS, NO_FOLLOWS),
        migrations.RunSQL(DERIVE, NO_DERIVE),
        migrations.RunSQL(RULES, NO_RULES),
    ]
