
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("bot", "0013_questions_asked_again"),
    ]

    operations = [
        migrations.AddField(
            model_name='slackevent',
            name='stop_asked_at',
            field=models.DateTimeField(blank=True, help_text='When the asker wished that answering stops; before the end, that is the end.', null=True),
        ),
        migrations.AlterField(
            model_name='reply',
            name='state',
            field=models.CharField(choices=[('pending', 'Pending'), ('placed', 'placeholder posted'), ('posted', 'Posted'), ('failed', 'Failed'), ('silent', 'nothing said'), ('stopped', 'stopped by the asker')], default='pending', max_length=10),
        ),
        migrations.AlterField(
            model_name='slackevent',
            name='state',
            field=models.CharField(choices=[('received', 'Received'), ('answered', 'Answered'), ('failed', 'Failed'), ('silent', 'nothing said'), ('stopped', 'stopped by the asker')], default='received', max_length=10),
        ),
        migrations.CreateModel(
            name='Opening',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('team_id', models.CharField(max_length=32)),
                ('slack_user_id', models.CharField(max_length=32, verbose_name='Slack user')),
                ('channel_id', models.CharField(max_length=32)),
                ('last_event_id', models.CharField(help_text="Slack's id of the last time it was opened.", max_length=200)),
                ('ts', models.CharField(blank=True, help_text="Slack's id of the greeting; empty if there is none.", max_length=32)),
                ('opened_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('team_id', 'slack_user_id'), name='one_opening_per_person')],
            },
        ),
    ]
