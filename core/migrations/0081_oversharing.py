"""Add places whose words look confidential or are secrets, risks that too many read something, and who read when."""

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Add the tables of risks, and whether a person gets their weekly digest."""

    beside_old_code = "Old code knows none of these tables, and makes people without the new column."

    dependencies = [
        ('core', '0080_change_checks'),
    ]

    operations = [
        migrations.CreateModel(
            name='SensitivityLook',
            fields=[
                ('document', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='core.document')),
                ('document_version', models.PositiveIntegerField()),
                ('rules', models.CharField(help_text='The version of the rules and the reader.', max_length=80)),
                ('looked_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.AddField(
            model_name='user',
            name='gets_risk_digest',
            field=models.BooleanField(db_default=True, default=True, help_text='In Slack, or else by mail, for who may see the page Oversharing.', verbose_name='gets the weekly digest of risks'),
        ),
        migrations.AlterField(
            model_name='auditevent',
            name='action',
            field=models.CharField(choices=[('accept_risk', 'find right that many read something'), ('acknowledge', 'acknowledge'), ('activate', 'activate'), ('add_second_factor', 'add a second factor'), ('answer', 'answer'), ('answer_begun', 'show the beginning of an answer'), ('backup', 'take a backup'), ('change', 'change'), ('change_default_roles', 'change default roles'), ('change_members', 'change members'), ('change_roles', 'change roles'), ('check_change', 'check a change before it is live'), ('confirm', 'find a document still right'), ('create', 'create'), ('deactivate', 'deactivate'), ('decide_change', 'decide about a checked change'), ('decide_section', 'decide about a section'), ('delete', 'delete'), ('end_installation', 'end installation'), ('erase text', 'erase texts'), ('export', 'export'), ('feedback', 'feedback'), ('grant', 'grant'), ('hand in', 'submit for ingestion'), ('hide_secret', 'mask a secret again'), ('ingest', 'ingest'), ('install', 'install'), ('invite', 'invite to write'), ('narrow_risk', 'narrow who reads what many may read'), ('open_section', 'end a restriction of sections'), ('preview', 'preview as somebody else'), ('prolong', 'let a grant end later'), ('propose', 'propose a change of a document'), ('read_text', "read another person's text"), ('refusal', 'refusal'), ('remove_second_factor', 'remove a second factor'), ('replace', 'replace'), ('replay', 'replay'), ('restore', 'restore a backup'), ('restrict_section', 'restrict sections'), ('retry', 'try ingestion again'), ('review', 'find access still right'), ('revoke', 'revoke'), ('show_secret', 'let a secret be read'), ('sign_in', 'sign in'), ('sign_in_failed', 'fail to sign in'), ('sign_out', 'sign out'), ('split_sections', "split a document by its sections' readers"), ('sync', 'ask a data source'), ('try again', 'try reply again')], max_length=50),
        ),
        migrations.CreateModel(
            name='ShownSecret',
            fields=[
                ('fingerprint', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('reason', models.CharField(max_length=300)),
                ('shown_at', models.DateTimeField(auto_now_add=True)),
                ('shown_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='OversharingRisk',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('confidential', 'looks confidential'), ('secret', 'holds passwords or keys'), ('odd_role', 'read through one odd role'), ('odd_group', 'read through one odd usergroup'), ('widened', 'has more readers than before')], max_length=12)),
                ('key', models.CharField(help_text='Its kind and what it is of: it is found once.', max_length=120, unique=True)),
                ('document_version', models.PositiveIntegerField(blank=True, null=True)),
                ('subjects', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=20), blank=True, default=list, size=None)),
                ('sensitivity', models.PositiveSmallIntegerField(validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)])),
                ('reach', models.PositiveSmallIntegerField(validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)])),
                ('score', models.PositiveSmallIntegerField(help_text='Sensitivity times reach, 1 to 25.')),
                ('people', models.PositiveIntegerField(help_text='Active people who may read it, or who came by it.')),
                ('people_before', models.PositiveIntegerField(blank=True, help_text='Without it, or before it.', null=True)),
                ('documents', models.PositiveIntegerField(default=1, help_text='That are read so.')),
                ('since', models.DateField(blank=True, help_text='Of more readers: the day they are compared with.', null=True)),
                ('state', models.CharField(choices=[('open', 'open'), ('accepted', 'is right so'), ('narrowed', 'narrowed'), ('gone', 'gone')], default='open', max_length=10)),
                ('reason', models.CharField(blank=True, help_text='Why it is right so.', max_length=300)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('accepted_score', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('accepted_people', models.PositiveIntegerField(blank=True, null=True)),
                ('found_at', models.DateTimeField(auto_now_add=True)),
                ('opened_at', models.DateTimeField(help_text='When it was found, or opened again because it grew.')),
                ('gone_at', models.DateTimeField(blank=True, null=True)),
                ('collection', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='core.collection')),
                ('data_source', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='core.datasource')),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('document', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='core.document')),
                ('role', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='core.role')),
                ('usergroup', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='core.usergrouprole')),
            ],
            options={
                'verbose_name': 'oversharing risk',
                'ordering': ['-score', '-people', 'pk'],
                'permissions': [('view_oversharing', 'Can see which documents more people may read than expected')],
                'default_permissions': (),
                'indexes': [models.Index(fields=['state', '-score'], name='oversharing_by_score'), models.Index(fields=['opened_at'], name='oversharing_opened')],
                'constraints': [models.CheckConstraint(condition=models.Q(('score', django.db.models.expressions.CombinedExpression(models.F('sensitivity'), '*', models.F('reach')))), name='oversharing_score'), models.CheckConstraint(condition=models.Q(models.Q(('document__isnull', False), ('kind__in', ['confidential', 'secret'])), models.Q(('document__isnull', False), ('kind', 'odd_role'), ('role__isnull', False)), models.Q(('kind', 'odd_group'), ('role__isnull', False)), models.Q(('data_source__isnull', False), ('kind', 'widened')), models.Q(('collection__isnull', False), ('kind', 'widened')), _connector='OR'), name='oversharing_of_something')],
            },
        ),
        migrations.CreateModel(
            name='ReachSnapshot',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('day', models.DateField()),
                ('people', models.PositiveIntegerField()),
                ('documents', models.PositiveIntegerField()),
                ('collection', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='core.collection')),
                ('data_source', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='core.datasource')),
                ('role', models.ForeignKey(blank=True, help_text='Empty: of all roles.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='core.role')),
            ],
            options={
                'ordering': ['day'],
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('day', 'data_source', 'collection', 'role'), name='one_reach_per_day', nulls_distinct=False), models.CheckConstraint(condition=models.Q(models.Q(('collection__isnull', False), ('data_source__isnull', True)), models.Q(('collection__isnull', True), ('data_source__isnull', False)), _connector='OR'), name='reach_of_source_or_collection')],
            },
        ),
        migrations.CreateModel(
            name='SensitivePlace',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('document_version', models.PositiveIntegerField()),
                ('subject', models.CharField(choices=[('pay', 'pay of particular people'), ('health', 'health of particular people'), ('conduct', 'warnings, complaints and investigations'), ('board', 'plans that are not announced'), ('legal', 'legal advice and disputes'), ('personal', 'personal data'), ('marked', 'says that it is confidential'), ('password', 'password'), ('code', 'PIN or code'), ('token', 'access key or token'), ('private_key', 'private key'), ('connection', 'password in an address')], max_length=20)),
                ('chunk_id', models.UUIDField()),
                ('start', models.PositiveIntegerField(help_text='In characters of its passage.')),
                ('end', models.PositiveIntegerField()),
                ('strength', models.FloatField(help_text='0..1, how sure it is; 1 for secrets.')),
                ('fingerprint', models.CharField(blank=True, help_text='Of a secret: a keyed hash of its words.', max_length=64)),
                ('document', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sensitive_places', to='core.document')),
            ],
            options={
                'default_permissions': (),
                'indexes': [models.Index(fields=['subject'], name='sensitive_subject')],
                'constraints': [models.CheckConstraint(condition=models.Q(('start__lt', models.F('end'))), name='sensitive_place_in_order'), models.CheckConstraint(condition=models.Q(('strength__gte', 0), ('strength__lte', 1)), name='sensitive_place_strength_0_1')],
            },
        ),
    ]
