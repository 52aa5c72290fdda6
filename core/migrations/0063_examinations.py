"""Add examinations of answer models, and alerts about them."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Add the tables of examinations, and the key of alerts about them."""

    beside_old_code = "Old code makes no alerts of examinations, and what it makes fits both constraints."

    dependencies = [
        ('core', '0062_asked_last'),
    ]

    operations = [
        migrations.CreateModel(
            name='ExaminationLine',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveIntegerField(help_text='From 1.')),
                ('kind', models.CharField(choices=[('verified', 'a verified answer'), ('liked', 'an answer that was voted up'), ('definition', 'a definition'), ('figure', 'a figure'), ('cell', 'a cell of a table'), ('label', 'a line with a label')], max_length=12)),
                ('is_answerable', models.BooleanField(help_text='Otherwise the passages that answer were taken away.')),
                ('model_outcome', models.CharField(choices=[('right', 'right'), ('wrong', 'wrong'), ('missed', 'not answered'), ('invented', 'answered without a source'), ('withheld', 'rightly not answered'), ('failed', 'the model failed')], max_length=10)),
                ('key_free_outcome', models.CharField(choices=[('right', 'right'), ('wrong', 'wrong'), ('missed', 'not answered'), ('invented', 'answered without a source'), ('withheld', 'rightly not answered'), ('failed', 'the model failed')], max_length=10)),
                ('in_own_words', models.BooleanField(default=False, help_text="What is shown are the model's words.")),
                ('keeps_format', models.BooleanField(default=False, help_text="The model's reply could be read at once.")),
                ('model_ms', models.FloatField()),
                ('key_free_ms', models.FloatField()),
                ('tokens', models.PositiveIntegerField(default=0, help_text='Sent to the model, and written by it.')),
            ],
            options={
                'ordering': ['examination', 'number'],
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='ExaminationSource',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('document_version', models.PositiveIntegerField()),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='ModelExamination',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('model', models.CharField(help_text='As LLM_MODEL names it.', max_length=200)),
                ('identity', models.CharField(help_text="SHA-256 of the model's name, its server and, of a file on this machine, its content.", max_length=64)),
                ('prompt_hash', models.CharField(help_text='Of the prompts given to the model.', max_length=64)),
                ('library', models.JSONField(blank=True, default=dict, help_text='The number of documents when it began.')),
                ('state', models.CharField(choices=[('waiting', 'waiting for the worker'), ('running', 'examining'), ('examined', 'examined, to be decided'), ('admitted', 'admitted'), ('refused', 'refused'), ('lapsed', 'examine again'), ('stopped', 'stopped'), ('failed', 'failed')], default='waiting', max_length=10)),
                ('reason', models.CharField(blank=True, help_text='Why it failed, was stopped or lapsed.', max_length=300)),
                ('total', models.PositiveIntegerField(default=0, help_text='Questions to ask; 0 until they are written.')),
                ('figures', models.JSONField(blank=True, default=dict, help_text='By who answered; empty until the end.')),
                ('is_stopping', models.BooleanField(default=False, help_text='Somebody asked it to stop.')),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('seen_at', models.DateTimeField(blank=True, help_text='When the worker last made progress.', null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'verbose_name': 'model examination',
                'ordering': ['-created_at'],
                'permissions': [('examine_models', 'Can examine answer models, and stop it'), ('admit_models', 'Can let an examined answer model answer, or refuse it')],
                'default_permissions': ('view',),
            },
        ),
        migrations.RemoveConstraint(
            model_name='alert',
            name='alert_about_one_thing',
        ),
        migrations.CreateModel(
            name='ExaminationWords',
            fields=[
                ('line', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='words', serialize=False, to='core.examinationline')),
                ('question', models.TextField(blank=True, help_text='Empty where a person asked it: then it is in the query.')),
                ('expected', models.TextField(blank=True)),
                ('model_text', models.TextField(blank=True, help_text='Empty where nothing was answered.')),
                ('key_free_text', models.TextField(blank=True, help_text='Empty where nothing was answered.')),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.AddField(
            model_name='examinationline',
            name='query',
            field=models.ForeignKey(blank=True, help_text='Whose words it is in.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='core.query'),
        ),
        migrations.AddField(
            model_name='examinationsource',
            name='document',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='core.document'),
        ),
        migrations.AddField(
            model_name='examinationsource',
            name='line',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sources', to='core.examinationline'),
        ),
        migrations.AddField(
            model_name='modelexamination',
            name='asked_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='modelexamination',
            name='decided_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='examinationline',
            name='examination',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='lines', to='core.modelexamination'),
        ),
        migrations.AddField(
            model_name='alert',
            name='examination',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='alerts', to='core.modelexamination'),
        ),
        migrations.AddConstraint(
            model_name='alert',
            constraint=models.UniqueConstraint(fields=('examination', 'metric'), name='one_alert_per_examination_and_metric'),
        ),
        migrations.AddConstraint(
            model_name='alert',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('budget__isnull', True), ('evaluation__isnull', False), ('examination__isnull', True), ('run__isnull', True)), models.Q(('budget__isnull', True), ('evaluation__isnull', True), ('examination__isnull', True), ('run__isnull', False)), models.Q(('budget__isnull', False), ('evaluation__isnull', True), ('examination__isnull', True), ('month__isnull', False), ('run__isnull', True)), models.Q(('budget__isnull', True), ('evaluation__isnull', True), ('examination__isnull', False), ('run__isnull', True)), _connector='OR'), name='alert_about_one_thing'),
        ),
        migrations.AddConstraint(
            model_name='examinationsource',
            constraint=models.UniqueConstraint(fields=('line', 'document', 'document_version'), name='one_examination_source_per_edition'),
        ),
        migrations.AddConstraint(
            model_name='modelexamination',
            constraint=models.UniqueConstraint(condition=models.Q(('state__in', ['waiting', 'running'])), fields=('identity',), name='one_examination_under_way'),
        ),
        migrations.AddConstraint(
            model_name='modelexamination',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'admitted')), fields=('identity',), name='one_admission_of_a_model'),
        ),
        migrations.AddConstraint(
            model_name='modelexamination',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['examined', 'admitted', 'refused']), _negated=True), ('finished_at__isnull', False), _connector='OR'), name='decided_examination_is_finished'),
        ),
        migrations.AddConstraint(
            model_name='examinationline',
            constraint=models.UniqueConstraint(fields=('examination', 'number'), name='one_examination_line_per_number'),
        ),
    ]
