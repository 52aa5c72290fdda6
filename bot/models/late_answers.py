"""Store the messages that give people late answers to their earlier questions."""

from typing import ClassVar

from django.db import models

from core.models import LateAnswer
from core.models.base import UuidModel


class LateAnswerNotice(UuidModel):
    """The one direct message that gives somebody the answer to an earlier question. It holds no text."""

    late = models.OneToOneField(LateAnswer, on_delete=models.CASCADE, related_name="+")
    team_id = models.CharField("Slack team", max_length=32, blank=True)
    channel_id = models.CharField(max_length=32, blank=True, help_text="Empty until direct messages are opened.")
    ts = models.CharField(max_length=32, blank=True, help_text="Slack's id of the posted message.")
    attempts = models.PositiveSmallIntegerField(default=0)
    error_code = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    posted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"notice of {self.late_id}"
