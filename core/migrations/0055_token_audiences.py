import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    """Let a token ask for people, or a channel, besides its person, and conversations remember it."""

    beside_old_code = "The new columns are left to the database by old code, and what they are then is allowed."

    dependencies = [
        ('core', '0054_searches_in_slack'),
    ]

    operations = [
        migrations.AddField(
            model_name='authtoken',
            name='for_channel',
            field=models.CharField(blank=True, db_default='', default='', editable=False, help_text='The Slack channel whose readers must all be able to read what is shown, besides the person.', max_length=32),
        ),
        migrations.AddField(
            model_name='authtoken',
            name='for_people',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), blank=True, db_default=[], default=list, editable=False, help_text='People who must all be able to read what is shown, besides the person.', size=None),
        ),
        migrations.AddField(
            model_name='authtoken',
            name='for_team',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=32),
        ),
        migrations.AddField(
            model_name='conversation',
            name='for_channel',
            field=models.CharField(blank=True, db_default='', default='', editable=False, help_text='The Slack channel whose readers must all be able to read what is shown, besides the person.', max_length=32),
        ),
        migrations.AddField(
            model_name='conversation',
            name='for_people',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), blank=True, db_default=[], default=list, editable=False, help_text='People who must all be able to read what is shown, besides the person.', size=None),
        ),
        migrations.AddField(
            model_name='conversation',
            name='for_team',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=32),
        ),
        migrations.AddConstraint(
            model_name='authtoken',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('for_channel', ''), ('for_team', '')), models.Q(models.Q(('for_team', ''), _negated=True), models.Q(('for_channel', ''), _negated=True), ('for_people', [])), _connector='OR'), name='token_for_one_kind'),
        ),
        migrations.AddConstraint(
            model_name='authtoken',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('for_channel', ''), ('for_people', [])), ('scopes', ['ask']), _connector='OR'), name='token_for_others_only_asks'),
        ),
        migrations.AddConstraint(
            model_name='conversation',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('for_channel', ''), ('for_team', '')), models.Q(models.Q(('for_team', ''), _negated=True), models.Q(('for_channel', ''), _negated=True), ('for_people', [])), _connector='OR'), name='conversation_for_one_kind'),
        ),
    ]
