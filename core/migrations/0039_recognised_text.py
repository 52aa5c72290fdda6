from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0038_footnotes'),
    ]

    operations = [
        migrations.AddField(
            model_name='citation',
            name='is_recognised',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='verifiedsource',
            name='is_recognised',
            field=models.BooleanField(default=False),
        ),
    ]
