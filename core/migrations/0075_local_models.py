"""Add what the admin asked the worker to set up as the model of this machine."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Add the table of local models."""

    dependencies = [
        ('core', '0074_languages_of_runs'),
    ]

    operations = [
        migrations.CreateModel(
            name='ModelSetup',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('offer', models.CharField(blank=True, help_text='The name of an offered model, or empty.', max_length=200)),
                ('path', models.CharField(blank=True, help_text='Of a file of the server, or empty.', max_length=1000)),
                ('anyway', models.BooleanField(default=False, help_text='Though memory seems too small.')),
                ('state', models.CharField(choices=[('waiting', 'waiting for the worker'), ('fetching', 'fetching'), ('checking', 'checking the file'), ('loading', 'loading it once'), ('done', 'set up'), ('stopped', 'cancelled'), ('failed', 'failed')], default='waiting', max_length=10)),
                ('reason', models.CharField(blank=True, help_text='Why it failed.', max_length=600)),
                ('done_bytes', models.BigIntegerField(default=0)),
                ('total_bytes', models.BigIntegerField(default=0, help_text='0 until it is known.')),
                ('model', models.CharField(blank=True, help_text='As LLM_MODEL names it; empty until it is set up.', max_length=300)),
                ('sha256', models.CharField(blank=True, max_length=64)),
                ('seconds_per_answer', models.FloatField(blank=True, help_text='Measured when it was loaded.', null=True)),
                ('is_stopping', models.BooleanField(default=False, help_text='Somebody cancelled it.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('seen_at', models.DateTimeField(blank=True, help_text='When the worker last made progress.', null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('asked_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'local model',
                'ordering': ['-created_at'],
                'permissions': [('set_up_models', 'Can fetch answer models, or take them from files of the server')],
                'default_permissions': ('view',),
                'constraints': [models.UniqueConstraint(models.Value(1), condition=models.Q(('state__in', ['waiting', 'fetching', 'checking', 'loading'])), name='one_model_setup_under_way'), models.CheckConstraint(condition=models.Q(('offer', ''), ('path', ''), _connector='XOR'), name='model_setup_of_one_thing')],
            },
        ),
    ]
