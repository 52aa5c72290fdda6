"""Add the seals of answers, from which signed receipts are issued."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Add the table of seals, and the right to issue receipts of others' answers."""

    beside_old_code = "Old code does not know the table: what it answers is sealed once a receipt of it is issued."

    dependencies = [
        ('core', '0081_oversharing'),
    ]

    operations = [
        migrations.CreateModel(
            name='AnswerSeal',
            fields=[
                ('answer', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='seal', serialize=False, to='core.answer')),
                ('salt', models.CharField(help_text='Random, as hexadecimal; each part has a salt made of it.', max_length=64)),
                ('facts', models.JSONField(help_text='Who asked, by id, the roles that could read, hashes of files and the version, as they were.')),
                ('sealed', models.CharField(help_text='The seal, as hexadecimal.', max_length=64)),
                ('is_late', models.BooleanField(default=False, help_text='Made when a receipt was issued: the answer is older than receipts.')),
            ],
            options={
                'permissions': [('issue_receipts', "Can issue receipts of the answers to others' questions")],
                'default_permissions': (),
            },
        ),
        migrations.AlterField(
            model_name='auditevent',
            name='action',
            field=models.CharField(choices=[('accept_risk', 'find right that many read something'), ('acknowledge', 'acknowledge'), ('activate', 'activate'), ('add_second_factor', 'add a second factor'), ('answer', 'answer'), ('answer_begun', 'show the beginning of an answer'), ('backup', 'take a backup'), ('change', 'change'), ('change_default_roles', 'change default roles'), ('change_members', 'change members'), ('change_roles', 'change roles'), ('check_change', 'check a change before it is live'), ('confirm', 'find a document still right'), ('create', 'create'), ('deactivate', 'deactivate'), ('decide_change', 'decide about a checked change'), ('decide_section', 'decide about a section'), ('delete', 'delete'), ('end_installation', 'end installation'), ('erase text', 'erase texts'), ('export', 'export'), ('feedback', 'feedback'), ('grant', 'grant'), ('hand in', 'submit for ingestion'), ('hide_secret', 'mask a secret again'), ('ingest', 'ingest'), ('install', 'install'), ('invite', 'invite to write'), ('issue_receipt', 'issue a signed receipt'), ('narrow_risk', 'narrow who reads what many may read'), ('open_section', 'end a restriction of sections'), ('preview', 'preview as somebody else'), ('prolong', 'let a grant end later'), ('propose', 'propose a change of a document'), ('read_text', "read another person's text"), ('refusal', 'refusal'), ('remove_second_factor', 'remove a second factor'), ('replace', 'replace'), ('replay', 'replay'), ('restore', 'restore a backup'), ('restrict_section', 'restrict sections'), ('retry', 'try ingestion again'), ('review', 'find access still right'), ('revoke', 'revoke'), ('show_secret', 'let a secret be read'), ('sign_in', 'sign in'), ('sign_in_failed', 'fail to sign in'), ('sign_out', 'sign out'), ('split_sections', "split a document by its sections' readers"), ('sync', 'ask a data source'), ('try again', 'try reply again')], max_length=50),
        ),
    ]
