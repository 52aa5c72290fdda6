"""Add researches and the questions of their plans."""

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.constraints
import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Add the tables of researches."""

    beside_old_code = "Old code knows none of these tables, and writes no conversation of this origin."

    dependencies = [
        ('core', '0077_readers_of_sections'),
    ]

    operations = [
        migrations.AlterField(
            model_name='conversation',
            name='origin',
            field=models.CharField(choices=[('slack', 'Slack'), ('rest', 'REST'), ('mcp', 'MCP'), ('command', 'Command line'), ('evaluation', 'Evaluation run'), ('recheck', 'Changed source'), ('research', 'Research')], max_length=10),
        ),
        migrations.CreateModel(
            name='Research',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('for_people', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), blank=True, db_default=[], default=list, editable=False, help_text='People who must all be able to read what is shown, besides the person.', size=None)),
                ('for_team', models.CharField(blank=True, db_default='', default='', editable=False, max_length=32)),
                ('for_channel', models.CharField(blank=True, db_default='', default='', editable=False, help_text='The Slack channel whose readers must all be able to read what is shown, besides the person.', max_length=32)),
                ('origin', models.CharField(choices=[('slack', 'Slack'), ('rest', 'REST'), ('mcp', 'MCP'), ('command', 'Command line'), ('evaluation', 'Evaluation run'), ('recheck', 'Changed source'), ('research', 'Research')], max_length=10)),
                ('topic', models.TextField(help_text='As it was typed; empty once it is erased.')),
                ('filters', models.JSONField(blank=True, default=dict, help_text='As given with the topic.')),
                ('state', models.CharField(choices=[('planned', 'planned'), ('waiting', 'waiting'), ('running', 'running'), ('done', 'done'), ('stopped', 'stopped'), ('failed', 'failed')], default='planned', max_length=10)),
                ('stop_reason', models.CharField(blank=True, choices=[('asker', 'asker'), ('minutes', 'minutes'), ('cost', 'cost'), ('budget', 'budget'), ('account', 'account'), ('error', 'error')], max_length=10)),
                ('most_minutes', models.PositiveSmallIntegerField(default=15, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(120)])),
                ('most_usd', models.DecimalField(blank=True, decimal_places=4, max_digits=10, null=True)),
                ('planned_by', models.CharField(blank=True, help_text='The model that wrote the plan; empty: by rules.', max_length=200)),
                ('planning_tokens', models.PositiveIntegerField(default=0)),
                ('planning_usd', models.DecimalField(decimal_places=6, default=0, max_digits=10)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('seen_at', models.DateTimeField(blank=True, help_text='When the worker last made progress.', null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('stop_asked_at', models.DateTimeField(blank=True, null=True)),
                ('erased_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='researches', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'research',
                'verbose_name_plural': 'researches',
                'ordering': ['-created_at'],
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='ResearchLine',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveSmallIntegerField(help_text='From 1, in the order of the plan.')),
                ('heading', models.CharField(blank=True, max_length=120)),
                ('text', models.TextField(help_text='Empty once it is erased.')),
                ('filters', models.JSONField(blank=True, default=dict)),
                ('made_of_documents', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), blank=True, default=list, help_text='Documents whose words may be in the heading or text.', size=None)),
                ('made_of_versions', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(), blank=True, default=list, help_text='The edition of each of them.', size=None)),
                ('outcome', models.CharField(choices=[('open', 'open'), ('answered', 'answered'), ('quoted', 'quoted'), ('unproven', 'unproven')], default='open', max_length=10)),
                ('query', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='research_line', to='core.query')),
                ('research', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='lines', to='core.research')),
            ],
            options={
                'verbose_name': 'question of a research',
                'verbose_name_plural': 'questions of a research',
                'ordering': ['research', 'number'],
                'default_permissions': (),
            },
        ),
        migrations.AddIndex(
            model_name='research',
            index=models.Index(fields=['user', '-created_at'], name='research_user_created'),
        ),
        migrations.AddConstraint(
            model_name='research',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('for_channel', ''), ('for_team', '')), models.Q(models.Q(('for_team', ''), _negated=True), models.Q(('for_channel', ''), _negated=True), ('for_people', [])), _connector='OR'), name='research_for_one_kind'),
        ),
        migrations.AddConstraint(
            model_name='research',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['planned', 'waiting', 'running', 'done', 'stopped', 'failed'])), name='research_state_known'),
        ),
        migrations.AddConstraint(
            model_name='researchline',
            constraint=models.UniqueConstraint(deferrable=django.db.models.constraints.Deferrable['DEFERRED'], fields=('research', 'number'), name='research_line_number'),
        ),
    ]
