"""Add heaps and what was found to gaps, the time of their last update, and alerts about a week."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """The constraints permit all that old code writes, which fills no `since`."""

    beside_old_code = "The new constraints forbid nothing without `since`, which old code does not write."

    dependencies = [
        ('core', '0064_words_of_examinations'),
    ]

    operations = [
        migrations.CreateModel(
            name='GapUpdate',
            fields=[
                ('id', models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ('updated_at', models.DateTimeField()),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.RemoveConstraint(
            model_name='alert',
            name='alert_about_one_thing',
        ),
        migrations.AddField(
            model_name='alert',
            name='since',
            field=models.DateField(blank=True, help_text='Of a figure of use that drifted: the first day of its week.', null=True),
        ),
        migrations.AddField(
            model_name='contentgap',
            name='heap',
            field=models.CharField(choices=[('nothing', 'nothing near it'), ('unsure', 'found but unsure')], db_default='nothing', default='nothing', help_text='Unsure: for most of its questions something was found that may answer.', max_length=10),
        ),
        migrations.AddField(
            model_name='gapquestion',
            name='found',
            field=models.FloatField(blank=True, help_text='How probably the best passage found answers, 0 to 1, as it was read; empty without a reader.', null=True),
        ),
        migrations.AddConstraint(
            model_name='alert',
            constraint=models.UniqueConstraint(fields=('since', 'metric'), name='one_alert_per_week_and_metric'),
        ),
        migrations.AddConstraint(
            model_name='alert',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('budget__isnull', True), ('evaluation__isnull', False), ('examination__isnull', True), ('run__isnull', True), ('since__isnull', True)), models.Q(('budget__isnull', True), ('evaluation__isnull', True), ('examination__isnull', True), ('run__isnull', False), ('since__isnull', True)), models.Q(('budget__isnull', False), ('evaluation__isnull', True), ('examination__isnull', True), ('run__isnull', True), ('since__isnull', True), ('month__isnull', False)), models.Q(('budget__isnull', True), ('evaluation__isnull', True), ('examination__isnull', True), ('run__isnull', True), ('since__isnull', False)), models.Q(('budget__isnull', True), ('evaluation__isnull', True), ('examination__isnull', False), ('run__isnull', True), ('since__isnull', True)), _connector='OR'), name='alert_about_one_thing'),
        ),
        migrations.AddConstraint(
            model_name='gapupdate',
            constraint=models.CheckConstraint(condition=models.Q(('id', 1)), name='one_gap_update'),
        ),
    ]
