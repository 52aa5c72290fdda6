"""Add checks of changes before they are live, the limits that hold such a change, and thresholds put live."""

import django.core.validators
import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models

# A line's words are shown to an audience that may read every source of the line. Without a source they are nobody's.
POLICIES = """
CREATE POLICY footnote_readers ON core_changecheckwords FOR SELECT USING (
    (SELECT footnote_audience()) IS NOT NULL
    AND EXISTS (SELECT FROM core_changechecksource AS source WHERE source.line_id = core_changecheckwords.line_id)
    AND NOT EXISTS (
        SELECT FROM core_changechecksource AS source
        WHERE source.line_id = core_changecheckwords.line_id AND CASE
            WHEN source.document_id IS NULL THEN true
            ELSE NOT footnote_may_show(source.document_id, source.document_version)
        END
    )
);
CREATE POLICY footnote_maintenance ON core_changecheckwords
    USING ((SELECT footnote_maintenance())) WITH CHECK ((SELECT footnote_maintenance()));
ALTER TABLE core_changecheckwords ENABLE ROW LEVEL SECURITY;
ALTER TABLE core_changecheckwords FORCE ROW LEVEL SECURITY;
"""
NO_POLICIES = """
ALTER TABLE core_changecheckwords NO FORCE ROW LEVEL SECURITY;
ALTER TABLE core_changecheckwords DISABLE ROW LEVEL SECURITY;
DROP POLICY footnote_maintenance ON core_changecheckwords;
DROP POLICY footnote_readers ON core_changecheckwords;
"""

# The words go with their line. Django's own deletion would look for them first, under row-level security.
GO_ALONG = """
ALTER TABLE core_changecheckwords ADD CONSTRAINT core_changecheckwords_line FOREIGN KEY (line_id)
    REFERENCES core_changecheckline (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
"""
STAY = "ALTER TABLE core_changecheckwords DROP CONSTRAINT core_changecheckwords_line;"

# A document is deleted under maintenance, where the trigger sees the words.
WITHOUT_DOCUMENT = """
CREATE FUNCTION footnote_forget_checked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM core_changecheckwords WHERE line_id = NEW.line_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER footnote_forget_checked AFTER UPDATE OF document_id ON core_changechecksource
    FOR EACH ROW WHEN (NEW.document_id IS NULL AND OLD.document_id IS NOT NULL)
    EXECUTE FUNCTION footnote_forget_checked();
"""
WITH_DOCUMENT = """
DROP TRIGGER footnote_forget_checked ON core_changechecksource;
DROP FUNCTION footnote_forget_checked;
"""


