import core.types

from django.db import migrations, models


class Migration(migrations.Migration):
    """Let a question end because its asker stopped it."""

    beside_old_code = "The constraint allows one state more than before, which old code never writes."

    dependencies = [
        ('core', '0051_words_that_are_noted'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='query',
            name='query_state_known',
        ),
        migrations.AlterField(
            model_name='query',
            name='state',
            field=models.CharField(choices=[('NEW', 'received'), ('EMBEDDING_GENERATED', 'searching'), ('RETRIEVAL_COMPLETE', 'reading what was found'), ('RESPONSE_GENERATED', 'checking the answer'), ('COMPLETE', 'answered'), ('NO_CONTENT_FOUND', 'not answered'), ('FAILED', 'failed'), ('STOPPED', 'stopped')], default=core.types.QueryState['NEW'], max_length=20),
        ),
        migrations.AddConstraint(
            model_name='query',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['NEW', 'EMBEDDING_GENERATED', 'RETRIEVAL_COMPLETE', 'RESPONSE_GENERATED', 'COMPLETE', 'NO_CONTENT_FOUND', 'FAILED', 'STOPPED'])), name='query_state_known'),
        ),
    ]
