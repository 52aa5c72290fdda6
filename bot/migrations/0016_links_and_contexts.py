
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('bot', '0015_removed_replies'),
    ]

    operations = [
        migrations.CreateModel(
            name='Unfurl',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('event_id', models.CharField(max_length=200, unique=True)),
                ('team_id', models.CharField(max_length=32)),
                ('channel_id', models.CharField(max_length=32)),
                ('user_id', models.CharField(max_length=32, verbose_name='Slack user')),
                ('message_ts', models.CharField(help_text="Slack's id of the message with the links.", max_length=32)),
                ('urls', models.JSONField(default=list, help_text='The links as they were posted; erased at the end.')),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('shown', 'Shown'), ('silent', 'nothing shown'), ('failed', 'Failed')], default='waiting', max_length=10)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('error_code', models.CharField(blank=True, max_length=60)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.AddField(
            model_name='slackevent',
            name='context_channel_id',
            field=models.CharField(blank=True, db_default='', default='', help_text='The channel that the asker had open and named as this channel; erased with the text.', max_length=32),
        ),
        migrations.CreateModel(
            name='AppContext',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('team_id', models.CharField(max_length=32)),
                ('slack_user_id', models.CharField(max_length=32, verbose_name='Slack user')),
                ('channel_id', models.CharField(blank=True, help_text='Empty if no channel was open.', max_length=32)),
                ('seen_at', models.DateTimeField(help_text='When it was so, as Slack says.')),
            ],
            options={
                'indexes': [models.Index(fields=['seen_at'], name='app_context_seen')],
                'constraints': [models.UniqueConstraint(fields=('team_id', 'slack_user_id'), name='one_app_context_per_person')],
            },
        ),
    ]
