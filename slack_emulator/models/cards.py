"""Cards of links: those below messages, and what a person who opened one is shown."""

from django.db import models

from core.models import User
from slack_emulator.models.messages import LocalMessage


class LocalUnfurl(models.Model):
    """The cards below one message, as Footnote gave them last."""

    message = models.OneToOneField(LocalMessage, on_delete=models.CASCADE, related_name="unfurl")
    entities = models.JSONField(help_text="The metadata of a Work Object for each link.")

    def __str__(self) -> str:
        return str(self.message)


class LocalDetails(models.Model):
    """The card that a person opened last, and what Footnote shows them of it; nothing until it has said."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="local_details")
    trigger_id = models.CharField(max_length=200, help_text="By which Footnote answers.")
    ref = models.CharField(max_length=200, help_text="The id of the card's external_ref.")
    content = models.JSONField(default=dict, help_text="The metadata of the Work Object, or an error.")

    def __str__(self) -> str:
        return self.ref
