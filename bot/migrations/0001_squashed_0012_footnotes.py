"""The tables of the bot in one step, for a new database; others go on with the migrations that it replaces."""

import django.db.models.deletion
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ('bot', '0001_initial'),
        ('bot', '0002_surfaces'),
        ('bot', '0003_handover'),
        ('bot', '0004_upload'),
        ('bot', '0005_installation'),
        ('bot', '0006_channel_kinds'),
        ('bot', '0007_plain_texts'),
        ('bot', '0008_digests'),
        ('bot', '0009_command_notes'),
        ('bot', '0010_reactions'),
        ('bot', '0011_unasked'),
        ('bot', '0012_footnotes'),
    ]

    initial = True

    dependencies = [
        ('core', '0001_squashed_0039_recognised_text'),
    ]

    operations = [
        migrations.CreateModel(
            name='SlackEvent',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('event_id', models.CharField(max_length=200, unique=True)),
                ('team_id', models.CharField(max_length=32)),
                ('channel_id', models.CharField(max_length=32)),
                ('user_id', models.CharField(max_length=32, verbose_name='Slack user')),
                ('ts', models.CharField(blank=True, help_text="The message's id in its Slack channel; empty if it is not a message.", max_length=32)),
                ('thread_ts', models.CharField(blank=True, help_text="The thread to answer in; the message's own ts starts a new one.", max_length=32)),
                ('kind', models.CharField(choices=[('mention', 'Mention'), ('direct', 'direct message'), ('follow_up', 'follow-up'), ('command', 'slash command'), ('selection', 'about a message'), ('private', 'private answer'), ('share', 'shared answer'), ('reaction', 'emoji on a message'), ('unasked', 'overheard in a channel')], max_length=10)),
                ('text', models.TextField(blank=True, help_text='Erased as soon as the query contains the question.')),
                ('state', models.CharField(choices=[('received', 'Received'), ('answered', 'Answered'), ('failed', 'Failed'), ('silent', 'nothing said')], default='received', max_length=10)),
                ('received_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('about', models.ForeignKey(blank=True, help_text='The earlier question to answer privately, or whose answer is shared.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='core.query')),
                ('filters', models.JSONField(blank=True, default=dict, help_text='Filters given with the question.')),
                ('selected_text', models.TextField(blank=True, help_text='If set, only this text is searched; erased with the text.')),
            ],
            options={
                'ordering': ['-received_at'],
                'indexes': [models.Index(condition=models.Q(('state', 'received')), fields=['received_at'], name='slack_event_open'), models.Index(fields=['-received_at'], name='slack_event_received'), models.Index(fields=['team_id', 'user_id', 'received_at'], name='slack_event_of_person'), models.Index(fields=['team_id', 'channel_id', 'received_at'], name='slack_event_in_channel')],
                'constraints': [models.UniqueConstraint(condition=models.Q(models.Q(('ts', ''), _negated=True), models.Q(('kind', 'unasked'), _negated=True)), fields=('team_id', 'channel_id', 'ts'), name='one_event_per_message')],
            },
        ),
        migrations.CreateModel(
            name='WatchedThread',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('team_id', models.CharField(max_length=32)),
                ('channel_id', models.CharField(max_length=32)),
                ('thread_ts', models.CharField(max_length=32)),
                ('last_speaker', models.CharField(blank=True, help_text='A Slack user; empty for Footnote itself.', max_length=32)),
                ('last_ts', models.CharField(help_text="Slack's id of the last message received.", max_length=32)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('team_id', 'channel_id', 'thread_ts'), name='one_watch_per_thread')],
            },
        ),
        migrations.CreateModel(
            name='Upload',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('team_id', models.CharField(max_length=32)),
                ('channel_id', models.CharField(max_length=32)),
                ('user_id', models.CharField(max_length=32, verbose_name='Slack user')),
                ('ts', models.CharField(help_text="Slack's id of the message with the files.", max_length=32)),
                ('thread_ts', models.CharField(max_length=32)),
                ('files', models.JSONField(help_text='For each file: its Slack id, name, size in bytes, and what is wrong with it.')),
                ('message_ts', models.CharField(blank=True, help_text="Slack's id of our message about them.", max_length=32)),
                ('state', models.CharField(choices=[('received', 'Received'), ('offered', 'Offered'), ('declined', 'Declined'), ('accepted', 'Accepted'), ('ingesting', 'Ingesting'), ('done', 'Done'), ('refused', 'Refused'), ('failed', 'Failed')], default='received', max_length=10)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('error_code', models.CharField(blank=True, max_length=60)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('collection', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='core.collection')),
                ('job', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='core.ingestionjob')),
                ('roles', models.ManyToManyField(blank=True, related_name='+', to='core.role')),
            ],
            options={
                'ordering': ['-created_at'],
                'constraints': [models.UniqueConstraint(fields=('team_id', 'channel_id', 'ts'), name='one_upload_per_message')],
            },
        ),
        migrations.CreateModel(
            name='Installation',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('team_id', models.CharField(max_length=32, unique=True, verbose_name='Slack team')),
                ('team_name', models.CharField(blank=True, max_length=200, verbose_name='workspace')),
                ('enterprise_id', models.CharField(blank=True, max_length=32, verbose_name='enterprise')),
                ('app_id', models.CharField(blank=True, max_length=32, verbose_name='Slack app')),
                ('bot_user_id', models.CharField(max_length=32, verbose_name="bot's Slack user")),
                ('bot_id', models.CharField(blank=True, max_length=32, verbose_name='bot')),
                ('encrypted_token', models.TextField(blank=True, editable=False)),
                ('scopes', models.CharField(blank=True, help_text='What the workspace lets the bot do.', max_length=1000)),
                ('installed_by', models.CharField(blank=True, max_length=32, verbose_name='installed by Slack user')),
                ('installed_at', models.DateTimeField()),
                ('is_active', models.BooleanField(default=True, verbose_name='in use')),
            ],
            options={
                'ordering': ['team_name', 'team_id'],
            },
        ),
        migrations.CreateModel(
            name='SocketHeartbeat',
            fields=[
                ('id', models.PositiveSmallIntegerField(default=1, editable=False, primary_key=True, serialize=False)),
                ('alive_at', models.DateTimeField()),
            ],
            options={
                'verbose_name': 'heartbeat of Socket Mode',
                'verbose_name_plural': 'heartbeat of Socket Mode',
            },
        ),
        migrations.CreateModel(
            name='ChannelKind',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('team_id', models.CharField(max_length=32)),
                ('channel_id', models.CharField(max_length=32)),
                ('read_by', models.CharField(choices=[('members', 'Members'), ('workspace', 'everyone in the workspace'), ('others', 'other organisations too')], max_length=10)),
                ('checked_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('team_id', 'channel_id'), name='one_kind_per_channel')],
            },
        ),
        migrations.CreateModel(
            name='Digest',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('team_id', models.CharField(max_length=32)),
                ('channel_id', models.CharField(max_length=32)),
                ('week', models.DateField(help_text='The Monday on which the week began.')),
                ('state', models.CharField(choices=[('waiting', 'waiting to be posted'), ('posted', 'Posted'), ('failed', 'Failed')], default='waiting', max_length=10)),
                ('ts', models.CharField(blank=True, help_text="Slack's id of the posted message.", max_length=32)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('error_code', models.CharField(blank=True, max_length=60)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('posted_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-created_at'],
                'constraints': [models.UniqueConstraint(fields=('team_id', 'channel_id', 'week'), name='one_digest_per_channel_and_week')],
            },
        ),
        migrations.CreateModel(
            name='Reply',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('channel_id', models.CharField(blank=True, help_text='Empty until the direct messages with the asker are opened.', max_length=32)),
                ('thread_ts', models.CharField(blank=True, max_length=32)),
                ('ts', models.CharField(blank=True, help_text="Slack's id of the posted message.", max_length=32)),
                ('state', models.CharField(choices=[('pending', 'Pending'), ('placed', 'placeholder posted'), ('posted', 'Posted'), ('failed', 'Failed'), ('silent', 'nothing said')], default='pending', max_length=10)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('error_code', models.CharField(blank=True, help_text='The error from Slack or from answering, as a code.', max_length=60)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('placed_at', models.DateTimeField(blank=True, null=True)),
                ('posted_at', models.DateTimeField(blank=True, null=True)),
                ('query', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='core.query')),
                ('event', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='reply', to='bot.slackevent')),
                ('is_stream', models.BooleanField(default=False, help_text='The message is a stream that has not ended.')),
                ('offered_at', models.DateTimeField(blank=True, help_text='When the asker was offered a private answer.', null=True)),
                ('response_url', models.TextField(blank=True, help_text="Where Slack accepts an answer that only the asker sees; erased with the event's text.")),
                ('note_url', models.TextField(blank=True, help_text='Where a slash command was typed and may be told where the reply is; erased at the end.')),
            ],
            options={
                'verbose_name_plural': 'replies',
                'ordering': ['-created_at'],
                'indexes': [models.Index(condition=models.Q(('state', 'failed')), fields=['-created_at'], name='reply_failed'), models.Index(fields=['channel_id', 'thread_ts'], name='reply_of_thread')],
            },
        ),
        migrations.CreateModel(
            name='HandOver',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('team_id', models.CharField(max_length=32)),
                ('channel_id', models.CharField(help_text='Where people are asked.', max_length=32)),
                ('thread_ts', models.CharField(blank=True, help_text='Empty if the message starts a thread.', max_length=32)),
                ('asked_by', models.CharField(help_text='The Slack user who handed the question over.', max_length=32, verbose_name='asked by')),
                ('state', models.CharField(choices=[('waiting', 'waiting to be posted'), ('open', 'Open'), ('resolved', 'Resolved'), ('failed', 'Failed')], default='waiting', max_length=10)),
                ('ts', models.CharField(blank=True, help_text="Slack's id of the posted message.", max_length=32)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('error_code', models.CharField(blank=True, max_length=60)),
                ('resolved_by', models.CharField(blank=True, help_text='The Slack user who marked it as resolved.', max_length=32)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('posted_at', models.DateTimeField(blank=True, null=True)),
                ('resolved_at', models.DateTimeField(blank=True, null=True)),
                ('query', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='core.query')),
                ('reply', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='hand_overs', to='bot.reply')),
            ],
            options={
                'verbose_name': 'hand-over',
                'ordering': [models.OrderBy(models.F('resolved_at'), nulls_first=True), '-created_at'],
                'indexes': [models.Index(fields=['team_id', 'channel_id', 'thread_ts'], name='hand_over_of_thread')],
            },
        ),
        migrations.CreateModel(
            name='FootnoteNotice',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('channel_id', models.CharField(blank=True, help_text='Empty until direct messages are opened.', max_length=32)),
                ('thread_ts', models.CharField(blank=True, max_length=32)),
                ('ts', models.CharField(blank=True, help_text="Slack's id of the posted message.", max_length=32)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('error_code', models.CharField(blank=True, max_length=60)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('posted_at', models.DateTimeField(blank=True, null=True)),
                ('change', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='core.footnotechange')),
                ('reply', models.ForeignKey(help_text='The answer it tells of.', on_delete=django.db.models.deletion.CASCADE, related_name='+', to='bot.reply')),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
    ]
