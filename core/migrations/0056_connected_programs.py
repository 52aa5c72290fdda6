import django.contrib.postgres.fields
import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Keep which programs people have connected by signing in, and for whom they ask."""

    dependencies = [
        ('core', '0055_token_audiences'),
    ]

    operations = [
        migrations.CreateModel(
            name='ConnectedProgram',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('for_people', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), blank=True, db_default=[], default=list, editable=False, help_text='People who must all be able to read what is shown, besides the person.', size=None)),
                ('for_team', models.CharField(blank=True, db_default='', default='', editable=False, max_length=32)),
                ('for_channel', models.CharField(blank=True, db_default='', default='', editable=False, help_text='The Slack channel whose readers must all be able to read what is shown, besides the person.', max_length=32)),
                ('client_id', models.CharField(help_text="The address of the program's own document, or the id with which it registered.", max_length=255)),
                ('name', models.CharField(blank=True, help_text='As the program calls itself.', max_length=255)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('ask', "ask, search and read the person's own records"), ('reports', 'read reports, and the figures of everyone whom the person may see'), ('ingest', 'put documents into the library, and delete them'), ('grant', 'see and change roles, their members and grants')], max_length=20), size=None)),
                ('code_digest', models.CharField(editable=False, help_text='SHA-256 of the code with which it began.', max_length=64, unique=True)),
                ('token_family', models.UUIDField(editable=False, help_text='Of its refresh tokens; empty until the code was redeemed.', null=True, unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField(help_text='After which the program asks the person again.')),
                ('last_used_at', models.DateTimeField(blank=True, help_text='To the minute.', null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='programs', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'connected program',
                'ordering': ['-created_at'],
                'constraints': [models.CheckConstraint(condition=models.Q(('scopes__contained_by', ['ask', 'reports', 'ingest', 'grant']), ('scopes__len__gt', 0)), name='program_scopes_known'), models.CheckConstraint(condition=models.Q(models.Q(('for_channel', ''), ('for_team', '')), models.Q(models.Q(('for_team', ''), _negated=True), models.Q(('for_channel', ''), _negated=True), ('for_people', [])), _connector='OR'), name='program_for_one_kind')],
            },
        ),
    ]
