
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0042_access_classes'),
    ]

    operations = [
        migrations.AlterField(
            model_name='auditevent',
            name='action',
            field=models.CharField(choices=[('acknowledge', 'acknowledge'), ('activate', 'activate'), ('add_second_factor', 'add a second factor'), ('answer', 'answer'), ('answer_begun', 'show the beginning of an answer'), ('backup', 'take a backup'), ('change', 'change'), ('change_default_roles', 'change default roles'), ('change_members', 'change members'), ('change_roles', 'change roles'), ('create', 'create'), ('deactivate', 'deactivate'), ('delete', 'delete'), ('end_installation', 'end installation'), ('erase text', 'erase texts'), ('export', 'export'), ('feedback', 'feedback'), ('grant', 'grant'), ('hand in', 'submit for ingestion'), ('ingest', 'ingest'), ('install', 'install'), ('invite', 'invite to write'), ('preview', 'preview as somebody else'), ('prolong', 'let a grant end later'), ('read_text', "read another person's text"), ('refusal', 'refusal'), ('remove_second_factor', 'remove a second factor'), ('replace', 'replace'), ('replay', 'replay'), ('restore', 'restore a backup'), ('retry', 'try ingestion again'), ('review', 'find access still right'), ('revoke', 'revoke'), ('sign_in', 'sign in'), ('sign_in_failed', 'fail to sign in'), ('sign_out', 'sign out'), ('sync', 'ask a data source'), ('try again', 'try reply again')], max_length=50),
        ),
    ]
