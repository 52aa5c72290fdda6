from django.db import migrations, models


class Migration(migrations.Migration):
    """Let an administrator decide whether the messages of a workspace are searched."""

    dependencies = [
        ("core", "0052_stopped"),
    ]

    operations = [
        migrations.AddField(
            model_name="slackworkspace",
            name="searches_messages",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="When somebody asks in their direct messages with Footnote, Slack is asked for messages of public channels that this person can read, and up to three are quoted below the answer, for this person alone. Slack's terms forbid to store or copy what the search returns, or to train a model with it. So Footnote keeps the link to a quoted message and a hash of the words, and sends the messages to no language model. It needs the setting SLACK_SEARCH and the scope search:read.public.",
                verbose_name="searches Slack's messages",
            ),
        ),
    ]
