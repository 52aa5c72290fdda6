"""Store the digests of risks that people get."""

from typing import ClassVar

from django.db import models

from core.models import User
from core.models.base import UuidModel


class RiskDigest(UuidModel):
    """The digest of one week's risks for one person, in one direct message or mail. It holds no text and no figure."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting to be sent"
        SENT = "sent"
        SILENT = "silent", "nothing to send"
        FAILED = "failed"

    class Way(models.TextChoices):
        SLACK = "slack", "Slack"
        MAIL = "mail"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    week = models.DateField(help_text="The Monday on which the week began.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    way = models.CharField(max_length=10, choices=Way.choices, blank=True, help_text="Empty until it is sent.")
    team_id = models.CharField("Slack team", max_length=32, blank=True)
    channel_id = models.CharField(max_length=32, blank=True, help_text="Empty until direct messages are opened.")
    ts = models.CharField(max_length=32, blank=True, help_text="Slack's id of the posted message.")
    attempts = models.PositiveSmallIntegerField(default=0)
    error_code = models.CharField(max_length=60, blank=True, help_text="Why it was not sent.")
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "week"], name="one_risk_digest_per_person_and_week")
        ]

    def __str__(self) -> str:
        return f"risks, week of {self.week}"
