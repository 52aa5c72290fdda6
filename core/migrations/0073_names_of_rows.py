"""Name rows as the menu of the admin does: titles, buttons and the question before deleting are made of these names."""

from django.db import migrations


class Migration(migrations.Migration):
    """Change names that are in no table."""

    dependencies = [("core", "0072_languages_of_files")]

    operations = [
        migrations.AlterModelOptions(
            name='benchmarkresult',
            options={'ordering': ['-created_at'], 'verbose_name': 'benchmark'},
        ),
        migrations.AlterModelOptions(
            name='channelsetting',
            options={'verbose_name': 'channel'},
        ),
        migrations.AlterModelOptions(
            name='datasource',
            options={'ordering': ['name'], 'verbose_name': 'source'},
        ),
        migrations.AlterModelOptions(
            name='evaluationresult',
            options={'ordering': ['-evaluated_at'], 'verbose_name': 'evaluation'},
        ),
        migrations.AlterModelOptions(
            name='ingestionjob',
            options={'ordering': ['-created_at'], 'verbose_name': 'upload'},
        ),
        migrations.AlterModelOptions(
            name='query',
            options={'ordering': ['-created_at'], 'verbose_name': 'question'},
        ),
        migrations.AlterModelOptions(
            name='querylog',
            options={'ordering': ['-created_at'], 'permissions': [('view_reports', "Can read reports over all people's queries"), ('view_person_reports', 'Can read reports by person')], 'verbose_name': 'figures of a question', 'verbose_name_plural': 'figures of questions'},
        ),
        migrations.AlterModelOptions(
            name='slackidentity',
            options={'verbose_name': 'account'},
        ),
        migrations.AlterModelOptions(
            name='usergrouprole',
            options={'ordering': ['team_id', 'handle', 'usergroup_id'], 'verbose_name': 'usergroup'},
        ),
    ]
