
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0044_vector_index_where_used'),
    ]

    operations = [
        migrations.AddField(
            model_name='ingestionfile',
            name='claimed_by',
            field=models.BigIntegerField(blank=True, editable=False, help_text='The job of the queue that works on it, while it is running.', null=True),
        ),
    ]
