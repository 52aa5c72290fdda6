from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("bot", "0014_agent_sessions")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="reply",
            name="removed_at",
            field=models.DateTimeField(
                blank=True, help_text="When the asker took the answer away from the conversation.", null=True
            ),
        ),
    ]