class Migration(migrations.Migration):
    """Add the tables of checks."""

    beside_old_code = "Old code knows none of these tables, and holds no upload and no run."

    dependencies = [
        ('core', '0079_proposed_changes'),
    ]

    operations = [
        migrations.CreateModel(
            name='ChangeCheckLine',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveIntegerField(help_text='From 1.')),
                ('asked_for', models.CharField(choices=[('person', 'person'), ('library', 'library')], max_length=10)),
                ('outcome', models.CharField(choices=[('failed', 'fails'), ('vanished', 'no longer answered'), ('disputed', 'disputed, by another document'), ('sources', 'from other documents'), ('wording', 'other words, same documents'), ('answered', 'newly answered'), ('same', 'the same')], max_length=10)),
                ('is_worse', models.BooleanField(help_text='It fails, vanishes, is disputed, or was right and is not any more.')),
                ('is_displaced', models.BooleanField(default=False, help_text='It cites other documents, and none of those of before.')),
                ('gains', models.PositiveIntegerField(default=0, help_text='Documents cited that this reader cannot read now.')),
            ],
            options={
                'ordering': ['check_of', 'number'],
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='ChangeLimit',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('grants', 'grants'), ('editions', 'documents of a source or an upload'), ('thresholds', 'answer thresholds'), ('model', 'answer model')], max_length=20, unique=True)),
                ('is_on', models.BooleanField(default=False, verbose_name='check before it is live')),
                ('from_documents', models.PositiveIntegerField(default=10, help_text='A change of fewer documents is made at once. For thresholds and models it says nothing.', validators=[django.core.validators.MinValueValidator(1)], verbose_name='from so many documents')),
                ('most_worse', models.PositiveSmallIntegerField(default=0, help_text='Percent of the questions asked. Above it, the change waits for a yes. Answers that vanish count.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100)], verbose_name='most answers that get worse')),
                ('most_moved', models.PositiveSmallIntegerField(default=0, help_text='Percent of the questions asked. Counted are answers from none of the documents of before, or from one that their reader cannot read now.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100)], verbose_name='most answers from other documents')),
                ('most_changed', models.PositiveSmallIntegerField(blank=True, help_text='Percent of the questions asked, whether for better or worse. Empty: no limit.', null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100)], verbose_name='most answers that change')),
                ('most_people', models.PositiveIntegerField(blank=True, help_text='Of grants. Empty: no limit.', null=True, verbose_name='most people who gain or lose documents')),
            ],
            options={
                'verbose_name': 'limit of changes',
                'verbose_name_plural': 'limits of changes',
                'ordering': ['kind'],
                'default_permissions': ('view', 'change'),
            },
        ),
        migrations.AlterField(
            model_name='auditevent',
            name='action',
            field=models.CharField(choices=[('acknowledge', 'acknowledge'), ('activate', 'activate'), ('add_second_factor', 'add a second factor'), ('answer', 'answer'), ('answer_begun', 'show the beginning of an answer'), ('backup', 'take a backup'), ('change', 'change'), ('change_default_roles', 'change default roles'), ('change_members', 'change members'), ('change_roles', 'change roles'), ('check_change', 'check a change before it is live'), ('confirm', 'find a document still right'), ('create', 'create'), ('deactivate', 'deactivate'), ('decide_change', 'decide about a checked change'), ('decide_section', 'decide about a section'), ('delete', 'delete'), ('end_installation', 'end installation'), ('erase text', 'erase texts'), ('export', 'export'), ('feedback', 'feedback'), ('grant', 'grant'), ('hand in', 'submit for ingestion'), ('ingest', 'ingest'), ('install', 'install'), ('invite', 'invite to write'), ('open_section', 'end a restriction of sections'), ('preview', 'preview as somebody else'), ('prolong', 'let a grant end later'), ('propose', 'propose a change of a document'), ('read_text', "read another person's text"), ('refusal', 'refusal'), ('remove_second_factor', 'remove a second factor'), ('replace', 'replace'), ('replay', 'replay'), ('restore', 'restore a backup'), ('restrict_section', 'restrict sections'), ('retry', 'try ingestion again'), ('review', 'find access still right'), ('revoke', 'revoke'), ('sign_in', 'sign in'), ('sign_in_failed', 'fail to sign in'), ('sign_out', 'sign out'), ('split_sections', "split a document by its sections' readers"), ('sync', 'ask a data source'), ('try again', 'try reply again')], max_length=50),
        ),
        migrations.AlterField(
            model_name='ingestionjob',
            name='state',
            field=models.CharField(choices=[('queued', 'Queued'), ('held', 'checked before it is live'), ('running', 'Running'), ('done', 'Done'), ('partly_failed', 'partly failed'), ('failed', 'Failed')], default='queued', max_length=20),
        ),
        migrations.AlterField(
            model_name='syncrun',
            name='state',
            field=models.CharField(choices=[('queued', 'queued'), ('listing', 'listing'), ('asking', 'waits for a decision'), ('checking', 'checked before it is live'), ('applying', 'withdrawing'), ('ingesting', 'reading documents'), ('done', 'done'), ('partly_failed', 'partly failed'), ('failed', 'failed'), ('stopped', 'stopped')], default='queued', max_length=20),
        ),
        migrations.CreateModel(
            name='ChangeCheck',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('grants', 'grants'), ('editions', 'documents of a source or an upload'), ('thresholds', 'answer thresholds'), ('model', 'answer model')], max_length=20)),
                ('state', models.CharField(choices=[('waiting', 'waiting for the worker'), ('running', 'asking questions'), ('tried', 'checked'), ('held', 'waits for a yes'), ('made', 'live'), ('declined', 'declined'), ('stopped', 'stopped'), ('failed', 'failed')], default='waiting', max_length=20)),
                ('is_gate', models.BooleanField(help_text='The change is made by itself where it crosses no limit.')),
                ('change', models.JSONField(help_text='The change itself, by ids and figures: its kind reads it.')),
                ('limits', models.JSONField(blank=True, default=dict, help_text='The limits that held when it was asked for.')),
                ('crossed', models.JSONField(blank=True, default=list, help_text='The limits that it crosses.')),
                ('reason', models.CharField(blank=True, help_text='Why it failed or was stopped.', max_length=300)),
                ('total', models.PositiveIntegerField(default=0, help_text='Questions to ask; 0 until they are chosen.')),
                ('asked', models.PositiveIntegerField(default=0, help_text='Questions asked so far, each without and with it.')),
                ('figures', models.JSONField(blank=True, default=dict, help_text='Empty until the end.')),
                ('is_stopping', models.BooleanField(default=False, help_text='Somebody asked it to stop.')),
                ('attempts', models.PositiveSmallIntegerField(default=0, help_text='How often a worker began it.')),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('seen_at', models.DateTimeField(blank=True, help_text='When the worker last made progress.', null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('asked_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('examination', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='checks', to='core.modelexamination')),
                ('job', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='checks', to='core.ingestionjob')),
                ('run', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='checks', to='core.syncrun')),
            ],
            options={
                'verbose_name': 'check of a change',
                'verbose_name_plural': 'checks of changes',
                'ordering': ['-created_at', 'pk'],
                'permissions': [('decide_changes', 'Can check changes before they are live, and decide about them')],
                'default_permissions': ('view',),
            },
        ),
        migrations.CreateModel(
            name='ChangeCheckWords',
            fields=[
                ('line', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='words', serialize=False, to='core.changecheckline')),
                ('question', models.TextField()),
                ('before_text', models.TextField(blank=True, help_text='Empty where nothing was answered.')),
                ('after_text', models.TextField(blank=True, help_text='Empty where nothing was answered, or of a new document.')),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.AddField(
            model_name='changecheckline',
            name='check_of',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='lines', to='core.changecheck'),
        ),
        migrations.AddField(
            model_name='changecheckline',
            name='person',
            field=models.ForeignKey(blank=True, help_text='Who asked it.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='changecheckline',
            name='query',
            field=models.ForeignKey(blank=True, help_text='That somebody asked.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='core.query'),
        ),
        migrations.AddField(
            model_name='changecheckline',
            name='role',
            field=models.ForeignKey(blank=True, help_text='As whom the library asks.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='core.role'),
        ),
        migrations.CreateModel(
            name='ChangeCheckSource',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('document_version', models.PositiveIntegerField()),
                ('side', models.CharField(choices=[('question', 'question'), ('before', 'before'), ('after', 'after')], max_length=10)),
                ('document', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='core.document')),
                ('line', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sources', to='core.changecheckline')),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='AnswerThresholds',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('answer_from', models.FloatField(validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('closest_from', models.FloatField(validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('is_only', models.BooleanField(default=True, editable=False, unique=True)),
                ('changed_at', models.DateTimeField(auto_now=True)),
                ('changed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'answer thresholds',
                'verbose_name_plural': 'answer thresholds',
                'default_permissions': ('change',),
                'constraints': [models.CheckConstraint(condition=models.Q(('is_only', True)), name='one_row_of_thresholds'), models.CheckConstraint(condition=models.Q(('answer_from__lte', 1), ('closest_from__gte', 0), ('closest_from__lte', models.F('answer_from'))), name='thresholds_fit_together')],
            },
        ),
        migrations.AddIndex(
            model_name='changecheck',
            index=models.Index(fields=['state', '-created_at'], name='check_state_created'),
        ),
        migrations.AddConstraint(
            model_name='changecheck',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['grants', 'editions', 'thresholds', 'model'])), name='check_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='changecheck',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'running', 'tried', 'held', 'made', 'declined', 'stopped', 'failed'])), name='check_state_known'),
        ),
        migrations.AddConstraint(
            model_name='changecheckline',
            constraint=models.UniqueConstraint(fields=('check_of', 'number'), name='one_check_line_per_number'),
        ),
        migrations.AddConstraint(
            model_name='changechecksource',
            constraint=models.UniqueConstraint(fields=('line', 'document', 'document_version', 'side'), name='one_check_source_per_edition'),
        ),
        migrations.RunSQL(POLICIES, NO_POLICIES),
        migrations.RunSQL(GO_ALONG, STAY),
        migrations.RunSQL(WITHOUT_DOCUMENT, WITH_DOCUMENT),
    ]
