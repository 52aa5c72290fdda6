"""The tables of Slack's place in one step, for a new database; others go on with the migrations that it replaces."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ('local', '0001_initial'),
        ('local', '0002_response_address'),
        ('local', '0003_stacked_views'),
        ('local', '0004_home'),
        ('local', '0005_streams_and_chats'),
        ('local', '0006_files'),
        ('local', '0007_usergroups'),
        ('local', '0008_views_by_browser'),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='LocalChannel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('channel_id', models.CharField(help_text='Slack\'s form, such as "CGENERAL".', max_length=32, unique=True)),
                ('name', models.CharField(blank=True, max_length=80)),
                ('topic', models.CharField(blank=True, max_length=250)),
                ('is_im', models.BooleanField(default=False)),
                ('is_private', models.BooleanField(default=False)),
                ('suggestions', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=300), default=list, help_text='Questions to start with.', size=None)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('members', models.ManyToManyField(related_name='local_channels', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['is_im', 'name'],
            },
        ),
        migrations.CreateModel(
            name='LocalView',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('view_id', models.CharField(max_length=32, unique=True)),
                ('trigger_id', models.CharField(help_text='The trigger that opened it: each opens one view.', max_length=200)),
                ('content', models.JSONField(help_text='The view as the bot gave it.')),
                ('hash', models.CharField(help_text='Changes with every update.', max_length=40)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='local_views', to=settings.AUTH_USER_MODEL)),
                ('depth', models.PositiveSmallIntegerField(default=0, help_text='How many lie below it.')),
                ('browser', models.CharField(blank=True, help_text='Of several that are the same person.', max_length=8)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'browser', 'depth'), name='local_view_stack')],
                'ordering': ['user', 'depth'],
            },
        ),
        migrations.CreateModel(
            name='LocalHome',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('view_id', models.CharField(max_length=32, unique=True)),
                ('content', models.JSONField(help_text='The view as the bot gave it.')),
                ('hash', models.CharField(help_text='Changes with every publication.', max_length=40)),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='local_home', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='LocalUsergroup',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('usergroup_id', models.CharField(max_length=32, unique=True)),
                ('handle', models.CharField(help_text='What follows the @, such as "safety".', max_length=80, unique=True)),
                ('name', models.CharField(max_length=80)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('members', models.ManyToManyField(related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['handle'],
            },
        ),
        migrations.CreateModel(
            name='LocalMessage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ts', models.CharField(help_text='Seconds and microseconds: what Slack names a message by.', max_length=20)),
                ('thread_ts', models.CharField(blank=True, help_text='The ts of the thread; empty at the top.', max_length=20)),
                ('text', models.TextField(blank=True)),
                ('blocks', models.JSONField(default=list)),
                ('metadata', models.JSONField(default=dict)),
                ('reactions', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=60), default=list, help_text="Names of Footnote's reactions.", size=None)),
                ('edited_ts', models.CharField(blank=True, max_length=20)),
                ('author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='local_messages', to=settings.AUTH_USER_MODEL)),
                ('channel', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='local.localchannel')),
                ('only_for', models.ForeignKey(help_text='Set on an ephemeral message.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('stream', models.JSONField(default=dict, help_text='What was streamed; empty in a message that never was a stream.')),
                ('subtype', models.CharField(blank=True, help_text="Slack's word for a message that is not just one.", max_length=40)),
            ],
            options={
                'ordering': ['ts'],
                'indexes': [models.Index(fields=['channel', 'thread_ts', 'ts'], name='local_message_thread')],
                'constraints': [models.UniqueConstraint(fields=('channel', 'ts'), name='local_ts_unique_per_channel')],
            },
        ),
        migrations.CreateModel(
            name='LocalAssistantThread',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('thread_ts', models.CharField(max_length=20)),
                ('status', models.CharField(blank=True, help_text='What follows the app\'s name: "is searching".', max_length=200)),
                ('status_at', models.DateTimeField(null=True)),
                ('prompts', models.JSONField(default=list, help_text='Questions to start with: title and message.')),
                ('prompts_title', models.CharField(blank=True, max_length=200)),
                ('prompts_ts', models.CharField(blank=True, help_text="When they were set, in Slack's form.", max_length=20)),
                ('channel', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='local.localchannel')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('channel', 'thread_ts'), name='local_assistant_once')],
            },
        ),
        migrations.CreateModel(
            name='ResponseAddress',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.CharField(max_length=64, unique=True)),
                ('uses', models.PositiveSmallIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('channel', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='local.localchannel')),
                ('message', models.ForeignKey(help_text='What was pressed, and may be replaced. A command has none: Slack replaces nothing there.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='local.localmessage')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='LocalFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('file_id', models.CharField(max_length=32, unique=True)),
                ('name', models.CharField(max_length=255)),
                ('mimetype', models.CharField(max_length=100)),
                ('size', models.PositiveIntegerField(help_text='In bytes.')),
                ('content', models.BinaryField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('message', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='files', to='local.localmessage')),
                ('uploader', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
    ]
