"""Add pairs of documents that contradict each other, and put their words under row-level security."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


# Words of a pair are shown to an audience that may read both editions.
POLICIES = """
CREATE POLICY footnote_readers ON core_contradictionwords FOR SELECT USING (
    (SELECT footnote_audience()) IS NOT NULL AND EXISTS (
        SELECT FROM core_sourcecontradiction AS pair
        WHERE pair.id = core_contradictionwords.contradiction_id
            AND footnote_may_show(pair.newer_id, pair.newer_version)
            AND footnote_may_show(pair.older_id, pair.older_version)
    )
);
CREATE POLICY footnote_maintenance ON core_contradictionwords
    USING ((SELECT footnote_maintenance())) WITH CHECK ((SELECT footnote_maintenance()));
ALTER TABLE core_contradictionwords ENABLE ROW LEVEL SECURITY;
ALTER TABLE core_contradictionwords FORCE ROW LEVEL SECURITY;
"""
NO_POLICIES = """
ALTER TABLE core_contradictionwords NO FORCE ROW LEVEL SECURITY;
ALTER TABLE core_contradictionwords DISABLE ROW LEVEL SECURITY;
DROP POLICY footnote_maintenance ON core_contradictionwords;
DROP POLICY footnote_readers ON core_contradictionwords;
"""

# The words go with their pair. Django's own deletion would look for them first, under row-level security.
GO_ALONG = """
ALTER TABLE core_contradictionwords ADD CONSTRAINT core_contradictionwords_pair FOREIGN KEY (contradiction_id)
    REFERENCES core_sourcecontradiction (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
"""
STAY = "ALTER TABLE core_contradictionwords DROP CONSTRAINT core_contradictionwords_pair;"


class Migration(migrations.Migration):
    """Add the tables of contradictions."""

    beside_old_code = "Old code knows none of these tables."

    dependencies = [
        ('core', '0075_local_models'),
    ]

    operations = [
        migrations.CreateModel(
            name='ContradictionLook',
            fields=[
                ('document', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='core.document')),
                ('document_version', models.PositiveIntegerField()),
                ('looked_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='SourceContradiction',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('newer_version', models.PositiveIntegerField()),
                ('newer_chunk_id', models.UUIDField()),
                ('newer_start', models.PositiveIntegerField(help_text='Of the sentence or row, in characters of its passage.')),
                ('newer_end', models.PositiveIntegerField()),
                ('newer_says_start', models.PositiveIntegerField(help_text='Of the value, in characters of its passage.')),
                ('newer_says_end', models.PositiveIntegerField()),
                ('newer_digest', models.CharField(help_text='SHA-256 of the sentence or row.', max_length=64)),
                ('older_version', models.PositiveIntegerField()),
                ('older_chunk_id', models.UUIDField()),
                ('older_start', models.PositiveIntegerField(help_text='Of the sentence or row, in characters of its passage.')),
                ('older_end', models.PositiveIntegerField()),
                ('older_says_start', models.PositiveIntegerField(help_text='Of the value, in characters of its passage.')),
                ('older_says_end', models.PositiveIntegerField()),
                ('older_digest', models.CharField(help_text='SHA-256 of the sentence or row.', max_length=64)),
                ('digest', models.CharField(help_text='SHA-256 of both documents and their words: a pair is found once.', max_length=64, unique=True)),
                ('state', models.CharField(choices=[('open', 'open'), ('one_holds', 'one holds'), ('both_hold', 'both hold'), ('asked', 'owner asked'), ('gone', 'gone')], default='open', max_length=10)),
                ('holds', models.CharField(blank=True, choices=[('newer', 'the newer one'), ('older', 'the older one')], help_text='Empty but where one holds.', max_length=5)),
                ('asked_at', models.DateTimeField(blank=True, null=True)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('found_at', models.DateTimeField(auto_now_add=True)),
                ('gone_at', models.DateTimeField(blank=True, null=True)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('newer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='core.document')),
                ('older', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='core.document')),
                ('owner_asked', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='owner who was asked')),
            ],
            options={
                'verbose_name': 'contradiction',
                'ordering': ['-found_at', 'pk'],
                'permissions': [('view_contradictions', 'Can see which documents contradict each other, of those that they may read'), ('manage_contradictions', 'Can decide which of two documents holds, of those that they may read')],
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='ContradictionWords',
            fields=[
                ('contradiction', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='words', serialize=False, to='core.sourcecontradiction')),
                ('question', models.TextField()),
                ('reason', models.TextField(blank=True, max_length=1000)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.AddIndex(
            model_name='sourcecontradiction',
            index=models.Index(fields=['-found_at'], name='contradiction_found'),
        ),
        migrations.AddConstraint(
            model_name='sourcecontradiction',
            constraint=models.CheckConstraint(condition=models.Q(('newer', models.F('older')), _negated=True), name='contradiction_of_two_documents'),
        ),
        migrations.AddConstraint(
            model_name='sourcecontradiction',
            constraint=models.CheckConstraint(condition=models.Q(('state', 'gone'), models.Q(('state', 'one_holds'), models.Q(('holds', ''), _negated=True)), models.Q(models.Q(('state', 'one_holds'), _negated=True), ('holds', '')), _connector='OR'), name='contradiction_holds_where_decided'),
        ),
        migrations.AddConstraint(
            model_name='sourcecontradiction',
            constraint=models.CheckConstraint(condition=models.Q(('newer_start__lt', models.F('newer_end')), ('older_start__lt', models.F('older_end'))), name='contradiction_offsets_in_order'),
        ),
        migrations.RunSQL(POLICIES, NO_POLICIES),
        migrations.RunSQL(GO_ALONG, STAY),
    ]
