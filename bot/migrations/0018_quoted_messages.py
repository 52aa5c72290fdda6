import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Keep where the quoted messages of Slack's are, and for the time of an answer the leave to search for them."""

    dependencies = [
        ("bot", "0016_links_and_contexts"),
    ]

    operations = [
        migrations.AddField(
            model_name="slackevent",
            name="action_token",
            field=models.TextField(
                blank=True,
                db_default="",
                help_text="Slack's leave to search for who wrote this message, worth something only with the bot's own token. Stored only where an administrator lets Footnote search, and erased at the end.",
            ),
        ),
        migrations.CreateModel(
            name="QuotedMessage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("permalink", models.TextField(help_text="Where Slack shows the message to those who may read it.")),
                ("words_hash", models.CharField(help_text="SHA-256 of the quoted words, in hexadecimal digits.", max_length=64)),
                ("quoted_at", models.DateTimeField(auto_now_add=True)),
                ("reply", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="quoted_messages", to="bot.reply")),
            ],
            options={"ordering": ["pk"]},
        ),
    ]
