import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

# A grant opens the edition that is current when it is made, and those that follow. Whoever inserts it need not say so.
SINCE = """
CREATE FUNCTION footnote_grant_since() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.since_version = 0 THEN
        NEW.since_version := (SELECT version FROM core_document WHERE id = NEW.document_id);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER footnote_grant_since BEFORE INSERT ON core_roledocumentaccess
    FOR EACH ROW EXECUTE FUNCTION footnote_grant_since();
"""
NO_SINCE = """
DROP TRIGGER footnote_grant_since ON core_roledocumentaccess;
DROP FUNCTION footnote_grant_since;
"""

# The rule of access for one edition of a document, in the words of the database: each role set of the audience that
# the transaction states holds a role with a grant in force that opens the edition. False where none is stated. Its body
# is read when it is made, so that it also works where nothing is on the search path, as for pg_dump.
MAY_SHOW = """
CREATE FUNCTION footnote_audience() RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(current_setting('footnote.audience', true), '')::jsonb;
CREATE FUNCTION footnote_may_show(document uuid, edition integer) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
    RETURN coalesce(jsonb_array_length(footnote_audience()), 0) > 0 AND NOT EXISTS (
        SELECT FROM jsonb_array_elements(footnote_audience()) AS roles
        WHERE NOT EXISTS (
            SELECT FROM jsonb_array_elements_text(roles) AS role
                JOIN core_roledocumentaccess AS granted ON granted.role_id = role::uuid
            WHERE granted.document_id = document AND granted.since_version <= edition
                AND (granted.expires_at IS NULL OR granted.expires_at > statement_timestamp())
        )
    );
"""
NO_MAY_SHOW = """
DROP FUNCTION footnote_may_show;
DROP FUNCTION footnote_audience;
"""

# The words go with their quote. Django's own deletion would look for them first, under row-level security.
GO_ALONG = """
ALTER TABLE core_citationwords ADD CONSTRAINT core_citationwords_citation FOREIGN KEY (citation_id)
    REFERENCES core_citation (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE core_verifiedsourcewords ADD CONSTRAINT core_verifiedsourcewords_source FOREIGN KEY (source_id)
    REFERENCES core_verifiedsource (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
"""

WORDS = [
    ("document_name", models.CharField(max_length=500)),
    ("chapter", models.CharField(blank=True, default="", max_length=300)),
    ("section", models.CharField(blank=True, max_length=300)),
    ("source_url", models.CharField(blank=True, max_length=1000)),
    ("excerpt", models.CharField(max_length=200)),
    ("quoted_excerpt", models.TextField()),
    ("authors", models.CharField(blank=True, default="", max_length=300)),
    ("file_name", models.CharField(blank=True, default="", max_length=300)),
    ("full_citation", models.TextField(blank=True, default="")),
]


def _refer_to(model):
    return models.OneToOneField(
        on_delete=django.db.models.deletion.DO_NOTHING,
        db_constraint=False,
        primary_key=True,
        related_name="words",
        serialize=False,
        to=model,
    )


class Migration(migrations.Migration):
    """Editions: from which one on a role may read a document, and which one a quote is of.

    What is there already was for the first edition, until 0048 says more.
    """

    beside_old_code = (
        "It is made with Footnote stopped, as the changelog says: old code shows earlier editions to readers of later ones."
    )

    dependencies = [
        ("core", "0046_no_leftover_index"),
    ]

    operations = [
        migrations.AddField("roledocumentaccess", "since_version", models.PositiveIntegerField(db_default=1)),
        migrations.AlterField(
            "roledocumentaccess",
            "since_version",
            models.PositiveIntegerField(
                db_default=0,
                editable=False,
                help_text="The first edition of the document that the role may read. A trigger sets it where it is 0.",
            ),
        ),
        migrations.AddField("withdrawngrant", "since_version", models.PositiveIntegerField(db_default=1)),
        migrations.AlterField(
            "withdrawngrant",
            "since_version",
            models.PositiveIntegerField(db_default=0, help_text="As of the grant."),
        ),
        migrations.AddField("citation", "document_version", models.PositiveIntegerField(default=0, db_default=1)),
        migrations.AlterField(
            "citation",
            "document_version",
            models.PositiveIntegerField(
                default=0,
                db_default=0,
                help_text="The edition that is quoted; 0 where it is unknown, which nobody may read.",
            ),
        ),
        migrations.AlterField(
            "verifiedsource",
            "document_version",
            models.PositiveIntegerField(
                default=0,
                db_default=0,
                help_text="The edition that is quoted; 0 where it is unknown, which nobody may read.",
            ),
        ),
        migrations.AddField(
            "query",
            "named_versions",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.PositiveIntegerField(),
                blank=True,
                db_default=[],
                default=list,
                help_text="The edition of each of the named documents, in their order.",
                size=None,
            ),
        ),
        migrations.AlterField(
            "document",
            "version",
            models.PositiveIntegerField(
                default=1, help_text="Of its edition, from 1. Goes up each time the text or its description is replaced."
            ),
        ),
        migrations.CreateModel(
            name="CitationWords",
            fields=[*WORDS, ("citation", _refer_to("core.citation"))],
            options={"default_permissions": ()},
        ),
        migrations.CreateModel(
            name="VerifiedSourceWords",
            fields=[*WORDS, ("source", _refer_to("core.verifiedsource"))],
            options={"default_permissions": ()},
        ),
        migrations.RunSQL(GO_ALONG, migrations.RunSQL.noop),
        migrations.RunSQL(SINCE, NO_SINCE),
        migrations.RunSQL(MAY_SHOW, NO_MAY_SHOW),
    ]
