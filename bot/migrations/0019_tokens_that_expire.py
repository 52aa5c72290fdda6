from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bot", "0018_quoted_messages"),
    ]

    operations = [
        migrations.AddField(
            model_name="installation",
            name="encrypted_refresh_token",
            field=models.TextField(blank=True, db_default="", editable=False),
        ),
        migrations.AddField(
            model_name="installation",
            name="token_expires_at",
            field=models.DateTimeField(
                blank=True,
                help_text="With token rotation; it is renewed before that.",
                null=True,
                verbose_name="token expires",
            ),
        ),
        migrations.AddField(
            model_name="installation",
            name="ended_because",
            field=models.CharField(blank=True, db_default="", max_length=40, verbose_name="ended because"),
        ),
    ]
