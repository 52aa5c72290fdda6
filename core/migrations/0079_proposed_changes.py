"""Add proposed changes, and the late answers of those who had asked."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models

# What is written for a document is shown to an audience that may read the edition for which it was written; what is
# written for a new document to maintenance alone.
POLICIES = """
CREATE POLICY footnote_readers ON core_proposalwords FOR SELECT USING (
    (SELECT footnote_audience()) IS NOT NULL AND EXISTS (
        SELECT FROM core_proposedchange AS proposal
        WHERE proposal.id = core_proposalwords.proposal_id AND proposal.document_id IS NOT NULL
            AND footnote_may_show(proposal.document_id, proposal.document_version)
    )
);
CREATE POLICY footnote_maintenance ON core_proposalwords
    USING ((SELECT footnote_maintenance())) WITH CHECK ((SELECT footnote_maintenance()));
ALTER TABLE core_proposalwords ENABLE ROW LEVEL SECURITY;
ALTER TABLE core_proposalwords FORCE ROW LEVEL SECURITY;
"""
NO_POLICIES = """
ALTER TABLE core_proposalwords NO FORCE ROW LEVEL SECURITY;
ALTER TABLE core_proposalwords DISABLE ROW LEVEL SECURITY;
DROP POLICY footnote_maintenance ON core_proposalwords;
DROP POLICY footnote_readers ON core_proposalwords;
"""

# The words go with their proposal. Django's own deletion would look for them first, under row-level security.
GO_ALONG = """
ALTER TABLE core_proposalwords ADD CONSTRAINT core_proposalwords_proposal FOREIGN KEY (proposal_id)
    REFERENCES core_proposedchange (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
"""
STAY = "ALTER TABLE core_proposalwords DROP CONSTRAINT core_proposalwords_proposal;"


class Migration(migrations.Migration):
    """Add the tables of proposed changes."""

    beside_old_code = "Old code knows none of these tables."

    dependencies = [
        ('core', '0078_researches'),
    ]

    operations = [
        migrations.CreateModel(
            name='ProposedChange',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('way', models.CharField(choices=[('branch', 'branch'), ('merge_request', 'merge request'), ('draft_page', 'draft page'), ('mail', 'mail to the owner')], max_length=20)),
                ('state', models.CharField(choices=[('waiting', 'waiting to be sent'), ('sent', 'proposed'), ('merged', 'merged, not read yet'), ('done', 'in the library'), ('declined', 'declined'), ('failed', 'not sent'), ('withdrawn', 'withdrawn')], default='waiting', max_length=20)),
                ('document_version', models.PositiveIntegerField(default=0, help_text='For which the text was written.')),
                ('chunk_id', models.UUIDField(blank=True, help_text='The nearest passage, of which words go along.', null=True)),
                ('quote_start', models.PositiveIntegerField(default=0, help_text='Of these words, in characters of the passage.')),
                ('quote_end', models.PositiveIntegerField(default=0)),
                ('place', models.CharField(blank=True, help_text='Of a new document: its path, or the key of a space.', max_length=900)),
                ('base_fingerprint', models.CharField(blank=True, help_text='Of the item for which it was written.', max_length=300)),
                ('people', models.PositiveIntegerField(default=0, help_text='How many had asked.')),
                ('item_key', models.CharField(blank=True, help_text='Of the item that has it when merged.', max_length=900)),
                ('fingerprint', models.CharField(blank=True, help_text='Of that item if it is merged as sent.', max_length=300)),
                ('url', models.URLField(blank=True, max_length=1000)),
                ('number', models.CharField(blank=True, help_text='What identifies it at the source.', max_length=200)),
                ('branch', models.CharField(blank=True, max_length=200)),
                ('error_code', models.CharField(blank=True, max_length=60)),
                ('error', models.CharField(blank=True, max_length=500)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('sent_at', models.DateTimeField(blank=True, null=True)),
                ('looked_at', models.DateTimeField(blank=True, help_text='When the source was last asked about it.', null=True)),
                ('merged_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('contradiction', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='proposals', to='core.sourcecontradiction')),
                ('decided_by', models.ForeignKey(blank=True, help_text='Who said how it ended.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('document', models.ForeignKey(blank=True, help_text='Empty for a new one.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='proposals', to='core.document')),
                ('gap', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='proposals', to='core.contentgap')),
                ('proposed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('recipient', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('source', models.ForeignKey(blank=True, help_text='Not by mail.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='proposals', to='core.datasource')),
            ],
            options={
                'verbose_name': 'proposed change',
                'ordering': ['-created_at', 'pk'],
                'permissions': [('propose_changes', 'Can propose changes of documents where these live, for gaps and contradictions')],
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='ProposalWords',
            fields=[
                ('proposal', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='words', serialize=False, to='core.proposedchange')),
                ('title', models.CharField(max_length=200)),
                ('question', models.TextField(blank=True)),
                ('text', models.TextField()),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='LateAnswer',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('state', models.CharField(choices=[('queued', 'to be asked again'), ('told', 'told'), ('silent', 'not told')], default='queued', max_length=10)),
                ('silence', models.CharField(blank=True, choices=[('not_answered', 'it is still not answered for them'), ('already', 'another change has answered it'), ('no_way', 'no account in Slack and no mail'), ('not_readable', 'they may not read the answer any more'), ('erased', 'the question was erased'), ('inactive', 'their account is not active'), ('failed', 'it could not be delivered')], max_length=20)),
                ('is_beside', models.BooleanField(default=False, help_text='Of another gap: told only if the answer quotes the changed document, and not asked again by night.')),
                ('told_by', models.CharField(blank=True, choices=[('slack', 'Slack'), ('mail', 'mail')], max_length=10)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('asked_again', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='late_for', to='core.query')),
                ('query', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='late_answers', to='core.query')),
                ('proposal', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='late_answers', to='core.proposedchange')),
            ],
            options={
                'ordering': ['-created_at', 'pk'],
                'default_permissions': (),
            },
        ),
        migrations.AddIndex(
            model_name='proposedchange',
            index=models.Index(fields=['state', '-created_at'], name='proposal_state_created'),
        ),
        migrations.AddIndex(
            model_name='proposedchange',
            index=models.Index(fields=['-created_at'], name='proposal_created'),
        ),
        migrations.AddConstraint(
            model_name='proposedchange',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'sent', 'merged', 'done', 'declined', 'failed', 'withdrawn'])), name='proposal_state_known'),
        ),
        migrations.AddConstraint(
            model_name='proposedchange',
            constraint=models.CheckConstraint(condition=models.Q(('way__in', ['branch', 'merge_request', 'draft_page', 'mail'])), name='proposal_way_known'),
        ),
        migrations.AddConstraint(
            model_name='lateanswer',
            constraint=models.UniqueConstraint(fields=('proposal', 'query'), name='one_late_answer_per_question'),
        ),
        migrations.AlterField(
            model_name='auditevent',
            name='action',
            field=models.CharField(choices=[('acknowledge', 'acknowledge'), ('activate', 'activate'), ('add_second_factor', 'add a second factor'), ('answer', 'answer'), ('answer_begun', 'show the beginning of an answer'), ('backup', 'take a backup'), ('change', 'change'), ('change_default_roles', 'change default roles'), ('change_members', 'change members'), ('change_roles', 'change roles'), ('confirm', 'find a document still right'), ('create', 'create'), ('deactivate', 'deactivate'), ('decide_section', 'decide about a section'), ('delete', 'delete'), ('end_installation', 'end installation'), ('erase text', 'erase texts'), ('export', 'export'), ('feedback', 'feedback'), ('grant', 'grant'), ('hand in', 'submit for ingestion'), ('ingest', 'ingest'), ('install', 'install'), ('invite', 'invite to write'), ('open_section', 'end a restriction of sections'), ('preview', 'preview as somebody else'), ('prolong', 'let a grant end later'), ('propose', 'propose a change of a document'), ('read_text', "read another person's text"), ('refusal', 'refusal'), ('remove_second_factor', 'remove a second factor'), ('replace', 'replace'), ('replay', 'replay'), ('restore', 'restore a backup'), ('restrict_section', 'restrict sections'), ('retry', 'try ingestion again'), ('review', 'find access still right'), ('revoke', 'revoke'), ('sign_in', 'sign in'), ('sign_in_failed', 'fail to sign in'), ('sign_out', 'sign out'), ('split_sections', "split a document by its sections' readers"), ('sync', 'ask a data source'), ('try again', 'try reply again')], max_length=50),
        ),
        migrations.RunSQL(POLICIES, NO_POLICIES),
        migrations.RunSQL(GO_ALONG, STAY),
    ]
