from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0058_version_slots'),
    ]

    operations = [
        migrations.AddField(
            model_name='answer',
            name='contradiction',
            field=models.JSONField(blank=True, editable=False, help_text='Where another document says otherwise than a cited one: ids and places, no text.', null=True),
        ),
    ]
