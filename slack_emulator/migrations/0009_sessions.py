
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('local', '0001_squashed_0008_views_by_browser'),
    ]

    operations = [
        migrations.AddField(
            model_name='localassistantthread',
            name='session_status',
            field=models.CharField(blank=True, help_text="Of an agent's session; empty without one.", max_length=10),
        ),
        migrations.AddField(
            model_name='localassistantthread',
            name='session_title',
            field=models.CharField(blank=True, max_length=200),
        ),
    ]
