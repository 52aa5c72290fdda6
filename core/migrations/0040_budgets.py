import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    beside_old_code = "Old code makes no alerts of budgets, and what it makes fits both constraints."

    dependencies = [
        ('core', '0039_recognised_text'),
    ]

    operations = [
        migrations.CreateModel(
            name='Budget',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('scope', models.CharField(choices=[('installation', 'Everything together'), ('person', 'One person'), ('role', 'All people of a role together'), ('channel', 'One Slack channel')], max_length=12, verbose_name='for')),
                ('team_id', models.CharField(blank=True, help_text='Such as T0123ABCD.', max_length=32, verbose_name='Slack team')),
                ('channel_id', models.CharField(blank=True, help_text='Its id, such as C0123ABCD.', max_length=32, verbose_name='Slack channel')),
                ('soft_tokens', models.PositiveBigIntegerField(blank=True, help_text='Tokens a month, sent and written, beyond which people are told and an alert is raised.', null=True, verbose_name='tokens, soft')),
                ('hard_tokens', models.PositiveBigIntegerField(blank=True, help_text='Tokens a month beyond which no model is called.', null=True, verbose_name='tokens, hard')),
                ('soft_cost_usd', models.DecimalField(blank=True, decimal_places=2, help_text="US dollars a month, by LiteLLM's list of prices. A model without a price there costs nothing here: limit its tokens.", max_digits=12, null=True, verbose_name='cost, soft')),
                ('hard_cost_usd', models.DecimalField(blank=True, decimal_places=2, help_text='US dollars a month beyond which no model is called.', max_digits=12, null=True, verbose_name='cost, hard')),
                ('when_used_up', models.CharField(choices=[('quote', "Answer without a language model, in the documents' own words"), ('refuse', 'Refuse, and say from when on questions are answered again')], default='quote', help_text='Where several budgets are used up, one that refuses decides. Without a language model nothing is translated, and nothing is put into other words.', max_length=10, verbose_name='beyond a hard limit')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['scope', 'created_at'],
            },
        ),
        migrations.CreateModel(
            name='BudgetTold',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('month', models.DateField()),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='BudgetUse',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('month', models.DateField(help_text='Its first day.')),
                ('scope', models.CharField(choices=[('installation', 'Everything together'), ('person', 'One person'), ('role', 'All people of a role together'), ('channel', 'One Slack channel')], max_length=12)),
                ('key', models.CharField(blank=True, help_text='An id; of a channel TEAM/CHANNEL; else empty.', max_length=70)),
                ('calls', models.PositiveBigIntegerField(default=0)),
                ('tokens', models.PositiveBigIntegerField(default=0, help_text='Sent and written.')),
                ('unpriced_tokens', models.PositiveBigIntegerField(default=0, help_text='Of them, by models without a price.')),
                ('cost_usd', models.DecimalField(decimal_places=9, default=0, max_digits=18)),
                ('reused', models.PositiveBigIntegerField(default=0, help_text='Calls that were spared.')),
                ('missed', models.PositiveBigIntegerField(default=0, help_text='Calls that could have been spared.')),
                ('saved_tokens', models.PositiveBigIntegerField(default=0)),
                ('saved_cost_usd', models.DecimalField(decimal_places=9, default=0, max_digits=18)),
            ],
            options={
                'ordering': ['-month', 'scope', 'key'],
                'default_permissions': (),
            },
        ),
        migrations.RemoveConstraint(
            model_name='alert',
            name='alert_about_one_thing',
        ),
        migrations.AddField(
            model_name='alert',
            name='month',
            field=models.DateField(blank=True, help_text='Of a budget: the first day of the month.', null=True),
        ),
        migrations.AddField(
            model_name='answer',
            name='saved_tokens',
            field=models.PositiveIntegerField(db_default=0, default=0, help_text='Tokens of model calls that were not made, because the same call had been made for the same readers.'),
        ),
        migrations.AddField(
            model_name='budget',
            name='role',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='budgets', to='core.role'),
        ),
        migrations.AddField(
            model_name='budget',
            name='user',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='budgets', to=settings.AUTH_USER_MODEL, verbose_name='person'),
        ),
        migrations.AddField(
            model_name='alert',
            name='budget',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='alerts', to='core.budget'),
        ),
        migrations.AddConstraint(
            model_name='alert',
            constraint=models.UniqueConstraint(fields=('budget', 'month', 'metric'), name='one_alert_per_budget_and_month'),
        ),
        migrations.AddConstraint(
            model_name='alert',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('budget__isnull', True), ('evaluation__isnull', False), ('run__isnull', True)), models.Q(('budget__isnull', True), ('evaluation__isnull', True), ('run__isnull', False)), models.Q(('budget__isnull', False), ('evaluation__isnull', True), ('month__isnull', False), ('run__isnull', True)), _connector='OR'), name='alert_about_one_thing'),
        ),
        migrations.AddField(
            model_name='budgettold',
            name='budget',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='core.budget'),
        ),
        migrations.AddField(
            model_name='budgettold',
            name='user',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddConstraint(
            model_name='budgetuse',
            constraint=models.UniqueConstraint(fields=('month', 'scope', 'key'), name='one_use_per_month_and_subject'),
        ),
        migrations.AddConstraint(
            model_name='budget',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('channel_id', ''), ('role', None), ('scope', 'installation'), ('team_id', ''), ('user', None)), models.Q(('channel_id', ''), ('role', None), ('scope', 'person'), ('team_id', ''), ('user__isnull', False)), models.Q(('channel_id', ''), ('scope', 'role'), ('team_id', ''), ('user', None), ('role__isnull', False)), models.Q(('role', None), ('scope', 'channel'), ('user', None), models.Q(('team_id', ''), _negated=True), models.Q(('channel_id', ''), _negated=True)), _connector='OR'), name='budget_for_one_thing'),
        ),
        migrations.AddConstraint(
            model_name='budget',
            constraint=models.UniqueConstraint(condition=models.Q(('scope', 'installation')), fields=('scope',), name='one_budget_of_the_installation'),
        ),
        migrations.AddConstraint(
            model_name='budget',
            constraint=models.UniqueConstraint(fields=('user',), name='one_budget_per_person'),
        ),
        migrations.AddConstraint(
            model_name='budget',
            constraint=models.UniqueConstraint(fields=('role',), name='one_budget_per_role'),
        ),
        migrations.AddConstraint(
            model_name='budget',
            constraint=models.UniqueConstraint(condition=models.Q(('scope', 'channel')), fields=('team_id', 'channel_id'), name='one_budget_per_channel'),
        ),
        migrations.AddConstraint(
            model_name='budget',
            constraint=models.CheckConstraint(condition=models.Q(('soft_tokens__isnull', False), ('hard_tokens__isnull', False), ('soft_cost_usd__isnull', False), ('hard_cost_usd__isnull', False), _connector='OR'), name='budget_with_a_limit'),
        ),
        migrations.AddConstraint(
            model_name='budgettold',
            constraint=models.UniqueConstraint(fields=('budget', 'user', 'month'), name='told_once_per_budget_and_month'),
        ),
    ]
